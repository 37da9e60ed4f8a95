import { Presets, SingleBar } from 'cli-progress';
import { drawBar } from '../format/bar.js';
import { formatNumber } from '../format/duration.js';
import type { JobControl } from './job-control.js';
import type { ProgressBar } from './progress.js';

/** Erases a progress bar that is not stopped, and shows the cursor and wraps lines again. */
const progressBarReset = '\r\u001b[K\u001b[?7h\u001b[?25h';

const barWidth = 20;

export interface ProgressBarOptions {
  readonly stream: NodeJS.WriteStream;
  readonly total: number;
  readonly jobControl: JobControl;
  /** Writes text if the process crashes. Returns a function that unsubscribes. */
  readonly writeOnCrash: (text: string) => () => void;
}

/** Draws a progress bar with text behind it, but not while the process is in the background. */
export async function startProgressBar(options: ProgressBarOptions): Promise<ProgressBar> {
  const { stream, total, jobControl } = options;
  const release = options.writeOnCrash(progressBarReset);
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
  let shown: readonly [done: number, payload: object] = [0, { text: '' }];
  let isDrawn = false;
  let isStopped = false;
  const draw = () => {
    if (isStopped || isDrawn) return;
    isDrawn = true;
    bar.start(total, ...shown);
  };
  const erase = () => {
    if (isDrawn) bar.stop();
    isDrawn = false;
  };
  const drawInForeground = async () => {
    if (!isDrawn && (await jobControl.isForeground())) draw();
  };
  const remove = jobControl.add({ suspend: erase, resume: draw });
  await drawInForeground();
  return {
    isVisible: true,
    update: (done, parts) => {
      const percentage = Math.floor((done / total) * 100);
      const counts = ` ${percentage}% · ${formatNumber(done)} of ${formatNumber(total)}`;
      // The last column stays free for the cursor.
      const width = (stream.columns || 80) - barWidth - 1;
      const text = parts.reduce((line, part) => {
        const longer = `${line} · ${part}`;
        return longer.length > width ? line : longer;
      }, counts);
      shown = [done, { text }];
      if (isDrawn) bar.update(...shown);
      else void drawInForeground();
    },
    stop: () => {
      erase();
      isStopped = true;
      remove();
      release();
    },
  };
}
