import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';
import { Failure, signalExitCodes } from '../failure.js';

/** The part of `process` that handles signals and exits. */
export type ProcessHandle = Pick<
  NodeJS.Process,
  'on' | 'off' | 'listeners' | 'removeAllListeners' | 'emit' | 'exit' | 'kill' | 'pid' | 'platform'
>;

/** A process whose exit prints a message on a terminal. */
type MainProcess = ProcessHandle & { readonly stderr: { readonly isTTY?: boolean } };

export interface Signals {
  /** Aborted with a `Failure` (canceled) by a signal that arrives while signals are deferred. */
  readonly signal: AbortSignal;
  /**
   * Makes signals abort `signal` instead of ending the process, until the returned function is called. A second signal runs
   * `cleanUp` and ends the process.
   */
  readonly deferSignals: (cleanUp?: () => void) => () => void;
  /** Ignores signals from now on: the process has to print how it ends, and then ends. */
  readonly ignoreSignals: () => void;
  /**
   * Imports a module and removes its listeners for termination signals. conf loads when-exit, which sends each signal to
   * this process again: one Ctrl-C would count as two.
   */
  readonly importWithoutListeners: <Module>(load: () => Promise<Module>) => Promise<Module>;
}

interface ProcessSignals extends Signals {
  /** Closes the terminal at the exit, after the present listeners. */
  readonly closeTerminalOnExit: () => void;
}

/**
 * Returns a signal that lets work in progress (a request, a prompt, a server) shut down gracefully. A second signal
 * exits at once, except SIGHUP: it follows other signals at a logout, and the shell and the kernel both send it if the
 * terminal is closed. While no work defers signals, a signal ends the process as usual.
 */
export function catchSignals(host: MainProcess): ProcessSignals {
  const aborter = new AbortController();
  const cleanUps = new Set<() => void>();
  let first: TerminationSignal | undefined;
  const onSignal = (signal: TerminationSignal) => {
    if (aborter.signal.aborted) {
      if (signal === 'SIGHUP') return;
      for (const cleanUp of cleanUps) cleanUp();
      // Last, because other listeners erase progress and restore the cursor.
      host.on('exit', () => {
        if (host.stderr.isTTY)
          writeAtExit(`\r\u001b[K${signal === 'SIGINT' ? 'Canceled' : `Terminated by ${signal}`}.\n`);
      });
      closeTerminalOnExit(host, signal);
      host.exit(signalExitCodes[signal]);
    }
    const message = signal === 'SIGINT' ? 'canceled' : `terminated by ${signal}`;
    first = signal;
    aborter.abort(new Failure('canceled', { code: 'cancelled', message, signal }));
  };
  let deferrals = 0;
  return {
    signal: aborter.signal,
    closeTerminalOnExit: () => closeTerminalOnExit(host, first),
    ignoreSignals: () => {
      for (const signal of terminationSignals) host.on(signal, () => {}).off(signal, onSignal);
    },
    importWithoutListeners: async (load) => {
      const earlier = terminationSignals.flatMap((signal) => host.listeners(signal));
      // Meanwhile, petstore must add no other listener: a pager or a server may not open during the import.
      const module = await load();
      for (const signal of terminationSignals) {
        for (const listener of host.listeners(signal) as (() => void)[]) {
          if (listener !== onSignal && !earlier.includes(listener)) host.off(signal, listener);
        }
      }
      return module;
    },
    deferSignals: (cleanUp) => {
      if (cleanUp) cleanUps.add(cleanUp);
      deferrals += 1;
      if (deferrals === 1) for (const signal of terminationSignals) host.on(signal, onSignal);
      let isDeferred = true;
      return () => {
        // Cleanup may run twice, for example if a file is committed and then discarded.
        if (!isDeferred) return;
        isDeferred = false;
        if (cleanUp) cleanUps.delete(cleanUp);
        deferrals -= 1;
        // A second signal must not end a canceled process before it has printed the cancellation.
        if (deferrals > 0 || aborter.signal.aborted) return;
        for (const signal of terminationSignals) host.off(signal, onSignal);
      };
    },
  };
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

const terminationSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type TerminationSignal = (typeof terminationSignals)[number];

/** Writes text to stderr if the process crashes or exits early. Returns a function that unsubscribes. */
export function writeOnCrash(host: MainProcess, text: string): () => void {
  let isWritten = false;
  const write = () => {
    // Leaving the alternate screen twice would restore an old cursor position.
    if (!isWritten) writeAtExit(text);
    isWritten = true;
  };
  // SIGQUIT emits no `exit` event by default.
  const quit = () => {
    closeTerminalOnExit(host);
    host.exit(signalExitCodes.SIGQUIT);
  };
  host.on('uncaughtExceptionMonitor', write).on('exit', write).on('SIGQUIT', quit);
  return () => {
    host.off('uncaughtExceptionMonitor', write).off('exit', write).off('SIGQUIT', quit);
  };
}

/** Writes text to stderr, unless the terminal was closed. */
function writeAtExit(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // The other listeners must run, too.
  }
}

/** Leaves Ctrl-C to a pager, and forwards other termination signals to it. Returns a function that unsubscribes. */
export function forwardSignals(host: ProcessHandle, pager: { kill(signal: NodeJS.Signals): void }): () => void {
  let received: TerminationSignal | undefined;
  const ignore = () => {};
  const end = (signal: TerminationSignal) => {
    if (received && signal !== 'SIGHUP') host.exit(signalExitCodes[signal]);
    received ??= signal;
    pager.kill(signal);
  };
  host.on('SIGINT', ignore).on('SIGTERM', end).on('SIGHUP', end);
  return () => {
    host.off('SIGINT', ignore).off('SIGTERM', end).off('SIGHUP', end);
    if (received) host.kill(host.pid, received);
  };
}
