import { Presets, SingleBar } from 'cli-progress';
import { drawBar } from '../format/bar.js';
import { formatNumber } from '../format/duration.js';
import type { ProgressBar } from './progress.js';
import { eraseBelow } from './redraw.js';

const saveCursor = '\u001b7';

const minBarWidth = 5;

/** Returns the width of the bar. In a narrow terminal it leaves space for the text. */
function chooseBarWidth(columns: number): number {
  return columns >= 80 ? 20 : columns >= 40 ? 10 : minBarWidth;
}

export interface ProgressBarOptions {
  readonly stream: NodeJS.WriteStream;
  readonly total: number;
}

interface Payload {
  readonly parts: readonly string[];
  readonly isWaiting: boolean;
}

/**
 * Draws a progress bar with text behind it. The cursor stays visible and the terminal wraps lines, since Ctrl-Z gives the
 * terminal to the shell.
 */
export function startProgressBar({ stream, total }: ProgressBarOptions): ProgressBar {
  const columns = () => stream.columns || 80;
  // A terminal prints ^C behind the text. On a second row, it would not be erased.
  const textColumns = () => columns() - '^C'.length;
  let drawnWidth = 0;
  const format = (_: unknown, { value }: { value: number }, { parts, isWaiting }: Payload) => {
    const counts = `${formatNumber(value)} of ${formatNumber(total)}`;
    const start = ` ${Math.floor((value / total) * 100)}% · ${counts}`;
    const wait = isWaiting ? parts[0] : undefined;
    const startWithWait = wait === undefined ? start : `${start} · ${wait}`;
    const width = chooseBarWidth(columns());
    const barWidth = [width, minBarWidth].find((size) => size + startWithWait.length < textColumns());
    // The reason for a wait matters more than the bar.
    const short = wait && [`${counts} · ${wait}`, wait].find((line) => line.length < textColumns());
    if (barWidth === undefined && short !== undefined) {
      drawnWidth = short.length;
      return short;
    }
    const { filled, empty } = drawBar(value / total, barWidth ?? width);
    const text = appendParts(start, parts, textColumns() - filled.length - empty.length);
    drawnWidth = filled.length + empty.length + text.length;
    // Without colors: with `linewrap`, cli-progress would cut the line by the length of the escape sequences.
    return filled + empty + text;
  };
  // Without `forceRedraw`, a line that a resize erased is drawn again only after its text has changed.
  const bar = new SingleBar(
    { stream, format, forceRedraw: true, hideCursor: false, linewrap: true, clearOnComplete: true, fps: 5 },
    Presets.legacy,
  );
  const onResize = () => {
    // Most terminals wrap the line of the old width.
    stream.write(eraseBelow(Math.ceil(drawnWidth / columns()) - 1));
    bar.render();
  };
  stream.on('resize', onResize);
  bar.start(total, 0, { parts: [], isWaiting: false });
  return {
    isVisible: true,
    update: (done, parts, isWaiting = false) => bar.update(done, { parts, isWaiting }),
    stop: () => {
      stream.off('resize', onResize);
      // `stop` returns to the saved cursor position, which a resize invalidates.
      stream.write(saveCursor);
      bar.stop();
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
