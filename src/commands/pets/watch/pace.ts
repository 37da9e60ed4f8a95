import type { RateLimitWindow } from '../../../quota/quota-state.js';

/** The number of requests that a watch may still send in one window. */
export interface Allowance {
  readonly limit: number;
  /** When the window resets, in milliseconds since the Unix epoch. */
  readonly until: number;
  readonly left: number;
}

export interface Pace {
  readonly allowances: readonly Allowance[];
  readonly pauseMs: number;
}

export interface PaceOptions {
  readonly now: number;
  /** The number of requests of one poll. */
  readonly spent: number;
  readonly periodMs: number;
}

/** Reset times of one window differ by up to this between responses. */
const resetToleranceMs = 30_000;

/**
 * Returns the pause before the next poll, so that a watch uses at most half of the requests left in each window. The
 * half is taken when the window is first seen, and again at each poll, since other processes use the quota, too.
 */
export function calculatePace(
  before: readonly Allowance[],
  windows: readonly RateLimitWindow[],
  { now, spent, periodMs }: PaceOptions,
): Pace {
  const open = windows.filter(({ endsAt }) => endsAt > now);
  const allowances = open.map(({ limit, remaining, endsAt: until }): Allowance => {
    const half = Math.floor(Math.max(0, remaining) / 2);
    const known = before.find((other) => other.limit === limit && Math.abs(other.until - until) <= resetToleranceMs);
    return { limit, until, left: known ? Math.min(half, known.left - spent) : half };
  });
  const pauses = allowances.map(({ until, left }, index) => {
    const polls = Math.floor(left / spent);
    const uncertainty = open[index]?.clockUncertaintyMs ?? 0;
    return polls < 1 ? until + uncertainty - now : (until - now) / polls;
  });
  return { allowances, pauseMs: Math.ceil(Math.max(periodMs, ...pauses)) };
}
