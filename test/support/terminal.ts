import { spawn } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { constants as systemConstants } from 'node:os';
import { join } from 'node:path';
import type { ReadStream } from 'node:tty';
import { open } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { expect, onTestFinished, vi } from 'vitest';
import { bareEnv, binary, node, temporaryDirectory } from './petstore.js';

/** A program that runs in a pseudo-terminal. */
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
  kill(signal: NodeJS.Signals): void;
  /** Closes the terminal, as a user closes its window. The kernel sends SIGHUP. */
  close(): void;
  /** As in a shell: 128 plus the signal's number for a signal. */
  readonly exitCode: Promise<number>;
}

/** What keys send. */
export const keys = { enter: '\r', down: '\u001b[B', interrupt: '\u0003', endOfInput: '\u0004' };

interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The escape sequence that hides the cursor. */
export const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';

/** Expects that the cursor is visible at the end: it was never hidden, or shown again. */
export function expectCursor(output: string): void {
  expect(output.lastIndexOf(showCursor)).toBeGreaterThanOrEqual(output.lastIndexOf(hideCursor));
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

declare module '@lydell/node-pty' {
  /** Not in the types of the package. The streams of both ends are open, and read. */
  function open(size: { readonly cols: number; readonly rows: number }): {
    readonly master: ReadStream;
    readonly slave: ReadStream;
    readonly ptsName: string;
    /** The descriptor of `master`, which node-pty leaves open in child processes. */
    readonly fd: number;
    resize(columns: number, rows: number): void;
  };
}

/** Follows the output of a program that has ended. */
const endMarker = '\0end of output\0';

/**
 * Runs any program in a pseudo-terminal. Output is lost if a pseudo-terminal closes before it has been read, and node-pty
 * closes it soon after the program has ended. Therefore this process keeps it open until it has read the end marker.
 */
export function openProgram(
  home: string,
  command: readonly string[],
  { columns = 80, rows = 24, cwd, env = {} }: TerminalOptions = {},
): TerminalRun {
  const { master, masterFd, slave, stdio, resize } = openPty(columns, rows);
  const child = spawn('/bin/bash', ['-c', `exec /usr/bin/setsid --ctty "$@" ${masterFd}>&-`, 'bash', ...command], {
    ...(cwd !== undefined && { cwd }),
    env: { ...bareEnv(home), TERM: 'xterm-256color', ...env },
    stdio: [stdio, stdio, stdio],
  });
  closeSync(stdio);
  let output = '';
  let seen = 0;
  let isOver = false;
  let wake = () => {};
  master.on('data', (data) => {
    output += data;
    wake();
  });
  const exitCode = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      const exit = code ?? 128 + systemConstants.signals[signal as NodeJS.Signals];
      if (master.destroyed) return resolve(exit);
      const finish = () => {
        if (!output.includes(endMarker)) return;
        clearInterval(retry);
        output = output.slice(0, output.indexOf(endMarker));
        isOver = true;
        master.destroy();
        closeSync(slave);
        resolve(exit);
        wake();
      };
      master.on('data', finish);
      const send = () => {
        try {
          writeSync(slave, endMarker);
        } catch (error) {
          // The buffer of the terminal is full.
          if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
        }
      };
      // The terminal discards output that is pending when it processes a Ctrl-C.
      const retry = setInterval(send, 100);
      send();
    });
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return {
    output: () => output,
    exitCode,
    type: (text) => void master.write(text),
    resize,
    kill: (signal) => void child.kill(signal),
    close: () => {
      master.destroy();
      closeSync(slave);
    },
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
const patience = 50_000;

/** Opens a pseudo-terminal that this process does not read as a program. `slave` never blocks; `stdio` is for a program. */
function openPty(columns: number, rows: number) {
  const pty = open({ cols: columns, rows });
  const openSlave = (flags: number) => openSync(pty.ptsName, constants.O_RDWR | constants.O_NOCTTY | flags);
  const [slave, stdio] = [openSlave(constants.O_NONBLOCK), openSlave(0)];
  pty.slave.destroy();
  const resize = (width: number, height: number) => pty.resize(width, height);
  return { master: pty.master, masterFd: pty.fd, slave, stdio, resize };
}

/** A program whose screen a test reads. */
export interface ScreenRun extends Pick<TerminalRun, 'type' | 'kill' | 'exitCode' | 'output'> {
  /** The current lines of the screen without trailing spaces. */
  lines(): Promise<readonly string[]>;
  /** Resolves once the screen shows the text. */
  see(text: string | RegExp): Promise<void>;
  resize(columns: number, rows: number): void;
  /** True while the alternate screen is shown. */
  isAlternate(): boolean;
}

/** Runs a program in a pseudo-terminal and feeds its output to a terminal emulator. */
export function openScreenEmulator(
  home: string,
  command: readonly string[],
  { columns = 80, rows = 24, env = {} as Readonly<Record<string, string>> } = {},
): ScreenRun {
  const run = openProgram(home, command, { columns, rows, env });
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
  let written = 0;
  const lines = async () => {
    const added = run.output().slice(written);
    written += added.length;
    await new Promise<void>((resolve) => terminal.write(added, resolve));
    const { active } = terminal.buffer;
    return Array.from(
      { length: terminal.rows },
      (_, y) => active.getLine(active.baseY + y)?.translateToString(true) ?? '',
    );
  };
  return {
    ...run,
    lines,
    isAlternate: () => terminal.buffer.active.type === 'alternate',
    resize: (width, height) => {
      terminal.resize(width, height);
      run.resize(width, height);
    },
    see: (text) =>
      vi.waitFor(async () => expect((await lines()).join('\n')).toMatch(text), {
        timeout: 50_000,
        interval: 20,
      }),
  };
}

/** Opens an interactive shell with job control. The names of its jobs do not depend on the path of the binary. */
export async function openInteractiveShell(env: Readonly<Record<string, string>> = {}) {
  const home = temporaryDirectory();
  const startup = join(home, 'bashrc');
  writeFileSync(startup, `PS1='ready> '; PATH="$HOME:$PATH"; tty > ~/tty\n`);
  writeFileSync(join(home, 'petstore'), `#!/bin/sh\nexec '${node}' '${binary}' "$@"\n`, { mode: 0o755 });
  const screen = openScreenEmulator(home, ['bash', '--rcfile', startup, '-i'], { env, columns: 100 });
  await screen.see('ready>');
  const tty = readFileSync(join(home, 'tty'), 'utf8').trim();
  return { ...screen, home, tty, run: (command: string) => screen.type(`${command}${keys.enter}`) };
}
