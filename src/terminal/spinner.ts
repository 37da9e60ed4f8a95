import ora from 'ora';
import type { Clock } from '../clock.js';
import { displayWidth, wrapToWidth } from '../format/display-width.js';
import type { SafeText } from '../format/safe-text.js';
import type { JobControl } from './job-control.js';
import { countRows, cutLines, eraseBelow, wrapLines } from './record-drawing.js';

/** Pauses of a spinner, which may start before it is drawn. */
export interface SpinnerPauses {
  isPaused: boolean;
  onPause?: () => void;
  /** Resolves once the caller may pause again. */
  onResume?: () => Promise<void>;
}

export interface SpinnerOptions {
  readonly stream: NodeJS.WriteStream;
  readonly text: () => SafeText;
  readonly clock: Clock;
  readonly openJobControl: () => Promise<JobControl>;
  readonly pauses: SpinnerPauses;
}

/** The time in which the reader of stdout prints after a pause. */
const resumeDelayMs = 100;
const maxHiddenMs = 600;
const minVisibleMs = 100;

/** Draws a spinner until `stopped` is aborted, but neither during pauses nor while the process is in the background. */
export async function drawSpinner(
  { stream, text, clock, openJobControl, pauses }: SpinnerOptions,
  stopped: AbortSignal,
): Promise<void> {
  const jobControl = await openJobControl();
  if (stopped.aborted) return;
  // The caller has checked that the terminal can redraw; by default, ora would check the environment again.
  const spinner = ora({ stream, color: false, discardStdin: false, isEnabled: true });
  let lines: readonly string[] = [];
  let isForeground = false;
  let lastVisibleAt = 0;
  let pauseEnd = 0;
  const refreshText = () => {
    // Some terminals report 0 columns, and ora would then clear lines forever.
    stream.columns ||= 80;
    // The frame takes two columns.
    lines = wrapToWidth(text(), Math.max(1, stream.columns - 2));
    spinner.text = cutLines + lines.join('\n  ') + wrapLines;
  };
  const start = () => {
    refreshText();
    if (isForeground && !pauses.isPaused && clock.now() >= pauseEnd && !stopped.aborted) spinner.start();
  };
  const stop = () => {
    // Stopping a spinner that is not drawn would erase a line of the shell.
    if (!spinner.isSpinning) return;
    spinner.stop();
    lastVisibleAt = clock.now();
  };
  const sleep = (ms: number) => clock.sleep(ms, stopped).catch(() => {});
  const startAfterPause = async () => {
    const now = clock.now();
    pauseEnd = now + resumeDelayMs;
    const starting = sleep(resumeDelayMs).then(start);
    if (now - lastVisibleAt < maxHiddenMs || !isForeground) return;
    await starting;
    await sleep(minVisibleMs);
  };
  const onResize = () => {
    const drawnLines = lines.map((line) => `  ${line}`);
    refreshText();
    const rowsAbove = countRows(drawnLines, stream.columns, displayWidth) - drawnLines.length;
    // Before other output, ora erases one row for each line. After output that ends a line, it draws again.
    if (spinner.isSpinning) stream.write(`${eraseBelow(rowsAbove)}\r`);
  };
  stream.on('resize', onResize);
  const remove = jobControl.add({
    suspend: () => {
      isForeground = false;
      stop();
    },
    resume: () => {
      isForeground = true;
      start();
    },
  });
  Object.assign(pauses, { onPause: stop, onResume: startAfterPause });
  stopped.addEventListener('abort', stop, { once: true });
  while (!stopped.aborted) {
    isForeground ||= await jobControl.isForeground();
    if (!spinner.isSpinning) start();
    await sleep(1_000);
    refreshText();
  }
  remove();
  stream.off('resize', onResize);
}
