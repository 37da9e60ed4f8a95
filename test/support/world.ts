import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { run } from '../../src/app/run.js';
import type { Runtime } from '../../src/app/runtime.js';
import type { Clock } from '../../src/clock.js';
import { systemClock } from '../../src/clock.js';
import { commandGroups } from '../../src/commands/index.js';
import { createRedactor } from '../../src/config/secret.js';
import type { Failure } from '../../src/failure.js';
import { openInput } from '../../src/terminal/input.js';
import { openOutput } from '../../src/terminal/output.js';
import { hiddenProgressBar } from '../../src/terminal/progress.js';
import { createStyle } from '../../src/terminal/style.js';
import type { Terminal } from '../../src/terminal/terminal.js';
import { askWith } from './ask.js';
import { leapingClock } from './clock.js';
import { type Run, type RunOptions, temporaryDirectory } from './petstore.js';

export interface WorldOptions {
  readonly clock?: Clock;
  /** Columns of the terminal; without it stdout and stderr are pipes. */
  readonly columns?: number;
  /** What every run finds in its environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface TestWorld {
  readonly home: string;
  /** Runs a command line in this process, through the same doors as the binary. */
  run(args: readonly string[], options?: RunOptions): Promise<Run>;
  /** Runs one that goes on until `end`; resolves once it has written to stdout, or once `until` does. */
  start(
    args: readonly string[],
    options?: RunOptions & { readonly until?: Promise<void> },
  ): Promise<{
    readonly stdout: string;
    readonly end: (reason: Failure) => Promise<Run>;
  }>;
}

/** A user of this process with an empty home. */
export function newWorld({
  clock = systemClock,
  columns,
  env: always = {},
}: WorldOptions = {}): TestWorld {
  const home = temporaryDirectory();
  const begin = (args: readonly string[], { env: given = {}, input = '' }: RunOptions = {}) => {
    const env = { ...always, ...given };
    const controller = new AbortController();
    const stdout = collector(columns);
    const stderr = collector(columns);
    const redactor = createRedactor();
    const terminal: Terminal = {
      stdout: openOutput(stdout.stream),
      stderr: openOutput(stderr.stream, { isEssential: false, filter: redactor.redact }),
      stdin: openInput(Readable.from([Buffer.from(input)])),
      canRedraw: false,
      startProgressBar: async () => hiddenProgressBar,
      startSpinner: () => ({ stop: async () => {} }),
      openPrompter: ({ assumeYes: yes, signal, deferSignals: hold }) =>
        askWith({ isInteractive: false, assumeYes: yes, signal, deferSignals: hold }),
      openFullScreen: async () => ({
        isInteractive: false,
        run: async () => {},
        redraw: () => {},
        copyToClipboard: () => false,
      }),
      showManualPage: async ({ text }) => terminal.stdout.write(text()),
      createStyle: (stream, mode) =>
        createStyle({ mode, isTerminal: terminal[stream].isTerminal, env }),
    };
    const runtime: Runtime = {
      env,
      home,
      platform: 'linux',
      clock,
      random: () => 0.5,
      lockOwner: { pid: process.pid, host: 'test', isProcessAlive: () => true },
      userId: process.getuid?.(),
      nodeVersion: process.versions.node,
      version: '0.0.0',
      packageDirectory: join(import.meta.dirname, '../..'),
      terminal,
      redactor,
      signal: controller.signal,
      deferSignals: () => () => {},
    };
    const done = run(args, runtime, commandGroups).then((exitCode) => ({
      stdout: stdout.text(),
      stderr: stderr.text(),
      exitCode,
    }));
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

/** A user whose waits take no time, and whose deadline never comes. */
export function quickWorld(options: WorldOptions = {}): TestWorld {
  return newWorld({ clock: leapingClock(), env: { PETSTORE_TIMEOUT: '86400' }, ...options });
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
