import type { Leave } from '../../../quota/admit.js';
import type { RateLimitWindow } from '../../../quota/quota-state.js';

export interface PaceOptions {
  readonly now: number;
  /** The number of requests of one poll. */
  readonly requests: number;
  readonly periodMs: number;
  readonly leave: Leave;
}

/**
 * Returns the pause before the next poll, in milliseconds: the period, or as long as it takes so that the requests of a
 * watch last until the reset of each window.
 */
export function calculatePause(
  windows: readonly RateLimitWindow[],
  { now, requests, periodMs, leave }: PaceOptions,
): number {
  const pauses = windows
    .filter(({ endsAt }) => endsAt > now)
    .map((window) => {
      const { endsAt, remaining, clockUncertaintyMs } = window;
      const polls = Math.floor((remaining - leave(window)) / requests);
      return polls < 1 ? endsAt + clockUncertaintyMs - now : (endsAt - now) / polls;
    });
  return Math.ceil(Math.max(periodMs, ...pauses));
}
