import type { Clock } from '../clock.js';
import { drawBar } from '../format/bar.js';
import { formatNumber } from '../format/duration.js';
import type { SafeText } from '../format/safe-text.js';

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

interface SpinnerOptions {
  readonly stream: NodeJS.WriteStream;
  readonly text: () => SafeText;
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
    const spinner = ora({ ...options, stream, text: text() }).start();
    while (!stopped.signal.aborted) {
      await clock.sleep(1_000, stopped.signal).catch(() => {});
      spinner.text = text();
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

interface ProgressBarOptions {
  readonly stream: NodeJS.WriteStream;
  readonly total: number;
}

/** Draws a progress bar with text behind it. The cursor stays visible, since Ctrl-Z gives the terminal to the shell. */
export async function startProgressBar({ stream, total }: ProgressBarOptions): Promise<ProgressBar> {
  const { Presets, SingleBar } = await import('cli-progress');
  const format = (_: unknown, { value }: { value: number }, { line }: { line: (done: number) => string }) =>
    line(value);
  const bar = new SingleBar({ stream, format, hideCursor: false, clearOnComplete: true, fps: 5 }, Presets.legacy);
  const formatLine = (parts: readonly string[], isWaiting: boolean) => (done: number) =>
    formatProgress({ done, total, parts, isWaiting }, stream.columns || 80);
  bar.start(total, 0, { line: formatLine([], false) });
  return {
    isVisible: true,
    update: (done, parts, isWaiting = false) => bar.update(done, { line: formatLine(parts, isWaiting) }),
    stop: () => bar.stop(),
  };
}

interface Progress {
  readonly done: number;
  readonly total: number;
  readonly parts: readonly string[];
  readonly isWaiting: boolean;
}

/** Returns a progress bar with as many parts as fit into a line. The first part matters more than the bar in a wait. */
function formatProgress({ done, total, parts, isWaiting }: Progress, columns: number): string {
  // A terminal prints ^C behind the text. On a second row, it would not be erased.
  const fits = (line: string) => line.length < columns - '^C'.length;
  const join = (line: string, part: string) => (line === '' ? part : `${line} · ${part}`);
  const { filled, empty } = drawBar(done / total, columns >= 80 ? 20 : 10);
  const counts = `${formatNumber(done)} of ${formatNumber(total)}`;
  const starts = [`${filled}${empty} ${Math.floor((done / total) * 100)}% · ${counts}`, counts, ''];
  const required = isWaiting ? parts.slice(0, 1) : [];
  const start = starts.find((line) => fits(required.reduce(join, line))) ?? '';
  return parts.reduce((line, part) => (fits(join(line, part)) ? join(line, part) : line), start);
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
