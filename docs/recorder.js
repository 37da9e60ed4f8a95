// Runs programs one after the other, each in a pseudo-terminal, and interprets their output with one terminal emulator.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import headless from '@xterm/headless';
import { findRuns } from './draw.js';

const binary = join(import.meta.dirname, '../bin/petstore.js');

/** The number of an escape sequence (OSC) that terminals do not use. */
const exitReport = 7000;
/**
 * Runs a program, then reports its exit code behind its output, and waits: node-pty closes the terminal soon after its
 * program has ended, and output that was not read by then is lost.
 */
const runAndReport = `trap : INT; "$@"; printf '\\033]${exitReport};%d\\007' $?; read -r _`;

/** Milliseconds between two typed keys in the animation. */
const typing = { command: 45, keys: 150 };

/**
 * Opens a recorder for a home directory. Commands are split at spaces, without a shell, and run in that directory. The
 * recorder must be closed.
 *
 * Frame times come from the script, not from the machine. Each program runs with its clock stopped at the end of the last
 * frame, so that the ages and waits it prints do not depend on the speed of the machine either.
 */
export async function openRecorder({ columns: cols, rows }, home) {
  const env = { HOME: home, PATH: process.env.PATH ?? '', TZ: 'UTC', TERM: 'xterm-256color' };
  // The first use of the sandbox prints an introduction, which the pictures omit.
  execFileSync(process.execPath, [binary, 'sandbox', 'status'], { env });
  const terminal = new headless.Terminal({ cols, rows, allowProposedApi: true });
  const cursorIsShown = watchCursor(terminal);
  // A whole second, since servers send the reset time of a quota in seconds.
  const startedAt = Math.ceil(Date.now() / 1000) * 1000;
  let elapsedMs = 0;
  const frames = [];
  let program;
  let exitCode = 0;
  let isPrompting = false;
  let textBefore = '';
  let writtenAt = 0;
  terminal.onData((reply) => program.write(reply));
  terminal.parser.registerOscHandler(exitReport, (code) => {
    exitCode = Number(code);
    program.kill('SIGKILL');
    return true;
  });

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
  // Programs draw a screen in parts. It is complete if it has changed since the last key and nothing was written for 50 ms.
  const isComplete = () => screenText() !== textBefore && Date.now() - writtenAt > 50;
  const write = (text) => new Promise((resolve) => terminal.write(text, resolve));
  const prompt = async () => {
    if (!isPrompting) await write(`${screenText() && '\r\n'}\u001b[1m$ `);
    isPrompting = true;
  };
  // Adds a frame that shows the screen for this time.
  const capture = async (ms = 0) => {
    await write('');
    const { cursorX: x, cursorY } = terminal.buffer.active;
    const hasCursor = cursorIsShown() && (isPrompting || exitCode === undefined);
    const cursor = (y) => (y === cursorY && hasCursor ? x : undefined);
    frames.push({ at: elapsedMs, ms, rows: lines().map((line, y) => ({ runs: findRuns(line), cursor: cursor(y) })) });
    elapsedMs += ms;
  };

  return {
    frames,
    run: async ({ command }) => {
      await prompt();
      for (const letter of command) {
        await capture(typing.command);
        await write(letter);
      }
      await capture(4 * typing.command);
      await write('\u001b[0m\r\n');
      isPrompting = false;
      const [, ...args] = command.split(' ');
      const stopClock = `data:text/javascript,Date.now=()=>${startedAt + elapsedMs}`;
      const words = ['-c', runAndReport, 'sh', process.execPath, '--import', stopClock, binary, ...args];
      program = spawn('/bin/sh', words, { cols, rows, env, cwd: home });
      exitCode = undefined;
      textBefore = screenText();
      program.onData((data) => {
        writtenAt = Date.now();
        terminal.write(replaceVariable(data, home));
      });
    },
    keys: async ({ keys }) => {
      for (const [index, key] of keys.entries()) {
        if (index > 0) {
          await waitFor('reaction to a key', isComplete);
          await capture(typing.keys);
        }
        textBefore = screenText();
        program.write(key);
      }
    },
    see: async ({ text, ms }) => {
      await waitFor(text, () => screenText().includes(text) && isComplete());
      await capture(ms);
    },
    end: async ({ ms, expectedExitCode = 0 }) => {
      await waitFor('end', () => exitCode !== undefined);
      if (exitCode !== expectedExitCode) throw new Error(`exit code ${exitCode}:\n${screenText()}`);
      await write('');
      // A still picture ends with the output.
      if (ms !== undefined) await prompt();
      await capture(ms);
    },
    close: async () => {
      // The shell leads the process group of the program.
      if (exitCode === undefined) process.kill(-program.pid, 'SIGKILL');
    },
  };
}

/** Replaces the parts of an output that differ between machines. */
function replaceVariable(output, home) {
  return output.replaceAll(home, '/home/you').replace(process.versions.node, '24.11.0');
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
