import ora from 'ora';
import type { Clock } from '../clock.js';
import { displayWidth, wrapToWidth } from '../format/display-width.js';
import type { SafeText } from '../format/safe-text.js';
import type { JobControl } from './job-control.js';
import { countRows, cutLines, eraseBelow, wrapLines } from './record-drawing.js';

/** Changes before the spinner is drawn, too. */
export interface SpinnerPause {
  isPaused: boolean;
  onChange?: () => void;
}

export interface SpinnerOptions {
  readonly stream: NodeJS.WriteStream;
  readonly text: () => SafeText;
  readonly clock: Clock;
  readonly jobControl: JobControl;
  readonly pause: SpinnerPause;
}

/** How long the reader of stdout may print after a pause, in milliseconds. */
const printingMs = 100;
/** In milliseconds. Short requests would hide the line forever: after this time, it is shown even if the reader prints. */
const maxHiddenMs = 600;
const minShownMs = 300;

/** Draws a spinner until `stopped` is aborted, but neither in pauses nor while the process is in the background. */
export async function drawSpinner(
  { stream, text, clock, jobControl, pause }: SpinnerOptions,
  stopped: AbortSignal,
): Promise<void> {
  // The caller has checked that the terminal can redraw; by default, ora would check the environment again.
  const spinner = ora({ stream, color: false, discardStdin: false, isEnabled: true });
  let lines: readonly string[] = [];
  let shownAt = clock.now();
  let hiddenUntil = 0;
  let shownUntil = 0;
  const refreshText = () => {
    // Some terminals report 0 columns, and ora would then clear lines forever.
    stream.columns ||= 80;
    // The frame takes two columns.
    lines = wrapToWidth(text(), Math.max(1, stream.columns - 2));
    spinner.text = cutLines + lines.join('\n  ') + wrapLines;
  };
  const start = () => {
    refreshText();
    if (!stopped.aborted && !pause.isPaused && clock.now() >= hiddenUntil) spinner.start();
  };
  // Stopping a spinner that is not drawn would erase a line of the shell.
  const stop = () => void (spinner.isSpinning && spinner.stop());
  const startInForeground = async () => {
    if (!spinner.isSpinning && (await jobControl.isForeground())) start();
  };
  const stopIfPaused = () => {
    if (pause.isPaused) stop();
  };
  const sleep = (ms: number) => clock.sleep(ms, stopped).catch(() => {});
  pause.onChange = () => {
    const now = clock.now();
    if (spinner.isSpinning) shownAt = now;
    if (now < shownUntil) {
      if (pause.isPaused) void sleep(shownUntil - now).then(stopIfPaused);
      return;
    }
    if (pause.isPaused) return stop();
    if (now - shownAt <= maxHiddenMs) hiddenUntil = now + printingMs;
    else shownUntil = now + minShownMs;
    // A timer may be a millisecond early.
    void sleep(Math.max(0, hiddenUntil - now) + 1).then(startInForeground);
  };
  const onResize = () => {
    const drawnLines = lines.map((line) => `  ${line}`);
    refreshText();
    const rowsAbove = countRows(drawnLines, stream.columns, displayWidth) - drawnLines.length;
    // Before other output, ora erases one row for each line. After output that ends a line, it draws again.
    if (spinner.isSpinning) stream.write(`${eraseBelow(rowsAbove)}\r`);
  };
  stream.on('resize', onResize);
  const remove = jobControl.add({ suspend: stop, resume: start });
  stopped.addEventListener('abort', stop, { once: true });
  while (!stopped.aborted) {
    await startInForeground();
    await sleep(1_000);
    refreshText();
  }
  remove();
  stream.off('resize', onResize);
}
