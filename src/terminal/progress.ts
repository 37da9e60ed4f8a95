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
  /** Draws the parts that fit into a line, the most important ones first. */
  update(done: number, parts: readonly SafeText[]): void;
  stop(): void;
}

/** Starts a spinner that appears after a short delay; its text is refreshed every second. */
export function startSpinner(stream: NodeJS.WriteStream, text: () => SafeText, clock: Clock): Spinner {
  const stopped = new AbortController();
  const spinning = spin(stream, text, clock, stopped.signal);
  return {
    stop: async () => {
      stopped.abort();
      await spinning;
    },
  };
}

const spinnerDelayMs = 400;

async function spin(
  stream: NodeJS.WriteStream,
  text: () => SafeText,
  clock: Clock,
  stopped: AbortSignal,
): Promise<void> {
  try {
    await clock.sleep(spinnerDelayMs, stopped);
  } catch {
    return;
  }
  const { default: ora } = await import('ora');
  if (stopped.aborted) return;
  // Some terminals report 0 columns, and ora would then clear lines forever.
  const ensureWidth = () => {
    stream.columns ||= 80;
  };
  stream.on('resize', ensureWidth);
  ensureWidth();
  // The caller has checked that the terminal can redraw; by default, ora would check the environment again.
  const spinner = ora({ text: text(), stream, discardStdin: false, isEnabled: true }).start();
  stopped.addEventListener('abort', () => spinner.stop(), { once: true });
  while (!stopped.aborted) {
    await clock.sleep(1_000, stopped).catch(() => {});
    spinner.text = text();
  }
  stream.off('resize', ensureWidth);
}

/** Prints a line after 3 seconds and every 15 seconds after that: a spinner for screen readers. */
export function startPeriodicLines(
  write: (line: string) => Promise<void>,
  text: () => SafeText,
  clock: Clock,
): Spinner {
  const stopped = new AbortController();
  const print = async () => {
    for (let pauseMs = 3_000; !stopped.signal.aborted; pauseMs = 15_000) {
      await clock.sleep(pauseMs, stopped.signal).catch(() => {});
      if (!stopped.signal.aborted) await write(`${text()}\n`);
    }
  };
  void print();
  return { stop: async () => stopped.abort() };
}

/** Erases a progress bar that is not stopped, and shows the cursor and wraps lines again. */
export const progressBarReset = '\r\u001b[K\u001b[?7h\u001b[?25h';

const barWidth = 20;

/** Draws a progress bar with text behind it. */
export async function startProgressBar(stream: NodeJS.WriteStream, total: number): Promise<ProgressBar> {
  const { SingleBar, Presets } = await import('cli-progress');
  const bar = new SingleBar(
    {
      stream,
      format: '{bar}{text}',
      formatBar: (share) => {
        const { filled, empty } = drawBar(share, barWidth);
        return filled + empty;
      },
      hideCursor: true,
      clearOnComplete: true,
      fps: 5,
      etaBuffer: 1,
    },
    Presets.legacy,
  );
  bar.start(total, 0, { text: '' });
  return {
    isVisible: true,
    update: (done, parts) => {
      const percentage = Math.floor((done / total) * 100);
      const counts = ` ${percentage}% · ${formatNumber(done)} of ${formatNumber(total)}`;
      // The last column stays free for the cursor.
      const width = (stream.columns || 80) - barWidth - 1;
      const text = parts.reduce((shown, part) => {
        const longer = `${shown} · ${part}`;
        return longer.length > width ? shown : longer;
      }, counts);
      bar.update(done, { text });
    },
    stop: () => bar.stop(),
  };
}

/** A spinner for outputs that cannot redraw. */
export const hiddenSpinner: Spinner = { stop: async () => {} };

/** A progress bar for outputs that cannot redraw. */
export const hiddenProgressBar: ProgressBar = {
  isVisible: false,
  update: () => {},
  stop: () => {},
};
