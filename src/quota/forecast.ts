import { findPlanByLimit, plans } from '../api/plan.js';
import { classifyWindow } from '../api/rate-limit-headers.js';
import { dayMs, minuteMs } from '../clock.js';
import { canWait } from './admit.js';
import type { RateLimitWindow } from './quota-state.js';

/** What a forecast needs to know about a window. */
export type QuotaWindow = Pick<RateLimitWindow, 'limit' | 'remaining' | 'endsAt'>;

/**
 * Returns how long requests wait for the quota in all, in milliseconds, and how many can be sent before one wait is longer
 * than `maxWaitMs`.
 */
export function forecast(
  requests: number,
  windows: readonly QuotaWindow[],
  { now, maxWaitMs }: { readonly now: number; readonly maxWaitMs: number },
): { readonly timeMs: number; readonly maxRows: number } {
  let timeMs = 0;
  let maxRows = Number.POSITIVE_INFINITY;
  for (const { limit, remaining, endsAt } of withDayOfPlan(windows, now)) {
    const left = endsAt > now ? Math.max(0, remaining) : limit;
    const lengthMs = classifyWindow(endsAt, now) === 'day' ? dayMs : minuteMs;
    const waitMs = endsAt > now ? endsAt - now : lengthMs;
    if (!canWait('window', waitMs, maxWaitMs)) maxRows = Math.min(maxRows, left);
    else if (!canWait('window', lengthMs, maxWaitMs)) maxRows = Math.min(maxRows, left + limit);
    const laterWindows = Math.ceil((requests - left) / limit);
    if (requests > left) timeMs = Math.max(timeMs, waitMs + Math.max(0, laterWindows - 1) * lengthMs);
  }
  return { timeMs, maxRows };
}

/** Adds the limit per day of the plan: a service reports it only when it is nearly used up. */
function withDayOfPlan(windows: readonly QuotaWindow[], now: number): readonly QuotaWindow[] {
  const endOfDay = now + dayMs;
  const plan = windows.some(({ endsAt }) => classifyWindow(endsAt, now) === 'day')
    ? undefined
    : windows.map(({ limit }) => findPlanByLimit(limit, 'minute')).find((name) => name !== undefined);
  if (plan === undefined) return windows;
  const { perDay } = plans[plan];
  return [...windows, { limit: perDay, remaining: perDay, endsAt: endOfDay }];
}
