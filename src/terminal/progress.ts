import type { Clock } from '../clock.js';
import type { SafeText } from '../format/safe-text.js';

export interface Spinner {
  /** Resolves once the line is erased. */
  stop(): Promise<void>;
}

/** Returns the text that is shown now. */
export type ProgressText = () => SafeText | Promise<SafeText>;

interface SpinnerOptions {
  readonly stream: NodeJS.WriteStream;
  readonly text: ProgressText;
  readonly clock: Clock;
}

const spinnerDelayMs = 400;

/**
 * Starts a spinner that appears after a short delay; its text is refreshed every second. The cursor stays visible, since
 * Ctrl-Z gives the terminal to the shell. Typed keys are echoed: in a pipeline, turning the echo off would change the
 * modes that another program, such as less, sets.
 */
export function startSpinner({ stream, text, clock }: SpinnerOptions): Spinner {
  const stopped = new AbortController();
  const spin = async () => {
    await clock.sleep(spinnerDelayMs, stopped.signal).catch(() => {});
    if (stopped.signal.aborted) return;
    const { default: ora } = await import('ora');
    // Some terminals report 0 columns, and ora would then clear lines forever.
    stream.columns ||= 80;
    // The caller has checked that the terminal can redraw; by default, ora would check the environment again.
    const options = { color: false, discardStdin: false, hideCursor: false, isEnabled: true } as const;
    const spinner = ora({ ...options, stream, text: await text() }).start();
    while (!stopped.signal.aborted) {
      await clock.sleep(1_000, stopped.signal).catch(() => {});
      spinner.text = await text();
    }
    spinner.stop();
  };
  const spinning = spin();
  return {
    stop: async () => {
      stopped.abort();
      await spinning;
    },
  };
}

/** Prints a line after one second and every 15 seconds after that: a spinner for screen readers. */
export function startPeriodicLines(write: (line: string) => Promise<void>, text: ProgressText, clock: Clock): Spinner {
  const stopped = new AbortController();
  const print = async () => {
    for (let pauseMs = 1_000; !stopped.signal.aborted; pauseMs = 15_000) {
      await clock.sleep(pauseMs, stopped.signal).catch(() => {});
      if (!stopped.signal.aborted) await write(`${await text()}\n`);
    }
  };
  void print();
  return { stop: async () => stopped.abort() };
}

/** A spinner for outputs that cannot redraw. */
export const hiddenSpinner: Spinner = { stop: async () => {} };
