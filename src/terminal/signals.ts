import { writeSync } from 'node:fs';
import { Failure, signalExitCodes } from '../failure.js';

/** The process that signals come to: its events, and its end. */
export type ProcessHandle = Pick<NodeJS.Process, 'on' | 'off' | 'exit' | 'kill' | 'pid'>;

export interface Signals {
  /** Aborted with a `Failure` (canceled) by a signal that comes while something is held. */
  readonly signal: AbortSignal;
  /** From now on until what it returns is called, signals abort `signal` in place of the process. */
  readonly deferSignals: () => () => void;
}

/**
 * While something is held (an exchange, a question, a service that runs) a signal ends it in order, and a
 * second one at once. At any other time a signal does what it does to every process.
 */
export function catchSignals(running: ProcessHandle): Signals {
  const aborter = new AbortController();
  const onSignal = (signal: TerminationSignal) => {
    if (aborter.signal.aborted) running.exit(signalExitCodes[signal]);
    const message = `ended by ${signal}`;
    aborter.abort(new Failure('canceled', { code: 'cancelled', message, signal }));
  };
  let held = 0;
  return {
    signal: aborter.signal,
    deferSignals: () => {
      held += 1;
      if (held === 1) for (const signal of terminationSignals) running.on(signal, onSignal);
      let isHeld = true;
      return () => {
        // Whoever ends a thing twice, as a file that is committed and then abandoned, let go of it once.
        if (!isHeld) return;
        isHeld = false;
        held -= 1;
        if (held === 0) for (const signal of terminationSignals) running.off(signal, onSignal);
      };
    },
  };
}

const terminationSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
type TerminationSignal = (typeof terminationSignals)[number];

/** Writes to the terminal before anything else does where the process ends otherwise than in order. */
export function writeOnCrash(running: ProcessHandle, text: string): () => void {
  let isWritten = false;
  const write = () => {
    // Whoever leaves a screen twice gets a cursor where it was long ago.
    if (!isWritten) writeSync(2, text);
    isWritten = true;
  };
  // Nothing of Node.js comes after this signal, which is for who gives up on a program.
  const quit = () => running.exit(signalExitCodes.SIGQUIT);
  running.on('uncaughtExceptionMonitor', write).on('exit', write).on('SIGQUIT', quit);
  return () => {
    running.off('uncaughtExceptionMonitor', write).off('exit', write).off('SIGQUIT', quit);
  };
}

/** Does this where the process was stopped and goes on, until what it returns is called. */
export function onResume(running: ProcessHandle, act: () => void): () => void {
  running.on('SIGCONT', act);
  return () => void running.off('SIGCONT', act);
}

/** What has the terminal deals with Ctrl-C itself; what else ends the process ends it first. */
export function forwardSignals(
  running: ProcessHandle,
  pager: { kill(signal: NodeJS.Signals): void },
): () => void {
  let ended: TerminationSignal | undefined;
  const ignore = () => {};
  const end = (signal: TerminationSignal) => {
    if (ended) running.exit(signalExitCodes[signal]);
    ended = signal;
    pager.kill(signal);
  };
  running.on('SIGINT', ignore).on('SIGTERM', end).on('SIGHUP', end);
  return () => {
    running.off('SIGINT', ignore).off('SIGTERM', end).off('SIGHUP', end);
    if (ended) running.kill(running.pid, ended);
  };
}
