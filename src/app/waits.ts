import type { OnWait } from '../client/with-quota.js';
import type { RetryOptions } from '../client/with-retries.js';
import { formatDuration } from '../format/duration.js';
import { type SafeText, toSafeText } from '../format/safe-text.js';
import type { AppContext, ConnectionOptions } from './context.js';

/** Returns how the waits of a connection are shown: a countdown if a line can be redrawn, else a line each. */
export function openWaits(
  { label }: { readonly label: string },
  { clock, runtime: { terminal }, settings, terminal: commandTerminal }: AppContext,
  { onWait, onDiagnostic, isImport }: ConnectionOptions = {},
) {
  const trace = onDiagnostic ?? commandTerminal.errorLine;
  const showsSpinner = !(onWait || settings.quiet || settings.verbose);
  const { notice, showWait } = commandTerminal;
  const showLine = (text: () => SafeText) => showWait(text) ?? terminal.startSpinner(text).stop;
  const spin = (text: string) => (showsSpinner ? showLine(() => toSafeText(text)) : async () => {});
  const countDown = (until: number, reason: string) => {
    if (onWait) {
      const stop = onWait(until, reason);
      return async () => stop();
    }
    const text = () => toSafeText(`Waiting ${formatDuration(until - clock.now())} ${reason}`);
    if (settings.quiet) return async () => {};
    if (terminal.canRedraw && !settings.verbose) return showLine(text);
    notice(`${text()}.`);
    return async () => {};
  };
  const onQuotaWait: OnWait = ({ reason, endsAt }) => {
    if (reason === 'probe-in-flight') return spin('Waiting for another petstore process');
    return countDown(endsAt, reason === 'leave' ? 'to leave half of the quota' : `for the quota of ${label}`);
  };
  const onRetry: RetryOptions['onRetry'] = ({ waitSource, delayMs, reason, maxRetries }, retries) => {
    if (settings.verbose) {
      const when = waitSource === 'quota' ? '' : ` in ${formatDuration(delayMs)}`;
      trace(`* ${reason}; retrying${when} (${retries} of at most ${maxRetries})`);
    }
    // The quota shows its own waits, and an import its progress bar.
    if (waitSource === 'quota' || isImport) return async () => {};
    if (waitSource === 'service') return countDown(clock.now() + delayMs, `to retry (${reason})`);
    return spin('Retrying');
  };
  const showWaiting = (host: string) => (commandTerminal.hasProgress ? async () => {} : spin(`Waiting for ${host}`));
  return { trace, onQuotaWait, onRetry, showWaiting };
}
