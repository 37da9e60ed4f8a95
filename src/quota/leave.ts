import type { Leave } from './admit.js';
import type { RateLimitWindow } from './quota-state.js';

/** Reset times of one window differ by up to this between responses. In milliseconds. */
const resetToleranceMs = 30_000;

/** Returns a rule that leaves half of what remains of each window when it is first seen, rounded up. */
export function createHalfLeave(): Leave {
  let seen: readonly (Pick<RateLimitWindow, 'limit' | 'endsAt'> & { readonly count: number })[] = [];
  return ({ limit, endsAt, remaining }) => {
    const known = seen.find((one) => one.limit === limit && Math.abs(one.endsAt - endsAt) <= resetToleranceMs);
    if (known) return known.count;
    const count = Math.ceil(Math.max(0, remaining) / 2);
    seen = [...seen.filter((one) => one.limit !== limit), { limit, endsAt, count }];
    return count;
  };
}
