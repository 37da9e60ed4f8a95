// Runs programs one after the other, each in a pseudo-terminal, and interprets their output with one terminal emulator.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';

const binary = join(import.meta.dirname, '../bin/petstore.js');

/** Opens a recorder for a home directory. Commands are split at spaces, without a shell. It must be closed. */
export function openRecorder({ columns: cols, rows }, home) {
  const env = { HOME: home, PATH: process.env.PATH ?? '', TZ: 'UTC', TERM: 'xterm-256color' };
  // The first use of the sandbox prints an introduction, which the pictures omit.
  execFileSync(process.execPath, [binary, 'sandbox', 'status'], { env });
  const terminal = new headless.Terminal({ cols, rows, allowProposedApi: true });
  const cursorIsShown = watchCursor(terminal);
  let program;
  let exitCode = 0;
  let writtenAt = 0;
  terminal.onData((reply) => program.write(reply));

  const lines = () => {
    const { active } = terminal.buffer;
    return Array.from({ length: rows }, (_, y) => active.getLine(active.baseY + y));
  };
  const screenText = () =>
    lines()
      .map((line) => line.translateToString(true))
      .join('\n')
      .trimEnd();
  const waitFor = async (name, condition) => {
    for (const deadline = Date.now() + 15_000; !condition(); await sleep(10)) {
      if (Date.now() > deadline) throw new Error(`no ${name}:\n${screenText()}`);
    }
  };
  const write = (text) => new Promise((resolve) => terminal.write(text, resolve));
  // Prints a shell prompt, with a blank line before each but the first.
  const prompt = (command) => write(`${screenText() && '\r\n'}\u001b[34m$\u001b[97m ${command}\u001b[0m`);
  const waitForEnd = async () => {
    await waitFor('end', () => exitCode !== undefined);
    if (exitCode !== 0) throw new Error(`exit code ${exitCode}:\n${screenText()}`);
    await write('');
  };

  return {
    run: async ({ command }) => {
      await waitForEnd();
      await prompt(`${command}\r\n`);
      const [, ...args] = command.split(' ');
      program = spawn(process.execPath, [binary, ...args], { cols, rows, env });
      exitCode = undefined;
      program.onData((data) => {
        writtenAt = Date.now();
        terminal.write(data);
      });
      program.onExit((exit) => {
        exitCode = exit.signal ? 128 + exit.signal : exit.exitCode;
      });
    },
    keys: ({ keys }) => program.write(keys),
    // A screen is drawn in parts. It is complete if there was no output for a short time.
    see: ({ text }) => waitFor(text, () => screenText().includes(text) && Date.now() - writtenAt > 50),
    end: async () => {
      await waitForEnd();
      await prompt('');
    },
    screen: async () => {
      await write('');
      const { cursorX: x, cursorY: y } = terminal.buffer.active;
      return { columns: cols, lines: lines(), cursor: cursorIsShown() ? { x, y } : undefined };
    },
    close: async () => {
      if (exitCode === undefined) program.kill('SIGKILL');
      await waitFor('end', () => exitCode !== undefined);
    },
  };
}

/** Returns a function that returns whether the cursor is visible (DECTCEM), which the emulator does not expose. */
function watchCursor({ parser }) {
  let isShown = true;
  for (const final of ['h', 'l']) {
    parser.registerCsiHandler({ prefix: '?', final }, (modes) => {
      if (modes.includes(25)) isShown = final === 'h';
      return false;
    });
  }
  return () => isShown;
}
