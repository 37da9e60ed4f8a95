import type { Clock } from '../clock.js';
import type { SafeText } from '../format/safe-text.js';
import type { SpinnerOptions } from './spinner.js';
export interface Spinner {
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

/**
 * Starts a spinner that appears after a short delay; its text is refreshed every second. Typed keys are echoed: in a
 * pipeline, turning the echo off would change the modes that another program, such as less, sets.
 */
export function startSpinner(options: SpinnerOptions): Spinner {
  const stopped = new AbortController();
  const spinning = spin(options, stopped.signal);
  return {
    stop: async () => {
      stopped.abort();
      await spinning;
    },
  };
}

const spinnerDelayMs = 400;

async function spin(options: SpinnerOptions, stopped: AbortSignal): Promise<void> {
  try {
    await options.clock.sleep(spinnerDelayMs, stopped);
  } catch {
    return;
  }
  const { drawSpinner } = await import('./spinner.js');
  if (!stopped.aborted) await drawSpinner(options, stopped);
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
