import type { Leave } from '../../../quota/admit.js';
import type { RateLimitWindow } from '../../../quota/quota-state.js';

/** When a watch may poll again. */
export interface PaceOptions {
  readonly now: number;
  /** The number of requests of one poll. */
  readonly requests: number;
  readonly periodMs: number;
  readonly leave: Leave;
  /** How many polls in a row have failed. */
  readonly failures?: number;
  /** When the service accepts the next request, in milliseconds since the Unix epoch. */
  readonly retryAt?: number;
}

/**
 * Returns the pause before the next poll, in milliseconds: the period, or as long as it takes so that the requests of a
 * watch last until the reset of each window. It doubles with each failure.
 */
export function calculatePause(
  windows: readonly RateLimitWindow[],
  { now, requests, periodMs, leave, failures = 0, retryAt = now }: PaceOptions,
): number {
  const pauses = windows
    .filter(({ endsAt }) => endsAt > now)
    .map((window) => {
      const { endsAt, remaining, clockUncertaintyMs } = window;
      const polls = Math.floor((remaining - leave(window)) / requests);
      return polls < 1 ? endsAt + clockUncertaintyMs - now : (endsAt - now) / polls;
    });
  const backoffMs = Math.min(maxBackoffMs, periodMs * 2 ** failures);
  return Math.ceil(Math.max(periodMs, backoffMs, retryAt - now, ...pauses));
}

const maxBackoffMs = 60_000;
