// A terminal in which one program runs after the other, each in a pseudo-terminal of the same size; a terminal
// emulator interprets what they write.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';

const binary = join(import.meta.dirname, '../bin/petstore.js');

/** Opens it for a user with that home; it must be closed. Commands are split at spaces, without a shell. */
export function openStage({ columns: cols, rows }, home) {
  const env = { HOME: home, PATH: process.env.PATH ?? '', TZ: 'UTC', TERM: 'xterm-256color' };
  // The first use of the sandbox is greeted, which is not what the pictures are about.
  execFileSync(process.execPath, [binary, 'sandbox', 'status'], { env });
  const terminal = new headless.Terminal({ cols, rows, allowProposedApi: true });
  const cursorIsShown = watchCursor(terminal);
  let program;
  let exitCode = 0;
  let writtenAt = 0;
  terminal.onData((answer) => program.write(answer));

  const lines = () => {
    const { active } = terminal.buffer;
    return Array.from({ length: rows }, (_, y) => active.getLine(active.baseY + y));
  };
  const words = () =>
    lines()
      .map((line) => line.translateToString(true))
      .join('\n')
      .trimEnd();
  const until = async (what, isSo) => {
    for (const deadline = Date.now() + 15_000; !isSo(); await sleep(10)) {
      if (Date.now() > deadline) throw new Error(`no ${what}:\n${words()}`);
    }
  };
  const write = (text) => new Promise((resolve) => terminal.write(text, resolve));
  // As a shell shows it, with a blank line before each but the first.
  const prompt = (command) =>
    write(`${words() && '\r\n'}\u001b[34m$\u001b[97m ${command}\u001b[0m`);
  const ended = async () => {
    await until('end', () => exitCode !== undefined);
    if (exitCode !== 0) throw new Error(`exit code ${exitCode}:\n${words()}`);
    await write('');
  };

  return {
    run: async ({ command }) => {
      await ended();
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
    // A screen is drawn in pieces: it is whole once nothing more has come for a moment.
    see: ({ text }) => until(text, () => words().includes(text) && Date.now() - writtenAt > 50),
    end: async () => {
      await ended();
      await prompt('');
    },
    screen: async () => {
      await write('');
      const { cursorX: x, cursorY: y } = terminal.buffer.active;
      return { columns: cols, lines: lines(), cursor: cursorIsShown() ? { x, y } : undefined };
    },
    close: async () => {
      if (exitCode === undefined) program.kill('SIGKILL');
      await until('end', () => exitCode !== undefined);
    },
  };
}

/** Whether the cursor is shown, which the emulator does not tell (DECTCEM). */
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
