import { spawn } from '@lydell/node-pty';
import { expect, onTestFinished } from 'vitest';
import { bareEnv, binary, node } from './petstore.js';

export interface TerminalRun {
  /** The output so far, including escape sequences. */
  readonly output: () => string;
  /**
   * Resolves once the output since the last wait contains the text. Rejects with the output if the process exits or the
   * test is about to time out.
   */
  see(text: string | RegExp): Promise<void>;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  kill(signal: string): void;
  /** As in a shell: 128 plus the signal's number for a signal. */
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

/** Expects that the cursor is visible at the end. */
export function expectCursor(output: string): void {
  expect(output.lastIndexOf(showCursor)).toBeGreaterThan(output.lastIndexOf(hideCursor));
}

/** Runs the binary in a pseudo-terminal. */
export function openTerminal(home: string, args: readonly string[], options?: TerminalOptions): TerminalRun {
  return openProgram(home, [node, binary, ...args], options);
}

/** Runs a shell script in a pseudo-terminal, with `petstore` as the binary. */
export function openShell(home: string, script: string, options?: TerminalOptions): TerminalRun {
  const petstore = `petstore() { '${node}' '${binary}' "$@"; }`;
  return openProgram(home, ['/bin/sh', '-c', `${petstore}\n${script}`], options);
}

/** Runs any program in a pseudo-terminal. */
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
      // The process has already exited.
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

/** In milliseconds; less than the timeout of a test. */
const patience = 18_000;
