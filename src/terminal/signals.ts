import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import type { Clock } from '../clock.js';
import { Failure, signalExitCodes } from '../failure.js';

/** The part of `process` that handles signals and exits. */
export type ProcessHandle = Pick<
  NodeJS.Process,
  'on' | 'once' | 'off' | 'listeners' | 'removeAllListeners' | 'emit' | 'exit' | 'kill' | 'pid' | 'platform'
>;

/** A process whose exit prints a message on a terminal. */
type MainProcess = ProcessHandle & { readonly stderr: { readonly isTTY?: boolean } };

export interface Signals {
  /** Aborted with a `Failure` (canceled) by the first termination signal. The second one ends the process. */
  readonly signal: AbortSignal;
  /** Lets the end of the process wait for work that needs more than two seconds after a signal. */
  readonly holdEnd: (work: Promise<unknown>) => void;
  /** Rejects with the reason of the signal two seconds after it, or after the work that was held then has settled. */
  readonly forcedEnd: Promise<never>;
  /**
   * Imports a module and removes its listeners for termination signals. conf loads when-exit, which sends each signal to
   * this process again: one Ctrl-C would count as two.
   */
  readonly importWithoutListeners: <Module>(load: () => Promise<Module>) => Promise<Module>;
}

interface ProcessSignals extends Signals {
  /** Leaves Ctrl-C to a program on the same terminal until the returned function is called. */
  readonly leaveInterrupts: () => () => void;
  /** Closes the terminal at the exit, after the present listeners. */
  readonly closeTerminalOnExit: () => void;
}

/** A request in flight takes up to one second of it. */
const endGraceMs = 2_000;

const terminationSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type TerminationSignal = (typeof terminationSignals)[number];

/**
 * Lets the first termination signal shut down gracefully, and the second one exit at once, except SIGHUP: it follows
 * other signals at a logout, and the shell and the kernel both send it if the terminal is closed.
 */
export function catchSignals(host: MainProcess, clock: Clock): ProcessSignals {
  const aborter = new AbortController();
  const held: Promise<unknown>[] = [];
  let first: TerminationSignal | undefined;
  let end: (reason: Failure) => void = () => {};
  const forcedEnd = new Promise<never>((_, reject) => {
    end = reject;
  });
  forcedEnd.catch(() => {});
  const onSignal = (signal: TerminationSignal) => {
    if (first) {
      if (signal !== 'SIGHUP') exitAtOnce(host, signal);
      return;
    }
    first = signal;
    const message = signal === 'SIGINT' ? 'canceled' : `terminated by ${signal}`;
    const reason = new Failure('canceled', { code: 'cancelled', message, signal });
    aborter.abort(reason);
    // After the held work, the command needs the same time to end.
    void Promise.allSettled(held)
      .then(() => clock.sleep(endGraceMs))
      .then(() => end(reason));
  };
  for (const signal of terminationSignals) host.on(signal, onSignal);
  return {
    signal: aborter.signal,
    holdEnd: (work) => void held.push(work),
    forcedEnd,
    closeTerminalOnExit: () => closeTerminalOnExit(host, first),
    leaveInterrupts: () => {
      const ignore = () => {};
      host.on('SIGINT', ignore).off('SIGINT', onSignal);
      return () => void host.on('SIGINT', onSignal).off('SIGINT', ignore);
    },
    importWithoutListeners: async (load) => {
      const earlier = terminationSignals.flatMap((signal) => host.listeners(signal));
      const module = await load();
      for (const signal of terminationSignals) {
        for (const listener of host.listeners(signal) as (() => void)[]) {
          if (!earlier.includes(listener)) host.off(signal, listener);
        }
      }
      return module;
    },
  };
}

function exitAtOnce(host: MainProcess, signal: TerminationSignal): void {
  // Last, because other listeners erase progress and restore the cursor.
  host.on('exit', () => {
    if (!host.stderr.isTTY) return;
    try {
      writeSync(2, `\r\u001b[K${signal === 'SIGINT' ? 'Canceled' : `Terminated by ${signal}`}.\n`);
    } catch {
      // The terminal is gone.
    }
  });
  closeTerminalOnExit(host, signal);
  host.exit(signalExitCodes[signal]);
}

/**
 * Closes the terminal at the exit, after the present listeners. Otherwise, Node.js and Bun set it to the modes that it had
 * at the start, although the shell or the next program of the pipeline, such as fzf, may have changed them since. Node.js
 * even aborts if the terminal is gone. petstore has restored its own changes.
 *
 * After `signal` SIGINT on a terminal, the process ends by that signal: shells stop a loop only then.
 */
function closeTerminalOnExit(host: MainProcess, signal?: NodeJS.Signals): void {
  if (host.platform === 'win32') return;
  host.on('exit', (code) => {
    const isInterrupted = signal === 'SIGINT' && code === signalExitCodes.SIGINT && host.stderr.isTTY;
    try {
      // This process may be the only one that has the terminal open, which would then hang up before the exit.
      openSync('/dev/tty', 'r');
    } catch {
      // No terminal controls this process, or it is gone.
    }
    try {
      // `isatty` would load node:tty.
      for (const fd of [0, 1, 2]) if (fstatSync(fd).isCharacterDevice()) closeSync(fd);
    } catch {
      // A stream is closed already.
    }
    if (isInterrupted) host.removeAllListeners('SIGINT').kill(host.pid, 'SIGINT');
  });
}
