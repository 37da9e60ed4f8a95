import type { AttemptsOptions } from '../client/attempts.js';
import type { GateOptions } from '../client/gate.js';
import type { BulkOptions } from '../ports/context.js';
import type { Settings } from '../ports/settings.js';
import { formatDuration } from '../text/duration.js';
import { safe } from '../text/safe.js';
import type { World } from './world.js';

interface Surroundings {
  readonly world: Pick<World, 'clock' | 'terminal'>;
  readonly settings: Settings;
  readonly say: (text: string) => void;
}

/** How a person learns that a request waits: a countdown where a line can be redrawn, one line elsewhere. */
export function openWaits(
  { label }: { readonly label: string },
  { world: { clock, terminal }, settings, say }: Surroundings,
  bulk?: BulkOptions,
): {
  readonly forGate: GateOptions['onWait'];
  readonly forRetry: AttemptsOptions['onRetry'];
  readonly trace: (line: string) => void;
} {
  const trace = (line: string) => void terminal.stderr.write(`${safe(line)}\n`);
  const countDown = (until: number, what: string) => {
    const words = () => safe(`waiting ${formatDuration(Math.max(0, until - clock.now()))} ${what}`);
    if (settings.quiet) return none;
    if (terminal.redraws && !settings.verbose) return terminal.wait(words).stop;
    say(words());
    return none;
  };
  return {
    trace,
    forGate: ({ reason, until }) => {
      if (bulk) return reason === 'turn' ? none : announce(bulk, until);
      if (reason !== 'turn') return countDown(until, `for the quota of ${label}`);
      if (settings.quiet || settings.verbose) return none;
      return terminal.wait(() => safe('Waiting for another petstore')).stop;
    },
    forRetry: ({ pause, reason, declared }, retries) => {
      if (settings.verbose) {
        const when = pause > 0 ? ` in ${formatDuration(pause)}` : '';
        trace(`* ${reason}; trying again${when} (${retries} of at most 2)`);
      }
      // The gate tells of its own waits.
      if (pause === 0) return none;
      if (declared) return countDown(clock.now() + pause, `since ${reason}`);
      if (settings.quiet || settings.verbose) return none;
      return terminal.wait(() => safe('Trying again')).stop;
    },
  };
}

function announce({ onWait }: BulkOptions, until: number): () => Promise<void> {
  const stop = onWait(until);
  return async () => stop();
}

async function none(): Promise<void> {}
