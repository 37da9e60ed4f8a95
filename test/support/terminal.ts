import { spawn } from '@lydell/node-pty';
import { onTestFinished } from 'vitest';
import { bareEnv, binary } from './petstore.js';

export interface TerminalRun {
  /** Everything that was written so far, escape sequences included. */
  readonly output: () => string;
  /** Resolves once the output holds the text, counted from where the last wait ended. */
  see(text: string | RegExp): Promise<void>;
  type(keys: string): void;
  resize(columns: number, rows: number): void;
  readonly exitCode: Promise<number>;
}

export const keys = { enter: '\r', down: '\u001b[B', interrupt: '\u0003', endOfInput: '\u0004' };

/** Runs the binary in a pseudo-terminal of its own. */
export function openTerminal(
  home: string,
  args: readonly string[],
  { columns = 80, env = {} }: { columns?: number; env?: Readonly<Record<string, string>> } = {},
): TerminalRun {
  const child = spawn(process.execPath, [binary, ...args], {
    cols: columns,
    rows: 24,
    env: { ...bareEnv(home), TERM: 'xterm-256color', ...env },
  });
  let output = '';
  let seen = 0;
  let wake = () => {};
  child.onData((data) => {
    output += data;
    wake();
  });
  const exitCode = new Promise<number>((resolve) => {
    child.onExit((exit) => {
      resolve(exit.exitCode);
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
    see: async (text) => {
      for (;;) {
        const rest = output.slice(seen);
        const found = typeof text === 'string' ? rest.indexOf(text) : rest.search(text);
        if (found !== -1) {
          seen += found + 1;
          return;
        }
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
