import { Presets, SingleBar } from 'cli-progress';
import { drawBar } from '../format/bar.js';
import { formatNumber } from '../format/duration.js';
import type { JobControl } from './job-control.js';
import type { ProgressBar } from './progress.js';

/** Erases a progress bar that is not stopped, and shows the cursor and wraps lines again. */
const progressBarReset = '\r\u001b[K\u001b[?7h\u001b[?25h';

/** Returns the width of the bar. In a narrow terminal it leaves space for the text. */
function chooseBarWidth(columns: number): number {
  return columns >= 80 ? 20 : columns >= 40 ? 10 : 5;
}

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
  const columns = () => stream.columns || 80;
  const bar = new SingleBar(
    {
      stream,
      format: '{bar}{text}',
      formatBar: (share) => {
        const { filled, empty } = drawBar(share, chooseBarWidth(columns()));
        return filled + empty;
      },
      hideCursor: true,
      clearOnComplete: true,
      fps: 5,
      etaBuffer: 1,
    },
    Presets.legacy,
  );
  let shown: readonly [done: number, payload: { readonly text: string }] = [0, { text: '' }];
  let drawnWidth = 0;
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
  const onResize = () => {
    if (!isDrawn) return;
    // Most terminals wrap the line of the old width.
    const rows = Math.ceil(drawnWidth / columns());
    stream.write(`\r${rows > 1 ? `\u001b[${rows - 1}A` : ''}\u001b[J`);
    drawnWidth = 0;
    shown = [shown[0], { text: '' }];
    bar.update(...shown);
  };
  stream.on('resize', onResize);
  const remove = jobControl.add({ suspend: erase, resume: draw });
  await drawInForeground();
  return {
    isVisible: true,
    update: (done, parts) => {
      const percentage = Math.floor((done / total) * 100);
      const counts = ` ${percentage}% · ${formatNumber(done)} of ${formatNumber(total)}`;
      // The last column stays free for the cursor.
      const width = columns() - chooseBarWidth(columns()) - 1;
      const text = parts.reduce((line, part) => {
        const longer = `${line} · ${part}`;
        return longer.length > width ? line : longer;
      }, counts);
      shown = [done, { text }];
      drawnWidth = chooseBarWidth(columns()) + text.length;
      if (isDrawn) bar.update(...shown);
      else void drawInForeground();
    },
    stop: () => {
      erase();
      isStopped = true;
      stream.off('resize', onResize);
      remove();
      release();
    },
  };
}
