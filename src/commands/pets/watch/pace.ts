import type { RateLimitWindow } from '../../../quota/ledger.js';

/** How many requests may still be spent in a window, of the half that was free to use. */
export interface Allowance {
  readonly limit: number;
  /** When the window resets, in milliseconds since the Unix epoch. */
  readonly until: number;
  readonly left: number;
}

export interface Pace {
  readonly allowances: readonly Allowance[];
  /** How long to ask nothing, in milliseconds. */
  readonly pause: number;
}

/** The same window is told with times that differ a little, in milliseconds. */
const sameReset = 30_000;

/**
 * When to ask again, so that no more than half of what is left in any window is used before it resets: half of what
 * was left when the window was first seen, and never more than half of what is left now. `spent` is how many
 * requests the last round took, and the next one will.
 */
export function paceAfter(
  before: readonly Allowance[],
  windows: readonly RateLimitWindow[],
  { now, spent, period }: { readonly now: number; readonly spent: number; readonly period: number },
): Pace {
  const open = windows.filter(({ endsAt: until }) => until > now);
  const allowances = open.map(({ limit, remaining, endsAt: until }): Allowance => {
    const half = Math.floor(Math.max(0, remaining) / 2);
    const known = before.find(
      (one) => one.limit === limit && Math.abs(one.until - until) <= sameReset,
    );
    return { limit, until, left: known ? Math.min(half, known.left - spent) : half };
  });
  const pauses = allowances.map(({ until, left }, index) => {
    const rounds = Math.floor(left / spent);
    const doubt = open[index]?.clockUncertaintyMs ?? 0;
    return rounds < 1 ? until + doubt - now : (until - now) / rounds;
  });
  return { allowances, pause: Math.ceil(Math.max(period, ...pauses)) };
}
