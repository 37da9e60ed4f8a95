import { spawn } from '@lydell/node-pty';
import { expect, onTestFinished } from 'vitest';
import { bareEnv, binary, node } from './petstore.js';

export interface TerminalRun {
  /** Everything that was written so far, escape sequences included. */
  readonly output: () => string;
  /**
   * Resolves once the output holds the text, counted from where the last wait ended; rejects with what it holds
   * instead once the process has ended, or a test's patience is nearly over.
   */
  see(text: string | RegExp): Promise<void>;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  kill(signal: string): void;
  /** As a shell tells it: that of a signal is 128 more than the signal. */
  readonly exitCode: Promise<number>;
}

export const keys = { enter: '\r', down: '\u001b[B', interrupt: '\u0003', endOfInput: '\u0004' };

interface TerminalOptions {
  readonly columns?: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';

/** The cursor is there in the end, whatever hid it. */
export function expectCursor(output: string): void {
  expect(output.lastIndexOf(showCursor)).toBeGreaterThan(output.lastIndexOf(hideCursor));
}

/** Runs the binary in a pseudo-terminal of its own. */
export function openTerminal(home: string, args: readonly string[], options?: TerminalOptions): TerminalRun {
  return openProgram(home, [node, binary, ...args], options);
}

/** Runs a script of the shell in a pseudo-terminal of its own; in it `petstore` is the binary. */
export function openShell(home: string, script: string, options?: TerminalOptions): TerminalRun {
  const petstore = `petstore() { '${node}' '${binary}' "$@"; }`;
  return openProgram(home, ['/bin/sh', '-c', `${petstore}\n${script}`], options);
}

/** Runs any program in a pseudo-terminal of its own. */
export function openProgram(
  home: string,
  [file = '', ...args]: readonly string[],
  { columns = 80, cwd, env = {} }: TerminalOptions = {},
): TerminalRun {
  const child = spawn(file, args, {
    cols: columns,
    rows: 24,
    ...(cwd !== undefined && { cwd }),
    env: { ...bareEnv(home), TERM: 'xterm-256color', ...env },
  });
  let output = '';
  let seen = 0;
  let isOver = false;
  let wake = () => {};
  child.onData((data) => {
    output += data;
    wake();
  });
  const exitCode = new Promise<number>((resolve) => {
    child.onExit((exit) => {
      isOver = true;
      resolve(exit.signal ? 128 + exit.signal : exit.exitCode);
      wake();
    });
  });
  onTestFinished(() => {
    try {
      child.kill('SIGKILL');
    } catch {
      // It has ended by itself.
    }
  });
  return {
    output: () => output,
    exitCode,
    type: (text) => child.write(text),
    resize: (width, rows) => child.resize(width, rows),
    kill: (signal) => child.kill(signal),
    see: async (text) => {
      const deadline = performance.now() + patience;
      for (;;) {
        const rest = output.slice(seen);
        const found = typeof text === 'string' ? rest.indexOf(text) : rest.search(text);
        if (found !== -1) {
          seen += found + 1;
          return;
        }
        if (isOver || performance.now() >= deadline) {
          throw new Error(`${isOver ? 'ended' : 'still'} without ${text}, after ${output}`);
        }
        const overdue = setTimeout(() => wake(), deadline - performance.now());
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        clearTimeout(overdue);
      }
    },
  };
}

/** In milliseconds, less than a test has. */
const patience = 18_000;
