import ora from 'ora';
import type { Clock } from '../clock.js';
import { displayWidth, wrapToWidth } from '../format/display-width.js';
import type { SafeText } from '../format/safe-text.js';
import { countRows, cutLines, eraseBelow, wrapLines } from './redraw.js';

export interface SpinnerOptions {
  readonly stream: NodeJS.WriteStream;
  readonly text: () => SafeText;
  readonly clock: Clock;
}

/** Draws a spinner until `stopped` is aborted. The cursor stays visible, since Ctrl-Z gives the terminal to the shell. */
export async function drawSpinner({ stream, text, clock }: SpinnerOptions, stopped: AbortSignal): Promise<void> {
  // The caller has checked that the terminal can redraw; by default, ora would check the environment again.
  const spinner = ora({ stream, color: false, discardStdin: false, hideCursor: false, isEnabled: true });
  let lines: readonly string[] = [];
  const refreshText = () => {
    // Some terminals report 0 columns, and ora would then clear lines forever.
    stream.columns ||= 80;
    // The frame takes two columns.
    lines = wrapToWidth(text(), Math.max(1, stream.columns - 2));
    spinner.text = cutLines + lines.join('\n  ') + wrapLines;
  };
  const onResize = () => {
    const drawnLines = lines.map((line) => `  ${line}`);
    refreshText();
    const rowsAbove = countRows(drawnLines, stream.columns, displayWidth) - drawnLines.length;
    // Before other output, ora erases one row for each line. After output that ends a line, it draws again.
    stream.write(`${eraseBelow(rowsAbove)}\r`);
  };
  refreshText();
  spinner.start();
  stream.on('resize', onResize);
  while (!stopped.aborted) {
    await clock.sleep(1_000, stopped).catch(() => {});
    refreshText();
  }
  stream.off('resize', onResize);
  spinner.stop();
}
