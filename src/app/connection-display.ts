import type { OnWait } from '../client/with-quota.js';
import type { RetryOptions } from '../client/with-retries.js';
import type { Clock } from '../clock.js';
import type { Settings } from '../config/settings.js';
import { formatDuration } from '../format/duration.js';
import { type SafeText, toSafeText } from '../format/safe-text.js';
import type { Terminal } from '../terminal/terminal.js';
import type { CommandTerminal } from './command-terminal.js';

/** Ends what a display has started. */
type Stop = () => void | Promise<void>;

/** Where a connection shows what it waits for, its warnings and its trace. */
export interface ConnectionDisplay {
  readonly warn: (text: string) => void;
  /** Prints a line about a request or response. */
  readonly trace: (line: string) => void;
  /** Shows a wait that ends at `until`, and its reason: `for the quota`. */
  readonly countDown: (until: number, reason: string) => Stop;
  /** Shows work whose end is unknown. */
  readonly start: (text: string) => Stop;
}

const none: Stop = () => {};

/** Returns the display on stderr: a line that is redrawn, or for a wait a line that stays. */
export function createDisplay(
  { canRedraw, startSpinner }: Terminal,
  { quiet, verbose }: Settings,
  terminal: CommandTerminal,
  clock: Clock,
): ConnectionDisplay {
  const redraw = (text: () => SafeText, until?: number) =>
    terminal.showWait({ text, until }) ?? startSpinner(text).stop;
  let waitCount = 0;
  return {
    warn: terminal.warn,
    trace: terminal.errorLine,
    countDown: (until, reason) => {
      const text = () => toSafeText(`Waiting ${formatDuration(until - clock.now())} ${reason}`);
      if (quiet) return none;
      if (canRedraw && !verbose) return redraw(text, until);
      // Requests in flight together need one line.
      if (waitCount === 0) terminal.notice(`${text()}.`);
      waitCount += 1;
      return () => {
        waitCount -= 1;
      };
    },
    start: (text) => (quiet || verbose || terminal.hasProgress ? none : redraw(() => toSafeText(text))),
  };
}

/** Returns a function that shows the waits for the quota. */
export function showWaits({ countDown, start }: ConnectionDisplay): OnWait {
  return ({ reason, endsAt }) => {
    if (reason === 'probe-in-flight') return start('Waiting for another petstore process');
    return countDown(endsAt, reason === 'leave' ? 'to leave half of the quota' : 'for the quota');
  };
}

/** Returns a function that shows the waits before retries. */
export function showRetries(
  { trace, countDown, start }: ConnectionDisplay,
  { verbose }: Settings,
  clock: Clock,
): RetryOptions['onRetry'] {
  return ({ waitSource, delayMs, reason, maxRetries }, retries) => {
    if (verbose) {
      const when = waitSource === 'quota' ? '' : ` in ${formatDuration(delayMs)}`;
      trace(`* ${reason}; retrying${when} (${retries} of at most ${maxRetries})`);
    }
    // The quota shows its own waits.
    if (waitSource === 'quota') return none;
    return waitSource === 'service' ? countDown(clock.now() + delayMs, `to retry (${reason})`) : start('Retrying');
  };
}
