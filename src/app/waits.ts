import type { Transport } from '../api/http.js';
import type { LiveOptions } from '../client/client-types.js';
import type { AttemptsOptions } from '../client/with-retries.js';
import { formatDuration, formatWait } from '../format/duration.js';
import { toSafeText } from '../format/safe-text.js';
import type { GateOptions } from '../quota/gate.js';
import type { Terminal } from '../terminal/terminal.js';
import type { AppContext } from './context.js';

/** How a connection for more than one request behaves. */
export interface ConnectionOptions extends Partial<Omit<LiveOptions, 'endless'>> {
  /** Many requests in a row, several at once. */
  readonly many?: true;
}

/** How a person learns that a request waits: a countdown where a line can be redrawn, one line elsewhere. */
export function openWaits(
  { label }: { readonly label: string },
  { clock, runtime: { terminal }, settings, terminal: { notice } }: AppContext,
  { onWait, tell, many }: ConnectionOptions = {},
): {
  readonly forGate: GateOptions['onWait'];
  readonly forRetry: AttemptsOptions['onRetry'];
  readonly trace: (line: string) => void;
} {
  const trace = tell ?? ((line: string) => void terminal.stderr.write(`${toSafeText(line)}\n`));
  // A trace tells by itself.
  const spin = (text: string) =>
    onWait || settings.quiet || settings.verbose
      ? none
      : terminal.startSpinner(() => toSafeText(text)).stop;
  const countDown = (until: number, what: string) => {
    if (onWait) return ended(onWait(until, what));
    const words = () => toSafeText(`${formatWait(until - clock.now())} ${what}`);
    if (settings.quiet) return none;
    if (terminal.canRedraw && !settings.verbose) return terminal.startSpinner(words).stop;
    notice(words());
    return none;
  };
  return {
    trace,
    forGate: ({ reason, until }) => {
      if (reason !== 'turn') return countDown(until, `for the quota of ${label}`);
      return spin('Waiting for another petstore');
    },
    forRetry: ({ by, pause, reason }, retries) => {
      if (settings.verbose) {
        const when = by === 'gate' ? '' : ` in ${formatDuration(pause)}`;
        trace(`* ${reason}; trying again${when} (${retries} of at most 2)`);
      }
      // The gate tells of its own waits, and a bar of all else.
      if (by === 'gate' || many) return none;
      if (by === 'service') return countDown(clock.now() + pause, `since ${reason}`);
      return spin('Trying again');
    },
  };
}

function ended(stop: () => void): () => Promise<void> {
  return async () => stop();
}

async function none(): Promise<void> {}

/** A person sees that a service is slow; a trace shows it by itself. */
export function withWait(send: Transport, quiet: boolean, terminal: Terminal): Transport {
  if (quiet) return send;
  return async (request, signal) => {
    const wait = terminal.startSpinner(() =>
      toSafeText(`Waiting for ${new URL(request.origin).host}`),
    );
    try {
      return await send(request, signal);
    } finally {
      await wait.stop();
    }
  };
}
