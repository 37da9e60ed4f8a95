import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { run } from '../../src/app/run.js';
import type { Runtime } from '../../src/app/runtime.js';
import { type Clock, systemClock } from '../../src/clock.js';
import { petstore } from '../../src/commands/index.js';
import { createRedactor } from '../../src/config/secret.js';
import type { Failure } from '../../src/failure.js';
import { openInput } from '../../src/terminal/input.js';
import { createStyle, openOutput } from '../../src/terminal/output.js';
import type { Terminal } from '../../src/terminal/terminal.js';
import { autoAdvancingClock } from './clock.js';
import { checkContract } from './contract.js';
import { type Run, type RunOptions, temporaryDirectory } from './petstore.js';
import { createTestPrompter } from './test-terminal.js';

/** The machine and the user of a petstore in this process. */
export interface TestCliOptions {
  readonly clock?: Clock;
  /** Columns of the terminal; without it, stdout and stderr are pipes. */
  readonly columns?: number;
  /** The user who runs petstore (default: the user of the test). */
  readonly userId?: number | undefined;
  /** Environment of every run. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A petstore in this process. */
export interface TestCli {
  readonly home: string;
  /** Runs a command line in this process, like the binary. */
  run(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** Starts a command that runs until `end`. Resolves after its first output, or with `until`. */
  start(
    args: readonly string[],
    options?: RunOptions & { readonly until?: Promise<void> },
  ): Promise<{
    readonly stdout: string;
    readonly end: (reason: Failure) => Promise<Run>;
  }>;
}

/** Returns a petstore in this process with an empty home. */
export function createTestCli({
  clock = systemClock,
  columns,
  env: always = {},
  userId = process.getuid?.(),
}: TestCliOptions = {}): TestCli {
  const home = temporaryDirectory();
  const begin = (args: readonly string[], { env: given = {}, input = '' }: RunOptions = {}) => {
    const env = { ...always, ...given };
    const controller = new AbortController();
    const stdout = collector(columns);
    const stderr = collector(columns);
    const redactor = createRedactor();
    const terminal: Terminal = {
      clock,
      stdout: openOutput(stdout.stream),
      stderr: openOutput(stderr.stream, { isEssential: false, filter: redactor.redact }),
      stdin: openInput(() => Readable.from([Buffer.from(input)])),
      openLog: async () => (line) => void terminal.stderr.write(`${line}\n`),
      canRedraw: false,
      startSpinner: () => ({ stop: async () => {} }),
      openPrompter: ({ assumeYes }) =>
        createTestPrompter({ isInteractive: false, assumeYes, signal: controller.signal }),
      openFullScreen: async () => ({
        isInteractive: false,
        disableReason: undefined,
        run: async () => {},
        redraw: () => {},
        copyToClipboard: () => false,
      }),
      showPage: (text) => terminal.stdout.write(text),
      createStyle: (stream, mode) => createStyle({ mode, isTerminal: terminal[stream].isTerminal, env }),
    };
    const runtime: Runtime = {
      env,
      home,
      platform: 'linux',
      clock,
      random: () => 0.5,
      createUuid: () => crypto.randomUUID(),
      userId,
      nodeVersion: process.versions.node,
      version: '0.0.0',
      packageDirectory: join(import.meta.dirname, '../..'),
      terminal,
      redactor,
      signal: controller.signal,
      holdEnd: () => {},
      forcedEnd: new Promise<never>(() => {}),
      importWithoutListeners: (load) => load(),
    };
    const done = run(args, runtime, petstore).then(async (exitCode) => {
      const result = { stdout: stdout.text(), stderr: stderr.text(), exitCode };
      await checkContract(args, env, result);
      return result;
    });
    return { done, stdout, abort: (reason: Failure) => controller.abort(reason) };
  };
  return {
    home,
    run: (args, options) => begin(args, options).done,
    start: async (args, { until, ...options } = {}) => {
      const { done, stdout, abort } = begin(args, options);
      await Promise.race([until ?? stdout.written, done]);
      return {
        stdout: stdout.text(),
        end: (reason) => {
          abort(reason);
          return done;
        },
      };
    },
  };
}

/** Returns a petstore whose waits take no time and whose deadline never fires. */
export function createFastTestCli(options: TestCliOptions = {}): TestCli {
  return createTestCli({ clock: autoAdvancingClock(), env: { PETSTORE_TIMEOUT: '86400' }, ...options });
}

function collector(columns: number | undefined) {
  const chunks: Buffer[] = [];
  const signal = new PassThrough();
  const stream = new Writable({
    write: (chunk, _, done) => {
      chunks.push(chunk);
      signal.write('.');
      done();
    },
  });
  return {
    stream: Object.assign(stream, columns === undefined ? {} : { isTTY: true, columns }),
    text: () => Buffer.concat(chunks).toString(),
    written: new Promise<void>((resolve) => signal.once('data', () => resolve())),
  };
}
