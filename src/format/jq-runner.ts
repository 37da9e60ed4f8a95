import { Worker } from 'node:worker_threads';
import { type Clock, withTimeout } from '../clock.js';
import { Failure, installOptionalHint, usageError } from '../failure.js';
import {
  buildJqProgram,
  cleanJqMessage,
  findRoundedNumber,
  formatJqResults,
  type JqOutputOptions,
} from './jq-program.js';
import { isNestedDeeper } from './json.js';

/** A compiled jq program on its own thread. */
export interface JqRunner {
  /** Runs the program on a JSON document and formats the results. Throws a system failure on an error or a timeout. */
  run(document: string, options: JqOutputOptions): Promise<string>;
  close(): Promise<void>;
}

/** Reply of bin/jq-worker.js. */
type JqReply = { readonly output: string } | { readonly failure: 'missing' } | { readonly message: string };

/** Limit for compiling a program and for each run. */
const timeoutMs = 5_000;

/** Beyond about 40 levels, the stack of jq-web overflows into its data, and results are wrong. */
const maxDepth = 32;

interface JqRunnerOptions {
  readonly thread: string;
  readonly clock: Clock;
}

/** Starts jq on a thread and compiles the program. Throws a system failure if jq is not installed. */
export async function openJqRunner(expression: string, { thread, clock }: JqRunnerOptions): Promise<JqRunner> {
  // jq computes operations on two literals while it compiles, without the prelude.
  if (/\d{16}/.test(expression) && /[-+*/%]/.test(expression)) {
    const message = 'the --jq program has an integer beyond 2^53 and an operator, and jq could round the integer';
    throw usageError('invalid_flag', message, 'compare or convert the integer in a program without + - * / and %');
  }
  // Isolates the program: no environment, no standard streams.
  const worker = new Worker(thread, { env: {}, execArgv: [], stdout: true, stderr: true });
  const run = (document: string, toFailure: ToFailure) =>
    withTimeout(
      request(worker, { program: buildJqProgram(expression, document), document }, toFailure),
      timeoutMs,
      clock,
      () => {
        throw toFailure(`the --jq program timed out after ${timeoutMs / 1000} seconds`);
      },
    );
  try {
    // Without a document, the thread only compiles the program.
    await run('', invalidProgram);
  } catch (error) {
    await worker.terminate();
    throw error;
  }
  return {
    run: async (document, options) => {
      checkDepth(document, 'the input');
      const output = await run(document, jqFailed);
      checkDepth(output, 'a result');
      const rounded = findRoundedNumber(output, `${document}\n${expression}`);
      if (rounded !== undefined) {
        throw jqFailed(`jq may have rounded ${rounded}, because it computes with 53-bit integers`);
      }
      return formatJqResults(output, options);
    },
    close: async () => void (await worker.terminate()),
  };
}

type ToFailure = (message: string) => Failure;

/** Sends a message and waits for the reply. A starting thread queues the message. */
function request(
  worker: Worker,
  message: { readonly program: string; readonly document: string },
  toFailure: ToFailure,
): Promise<string> {
  return new Promise((resolve, reject) => {
    worker.once('message', (reply: JqReply) => {
      if ('output' in reply) resolve(reply.output);
      else reject('message' in reply ? toFailure(cleanJqMessage(reply.message)) : jqMissing());
    });
    worker.once('error', ({ message: reason }) => reject(jqFailed(`jq crashed: ${reason}`)));
    worker.postMessage(message);
  });
}

function checkDepth(text: string, subject: string): void {
  if (!isNestedDeeper(text, maxDepth)) return;
  throw jqFailed(`${subject} of the --jq program is nested deeper than ${maxDepth} levels`);
}

function invalidProgram(message: string): Failure {
  return usageError('invalid_flag', message, "check the program; a field starts with a dot, such as '.[].name'");
}

/** The command itself has run: repeating one that adds a pet would add another. */
function jqFailed(message: string): Failure {
  const hint = 'fix the --jq program, or pass --json instead; do not repeat a command that changed data';
  return new Failure('system', { code: 'jq_failed', message, hint });
}

function jqMissing(): Failure {
  return new Failure('system', {
    code: 'missing_package',
    message: 'the optional package jq-web is not installed',
    hint: `${installOptionalHint}, or pipe the output of --json to jq`,
  });
}
