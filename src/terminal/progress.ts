import type { Clock } from '../clock.js';
import type { SafeText } from '../format/safe-text.js';
import type { JobControl } from './job-control.js';
import type { SpinnerPause } from './spinner.js';

export interface Spinner {
  /**
   * Erases the line, since the reader of stdout may print to the same terminal, or draws it again after a moment, in which
   * the reader prints. Missing if no line is drawn.
   */
  setPaused?(isPaused: boolean): void;
  /** Resolves once the line is erased. */
  stop(): Promise<void>;
}

export interface ProgressBar {
  /** False if nothing is drawn: print lines instead. */
  readonly isVisible: boolean;
  /** Draws the parts that fit into a line, the most important ones first. `isWaiting`: the first matters more than the bar. */
  update(done: number, parts: readonly SafeText[], isWaiting?: boolean): void;
  stop(): void;
}

export interface SpinnerStart {
  readonly stream: NodeJS.WriteStream;
  readonly text: () => SafeText;
  readonly clock: Clock;
  readonly openJobControl: () => Promise<JobControl>;
}

/**
 * Starts a spinner that appears after a short delay; its text is refreshed every second. Typed keys are echoed: in a
 * pipeline, turning the echo off would change the modes that another program, such as less, sets.
 */
export function startSpinner(options: SpinnerStart): Spinner {
  const stopped = new AbortController();
  const pause: SpinnerPause = { isPaused: false };
  const spinning = spin({ ...options, pause }, stopped.signal);
  return {
    setPaused: (isPaused) => {
      pause.isPaused = isPaused;
      pause.onChange?.();
    },
    stop: async () => {
      stopped.abort();
      await spinning;
    },
  };
}

const spinnerDelayMs = 400;

async function spin(
  { openJobControl, ...options }: SpinnerStart & { readonly pause: SpinnerPause },
  stopped: AbortSignal,
): Promise<void> {
  try {
    await options.clock.sleep(spinnerDelayMs, stopped);
  } catch {
    return;
  }
  const { drawSpinner } = await import('./spinner.js');
  const jobControl = await openJobControl();
  if (!stopped.aborted) await drawSpinner({ ...options, jobControl }, stopped);
}

/** Prints a line after one second and every 15 seconds after that: a spinner for screen readers. */
export function startPeriodicLines(
  write: (line: string) => Promise<void>,
  text: () => SafeText,
  clock: Clock,
): Spinner {
  const stopped = new AbortController();
  const print = async () => {
    for (let pauseMs = 1_000; !stopped.signal.aborted; pauseMs = 15_000) {
      await clock.sleep(pauseMs, stopped.signal).catch(() => {});
      if (!stopped.signal.aborted) await write(`${text()}\n`);
    }
  };
  void print();
  return { stop: async () => stopped.abort() };
}

/** A spinner for outputs that cannot redraw. */
export const hiddenSpinner: Spinner = { stop: async () => {} };

/** A progress bar for outputs that cannot redraw. */
export const hiddenProgressBar: ProgressBar = {
  isVisible: false,
  update: () => {},
  stop: () => {},
};
