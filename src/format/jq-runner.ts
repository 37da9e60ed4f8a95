import { Worker } from 'node:worker_threads';
import { type Clock, withTimeout } from '../clock.js';
import { Failure, installOptionalHint, usageError } from '../failure.js';
import {
  buildJqProgram,
  cleanJqMessage,
  findRoundedNumber,
  formatJqResults,
  maxExpressionLength,
} from './jq-program.js';

/** A jq program that was read already. */
export interface JqRunner {
  /** What it makes of a JSON document, ready to be written. Fails (system) where the program fails or is too slow. */
  run(document: string, options: { readonly forTerminal: boolean }): Promise<JqOutput>;
  close(): Promise<void>;
}

interface JqOutput {
  /** A line for each result: strings as they are, all else as JSON. */
  readonly text: string;
  /** What the program said with `debug`. */
  readonly debugOutput: string;
}

/** Reads a jq program. Fails (usage) in the words of jq where it is none. */
export type OpenJqRunner = (program: string) => Promise<JqRunner>;

/** Replies of bin/jq-worker.js. */
type JqReply =
  | { readonly output: string; readonly debugOutput: string }
  | { readonly failure: 'missing' }
  | { readonly failure: 'jq'; readonly message: string };

/** In milliseconds: for reading a program, and for running it. */
const timeoutMs = 5_000;

/** Starts jq on a thread and reads the program there. Fails (usage) where jq cannot, (system) where there is no jq. */
export async function openJqRunner(
  expression: string,
  { thread, clock }: { readonly thread: string; readonly clock: Clock },
): Promise<JqRunner> {
  if (expression.length > maxExpressionLength || expression.includes('\0')) {
    throw usageError(
      'invalid_jq',
      `--jq takes at most ${maxExpressionLength} characters, and no NUL`,
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
  const program = buildJqProgram(expression);
  const ask = (document: string, failing: (words: string) => Failure) =>
    within(clock, request(worker, { program, document }, failing), failing);
  try {
    // Without a document it is read, and not run.
    await ask('', (words) => usageError('invalid_jq', words));
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return {
    run: async (document, options) => {
      const { output, debugOutput } = await ask(document, jqFailed);
      const rounded = findRoundedNumber(output, `${document}\n${expression}`);
      if (rounded === undefined) return { text: formatJqResults(output, options), debugOutput };
      throw jqFailed(`jq may have rounded ${rounded}: it computes with 53 bits`);
    },
    close: async () => void (await worker.terminate()),
  };
}

/** Sends a message and waits for the answer; a thread that still starts takes it when it can. */
function request(
  worker: Worker,
  message: { readonly program: string; readonly document: string },
  failing: (words: string) => Failure,
): Promise<Extract<JqReply, { output: string }>> {
  return new Promise((resolve, reject) => {
    worker.ref();
    worker.once('message', (answer: JqReply) => {
      worker.unref();
      if ('output' in answer) resolve(answer);
      else if (answer.failure === 'missing') reject(jqMissing());
      else reject(failing(cleanJqMessage(answer.message)));
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
  return withTimeout(work, timeoutMs, clock, () => {
    throw failing(`--jq took longer than ${timeoutMs / 1000} seconds and was ended`);
  });
}

function jqFailed(message: string): Failure {
  return new Failure('system', {
    code: 'jq_failed',
    message,
    hint: 'the command itself was carried out; --json without --jq shows all of its result',
  });
}

function jqMissing(): Failure {
  return new Failure('system', {
    code: 'no_jq',
    message: 'the package jq-web is missing',
    hint: `${installOptionalHint}, or give --json to another jq`,
  });
}
