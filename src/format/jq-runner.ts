import { Worker } from 'node:worker_threads';
import { type Clock, withTimeout } from '../clock.js';
import { Failure, installOptionalHint, usageError } from '../failure.js';
import { findRounded, formatResults, jqProgram, jqWords, longestExpression } from './jq-program.js';
import type { Jq } from './jq-types.js';

/** What the thread answers with. */
type Answer =
  | { readonly output: string; readonly said: string }
  | { readonly failure: 'missing' }
  | { readonly failure: 'words'; readonly words: string };

/** In milliseconds: for reading a program, and for running it. */
const longest = 5_000;

/** Starts jq on a thread and reads the program there. Fails (usage) where jq cannot, (system) where there is no jq. */
export async function openJq(
  expression: string,
  { thread, clock }: { readonly thread: string; readonly clock: Clock },
): Promise<Jq> {
  if (expression.length > longestExpression || expression.includes('\0')) {
    throw usageError(
      'invalid_jq',
      `--jq takes at most ${longestExpression} characters, and no NUL`,
    );
  }
  // Nothing of this process is shown to the program, or gets out of the thread but by messages.
  const worker = new Worker(thread, {
    env: {},
    argv: [],
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  worker.unref();
  const program = jqProgram(expression);
  const ask = (document: string, failing: (words: string) => Failure) =>
    within(clock, exchange(worker, { program, document }, failing), failing);
  try {
    // Without a document it is read, and not run.
    await ask('', (words) => usageError('invalid_jq', words));
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return {
    run: async (document, options) => {
      const { output, said } = await ask(document, failed);
      const rounded = findRounded(output, `${document}\n${expression}`);
      if (rounded === undefined) return { text: formatResults(output, options), said };
      throw failed(`jq may have rounded ${rounded}: it computes with 53 bits`);
    },
    close: async () => void (await worker.terminate()),
  };
}

/** Sends a message and waits for the answer; a thread that still starts takes it when it can. */
function exchange(
  worker: Worker,
  message: { readonly program: string; readonly document: string },
  failing: (words: string) => Failure,
): Promise<Extract<Answer, { output: string }>> {
  return new Promise((resolve, reject) => {
    worker.ref();
    worker.once('message', (answer: Answer) => {
      worker.unref();
      if ('output' in answer) resolve(answer);
      else if (answer.failure === 'missing') reject(missing());
      else reject(failing(jqWords(answer.words)));
    });
    worker.once('error', (error) => reject(failing(`jq broke down: ${error.message}`)));
    worker.postMessage(message);
  });
}

async function within<Result>(
  clock: Clock,
  work: Promise<Result>,
  failing: (words: string) => Failure,
): Promise<Result> {
  return withTimeout(work, longest, clock, () => {
    throw failing(`--jq took longer than ${longest / 1000} seconds and was ended`);
  });
}

function failed(message: string): Failure {
  return new Failure('system', {
    code: 'jq_failed',
    message,
    hint: 'the command itself was carried out; --json without --jq shows all of its result',
  });
}

function missing(): Failure {
  return new Failure('system', {
    code: 'no_jq',
    message: 'the package jq-web is missing',
    hint: `${installOptionalHint}, or give --json to another jq`,
  });
}
