import ora from 'ora';
import type { Clock } from '../clock.js';
import type { SafeText } from '../format/safe-text.js';
import { wrapMessage } from '../format/wrap-message.js';
import type { JobControl } from './job-control.js';

export interface SpinnerOptions {
  readonly stream: NodeJS.WriteStream;
  readonly text: () => SafeText;
  readonly clock: Clock;
  readonly jobControl: JobControl;
}

/** Draws a spinner until `stopped` is aborted, but not while the process is in the background. */
export async function drawSpinner(
  { stream, text, clock, jobControl }: SpinnerOptions,
  stopped: AbortSignal,
): Promise<void> {
  // Some terminals report 0 columns, and ora would then clear lines forever.
  const ensureWidth = () => {
    stream.columns ||= 80;
  };
  stream.on('resize', ensureWidth);
  ensureWidth();
  // The frame takes two columns.
  const wrapText = () => wrapMessage(text(), stream.columns, { first: '  ' }).trim();
  // The caller has checked that the terminal can redraw; by default, ora would check the environment again.
  const spinner = ora({ stream, color: false, discardStdin: false, isEnabled: true });
  const start = () => void (stopped.aborted || spinner.start(wrapText()));
  // Stopping a spinner that is not drawn would erase a line of the shell.
  const stop = () => void (spinner.isSpinning && spinner.stop());
  const remove = jobControl.add({ suspend: stop, resume: start });
  stopped.addEventListener('abort', stop, { once: true });
  while (!stopped.aborted) {
    if (!spinner.isSpinning && (await jobControl.isForeground())) start();
    await clock.sleep(1_000, stopped).catch(() => {});
    spinner.text = wrapText();
  }
  remove();
  stream.off('resize', ensureWidth);
}
