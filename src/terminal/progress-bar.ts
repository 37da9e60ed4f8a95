import { Presets, SingleBar } from 'cli-progress';
import { drawBar } from '../format/bar.js';
import { formatNumber } from '../format/duration.js';
import type { JobControl } from './job-control.js';
import type { Style } from './output.js';
import type { ProgressBar } from './progress.js';
import { eraseBelow } from './record-drawing.js';

/** Erases a progress bar that is not stopped, and shows the cursor and wraps lines again. */
const progressBarReset = '\r\u001b[K\u001b[?7h\u001b[?25h';

const saveCursor = '\u001b7';

const minBarWidth = 5;

/** Returns the width of the bar. In a narrow terminal it leaves space for the text. */
function chooseBarWidth(columns: number): number {
  return columns >= 80 ? 20 : columns >= 40 ? 10 : minBarWidth;
}

export interface ProgressBarOptions {
  readonly stream: NodeJS.WriteStream;
  readonly total: number;
  readonly style: Style;
  readonly jobControl: JobControl;
  /** Writes text if the process crashes. Returns a function that unsubscribes. */
  readonly writeOnCrash: (text: string) => () => void;
}

interface Payload {
  readonly parts: readonly string[];
  readonly isWaiting: boolean;
}

/** Draws a progress bar with text behind it, but not while the process is in the background. */
export async function startProgressBar(options: ProgressBarOptions): Promise<ProgressBar> {
  const { stream, total, style, jobControl } = options;
  const release = options.writeOnCrash(progressBarReset);
  const columns = () => stream.columns || 80;
  let drawnWidth = 0;
  const format = (_: unknown, { value }: { value: number }, { parts, isWaiting }: Payload) => {
    const counts = `${formatNumber(value)} of ${formatNumber(total)}`;
    const start = ` ${Math.floor((value / total) * 100)}% · ${counts}`;
    const wait = isWaiting ? parts[0] : undefined;
    const startWithWait = wait === undefined ? start : `${start} · ${wait}`;
    const width = chooseBarWidth(columns());
    const barWidth = [width, minBarWidth].find((size) => size + startWithWait.length < columns());
    // The reason for a wait matters more than the bar.
    const short = wait && [`${counts} · ${wait}`, wait].find((line) => line.length < columns());
    if (barWidth === undefined && short !== undefined) {
      drawnWidth = short.length;
      return short;
    }
    const { filled, empty } = drawBar(value / total, barWidth ?? width);
    const text = appendParts(start, parts, columns() - filled.length - empty.length);
    drawnWidth = filled.length + empty.length + text.length;
    return style.success(filled) + style.dim(empty) + text;
  };
  // Without `forceRedraw`, a line that a resize erased is drawn again only after its text has changed.
  const bar = new SingleBar(
    { stream, format, forceRedraw: true, hideCursor: true, clearOnComplete: true, fps: 5 },
    Presets.legacy,
  );
  let shown: readonly [done: number, payload: Payload] = [0, { parts: [], isWaiting: false }];
  let isDrawn = false;
  let isStopped = false;
  const draw = () => {
    if (isStopped || isDrawn) return;
    isDrawn = true;
    bar.start(total, ...shown);
  };
  const erase = () => {
    if (!isDrawn) return;
    isDrawn = false;
    // `stop` returns to the saved cursor position, which a resize invalidates.
    stream.write(saveCursor);
    bar.stop();
  };
  const drawInForeground = async () => {
    if (!isDrawn && (await jobControl.isForeground())) draw();
  };
  const onResize = () => {
    if (!isDrawn) return;
    // Most terminals wrap the line of the old width.
    stream.write(eraseBelow(Math.ceil(drawnWidth / columns()) - 1));
    bar.render();
  };
  stream.on('resize', onResize);
  const remove = jobControl.add({ suspend: erase, resume: draw });
  await drawInForeground();
  return {
    isVisible: true,
    update: (done, parts, isWaiting = false) => {
      shown = [done, { parts, isWaiting }];
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

/** Returns the text with as many parts as fit. The last column stays free for the cursor. */
function appendParts(text: string, parts: readonly string[], columns: number): string {
  return parts.reduce((line, part) => {
    const longer = `${line} · ${part}`;
    return longer.length < columns ? longer : line;
  }, text);
}
