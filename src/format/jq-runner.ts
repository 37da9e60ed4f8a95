import { Worker } from 'node:worker_threads';
import { type Clock, withTimeout } from '../clock.js';
import { Failure, installOptionalHint, usageError } from '../failure.js';
import {
  buildJqProgram,
  cleanJqMessage,
  findRoundedNumber,
  formatJqResults,
  type JqOutputOptions,
  mayRoundLiteral,
} from './jq-program.js';
import { findExcessDepth } from './json.js';

/** A compiled jq program on its own thread. */
export interface JqRunner {
  /** Runs the program on a JSON document. Throws a system failure on an error or a timeout. */
  run(document: string, options: JqOutputOptions): Promise<JqOutput>;
  close(): Promise<void>;
}

interface JqOutput {
  /** One line per result: strings as raw text, anything else as JSON. */
  readonly text: string;
  readonly debugOutput: string;
}

/** Reply of bin/jq-worker.js. */
type JqReply =
  | { readonly output: string; readonly debugOutput: string }
  | { readonly failure: 'missing' }
  | { readonly failure: 'jq'; readonly message: string };

/** Limit for compiling a program and for each run. */
const timeoutMs = 5_000;

/** Beyond about 40 levels, the stack of jq-web overflows into its data, and results are wrong. */
const maxDepth = 32;

interface JqRunnerOptions {
  readonly thread: string;
  readonly clock: Clock;
  /** True if the command can change data before the program runs. */
  readonly canChangeData: boolean;
}

/** Starts jq on a thread and compiles the program. Throws a system failure if jq is not installed. */
export async function openJqRunner(
  expression: string,
  { thread, clock, canChangeData }: JqRunnerOptions,
): Promise<JqRunner> {
  if (mayRoundLiteral(expression)) {
    throw usageError(
      'invalid_flag',
      'the --jq program has an integer beyond 2^53 and an operator, and jq could round the integer',
      'compare or convert the integer in a program without + - * / and %',
    );
  }
  // Isolates the program: no environment, no standard streams.
  const worker = new Worker(thread, { env: {}, execArgv: [], stdout: true, stderr: true });
  worker.unref();
  const jqFailed = (message: string) =>
    new Failure('system', { code: 'jq_failed', message, hint: fixHint(canChangeData) });
  const run = (document: string, toFailure: ToFailure) => {
    const program = buildJqProgram(expression, document);
    return withTimeout(
      request(worker, { program, document }, { toFailure, toCrash: jqFailed }),
      timeoutMs,
      clock,
      () => {
        throw toFailure(`the --jq program timed out after ${timeoutMs / 1000} seconds`);
      },
    );
  };
  const checkDepth = (text: string, subject: string) => {
    if (findExcessDepth(text, maxDepth) !== undefined) {
      throw jqFailed(`${subject} of the --jq program is nested deeper than ${maxDepth} levels`);
    }
  };
  try {
    // Without a document, the thread only compiles the program.
    await run('', (message) =>
      usageError('invalid_flag', message, "check the program; a field starts with a dot, such as '.[].name'"),
    );
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return {
    run: async (document, options) => {
      checkDepth(document, 'the input');
      const { output, debugOutput } = await run(document, jqFailed);
      checkDepth(output, 'a result');
      const rounded = findRoundedNumber(output, `${document}\n${expression}`);
      if (rounded !== undefined) {
        throw jqFailed(`jq may have rounded ${rounded}, because it computes with 53-bit integers`);
      }
      return { text: formatJqResults(output, options), debugOutput };
    },
    close: async () => void (await worker.terminate()),
  };
}

type ToFailure = (message: string) => Failure;

/** Sends a message and waits for the reply. A starting thread queues the message. */
function request(
  worker: Worker,
  message: { readonly program: string; readonly document: string },
  { toFailure, toCrash }: { readonly toFailure: ToFailure; readonly toCrash: ToFailure },
): Promise<Extract<JqReply, { output: string }>> {
  return new Promise((resolve, reject) => {
    worker.ref();
    worker.once('message', (reply: JqReply) => {
      worker.unref();
      if ('output' in reply) resolve(reply);
      else if (reply.failure === 'missing') reject(jqMissing());
      else reject(toFailure(cleanJqMessage(reply.message)));
    });
    worker.once('error', ({ message: reason }) => reject(toCrash(`jq crashed: ${reason}`)));
    worker.postMessage(message);
  });
}

function fixHint(canChangeData: boolean): string {
  const warning = canChangeData ? '; do not repeat a command that changed data' : '';
  return `fix the --jq program, or pass --json instead${warning}`;
}

function jqMissing(): Failure {
  return new Failure('system', {
    code: 'missing_package',
    message: 'the optional package jq-web is not installed',
    hint: `${installOptionalHint}, or pipe the output of --json to jq`,
  });
}
