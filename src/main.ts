import { setMaxListeners } from 'node:events';
import { writeSync } from 'node:fs';
import { constants, homedir, hostname, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { run } from './cli/run.js';
import { nouns } from './commands/index.js';
import { systemClock } from './local/clock.js';
import { Failure } from './ports/failure.js';
import type { Terminal } from './ports/terminal.js';
import { openAsk } from './terminal/ask.js';
import { noBar, startBar, startWait } from './terminal/progress.js';
import { createRedactor } from './terminal/redact.js';
import { openDescriptor, openInput } from './terminal/streams.js';
import { createStyle, wantsColor } from './terminal/style.js';
import type { World } from './wiring/world.js';

const { version } = packageJson;

/** Runs the command line of this process, and sets its exit code once everything is written. */
export async function main(): Promise<void> {
  const { env } = process;
  const redactor = createRedactor();
  const columns = Number(env.COLUMNS) || undefined;
  let isBuffered = false;
  const buffered = (name: 'stdout' | 'stderr') => () => {
    isBuffered = true;
    return process[name];
  };
  const terminal: Terminal = {
    stdout: openDescriptor(1, buffered('stdout'), { columns }),
    stderr: openDescriptor(2, buffered('stderr'), {
      columns,
      essential: false,
      filter: redactor.redact,
    }),
    get stdin() {
      return openInput(process.stdin);
    },
    get redraws() {
      return terminal.stderr.isTerminal && env.TERM !== 'dumb' && !env.CI;
    },
    wait: (text) =>
      terminal.redraws ? startWait(process.stderr, text, systemClock) : { stop: async () => {} },
    bar: async (total) => (terminal.redraws ? startBar(process.stderr, total) : noBar),
    ask: ({ allowed, color, ...options }) =>
      openAsk({
        ...options,
        possible: allowed && process.stdin.isTTY === true && terminal.stderr.isTerminal,
        color: wantsColor({ mode: color, isTerminal: terminal.stderr.isTerminal, env }),
        stdin: process.stdin,
        stderr: process.stderr,
        onResume,
      }),
    screen: async ({ allowed, color, ...options }) => {
      const { openScreen } = await import('./terminal/screen.js');
      return openScreen({
        ...options,
        possible: allowed && process.stdin.isTTY === true && terminal.stderr.isTerminal,
        stdin: process.stdin,
        stderr: process.stderr,
        clock: systemClock,
        env,
        style: () => terminal.style('stderr', color),
        atCrash,
        onResume,
      });
    },
    page: async (page) => {
      const { showPage } = await import('./terminal/pager.js');
      const manual = join(import.meta.dirname, '../man');
      const { stdout } = terminal;
      const paged = stdout.isTerminal && env.TERM !== 'dumb' && !env.CI;
      return showPage(page, { manual, env, stdout, paged, holdFor });
    },
    style: (stream, mode) => createStyle({ mode, isTerminal: terminal[stream].isTerminal, env }),
  };
  const words = process.argv.slice(2);
  hushExperiments();
  process.exitCode = await run(words, {
    version,
    nouns,
    terminal,
    clock: systemClock,
    preferredOutput: env.PETSTORE_OUTPUT,
    openJq: async (program) => {
      const { openJq } = await import('./terminal/jq.js');
      const thread = join(import.meta.dirname, '../bin/jq.js');
      return openJq(program, { thread, clock: systemClock });
    },
    open: async (flags, options) => {
      const { openSession } = await import('./wiring/session.js');
      return openSession(flags, {
        env,
        home: homeDirectory(),
        platform: process.platform,
        clock: systemClock,
        random: Math.random,
        holder: { pid: process.pid, host: hostname(), lives },
        userId: process.getuid?.(),
        nodeVersion: process.versions.node,
        version,
        terminal,
        redactor,
        ...catchSignals(),
        ...options,
      });
    },
  });
  // Node.js takes its time to end by itself; what is written past its streams has been written.
  if (!isBuffered) process.exit();
}

/** Node.js 22 and the first 24 say on stderr that their SQLite is experimental; all else is still said. */
function hushExperiments(): void {
  const listeners = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning') return;
    for (const listener of listeners) listener(warning);
  });
}

/**
 * While something is held (an exchange, a question, a service that runs) a signal ends it in order, and a
 * second one at once. At any other time a signal does what it does to every process.
 */
function catchSignals(): Pick<World, 'signal' | 'hold'> {
  const controller = new AbortController();
  // An import has many requests that wait at once.
  setMaxListeners(0, controller.signal);
  const onSignal = (signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP') => {
    if (controller.signal.aborted) process.exit(128 + constants.signals[signal]);
    const message = `ended by ${signal}`;
    controller.abort(new Failure('cancelled', { code: 'cancelled', message, signal }));
  };
  let held = 0;
  return {
    signal: controller.signal,
    hold: () => {
      held += 1;
      if (held === 1) for (const signal of signals) process.on(signal, onSignal);
      let isHeld = true;
      return () => {
        // Whoever ends a thing twice, as a file that is committed and then abandoned, let go of it once.
        if (!isHeld) return;
        isHeld = false;
        held -= 1;
        if (held === 0) for (const signal of signals) process.off(signal, onSignal);
      };
    },
  };
}

/** Writes to the terminal before anything else does where this process ends otherwise than in order. */
function atCrash(text: string): () => void {
  let isWritten = false;
  const write = () => {
    // Whoever leaves a screen twice gets a cursor where it was long ago.
    if (!isWritten) writeSync(2, text);
    isWritten = true;
  };
  // Nothing of Node.js comes after this signal, which is for who gives up on a program.
  const quit = () => process.exit(128 + constants.signals.SIGQUIT);
  process.on('uncaughtExceptionMonitor', write).on('exit', write).on('SIGQUIT', quit);
  return () => {
    process.off('uncaughtExceptionMonitor', write).off('exit', write).off('SIGQUIT', quit);
  };
}

/** Does this where the process was stopped and goes on, until what it returns is called. */
function onResume(act: () => void): () => void {
  process.on('SIGCONT', act);
  return () => void process.off('SIGCONT', act);
}

/** What has the terminal deals with Ctrl-C itself; what else ends this process ends it first. */
function holdFor(pager: { kill(signal: NodeJS.Signals): void }): () => void {
  let ended: 'SIGTERM' | 'SIGHUP' | undefined;
  const ignore = () => {};
  const end = (signal: 'SIGTERM' | 'SIGHUP') => {
    if (ended) process.exit(128 + constants.signals[signal]);
    ended = signal;
    pager.kill(signal);
  };
  process.on('SIGINT', ignore).on('SIGTERM', end).on('SIGHUP', end);
  return () => {
    process.off('SIGINT', ignore).off('SIGTERM', end).off('SIGHUP', end);
    if (ended) process.kill(process.pid, ended);
  };
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The home directory, or nothing where the system knows none. */
function homeDirectory(): string | undefined {
  try {
    // An empty HOME must not put keys into the current directory.
    return isAbsolute(homedir()) ? homedir() : userInfo().homedir;
  } catch {
    return undefined;
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
