import { findPlanByLimit, plans } from '../api/plan.js';
import { classifyWindow } from '../api/rate-limit-headers.js';
import { dayMs, minuteMs } from '../clock.js';

/** A rate-limit window; `endsAt` is in milliseconds since the Unix epoch. */
export interface QuotaWindow {
  readonly limit: number;
  readonly remaining: number;
  readonly endsAt: number;
}

/**
 * Returns how long requests wait for the quota in all, in milliseconds, and how many can be sent before one wait is longer
 * than `maxWaitMs`.
 */
export function forecast(
  requests: number,
  windows: readonly QuotaWindow[],
  { now, maxWaitMs }: { readonly now: number; readonly maxWaitMs: number },
): { readonly timeMs: number; readonly maxRows: number } {
  const canWait = (ms: number) => maxWaitMs > 0 && ms <= maxWaitMs + resetToleranceMs;
  let timeMs = 0;
  let maxRows = Number.POSITIVE_INFINITY;
  for (const { limit, remaining, endsAt } of withDayOfPlan(windows, now)) {
    const left = endsAt > now ? Math.max(0, remaining) : limit;
    const waitMs = endsAt > now ? endsAt - now : 0;
    const lengthMs = classifyWindow(endsAt, now) === 'day' ? dayMs : minuteMs;
    if (!canWait(waitMs)) maxRows = Math.min(maxRows, left);
    else if (!canWait(lengthMs)) maxRows = Math.min(maxRows, left + limit);
    const laterWindows = Math.ceil((requests - left) / limit);
    if (requests > left) timeMs = Math.max(timeMs, waitMs + Math.max(0, laterWindows - 1) * lengthMs);
  }
  return { timeMs, maxRows };
}

/** Resets are in whole seconds, so a window of a minute may seem longer. In milliseconds. */
const resetToleranceMs = 3_000;

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
