import type { Clock } from '../../clock.js';
import { Failure } from '../../failure.js';
import type { RateLimitWindow } from '../../quota/quota-state.js';
import { type Allowance, calculatePace } from './watch/pace.js';

export interface HalfQuotaOptions {
  readonly clock: Clock;
  /** Returns the current rate-limit windows. */
  readonly findWindows: () => Promise<readonly RateLimitWindow[]>;
  /** The longest wait for a window to reset. */
  readonly maxWaitMs: number;
  /** Returns what the user can do once half of the quota is used, with the number of requests that are left. */
  readonly getHint?: (remaining: number) => string;
}

/**
 * Called when a wait begins, with its end and the number of requests that are left. The returned function is called when
 * it ends.
 */
export type OnBackgroundWait = (until: number, remaining: number) => () => void;

/**
 * Returns a function to call before each background request. It waits so that background requests use at most half of
 * what remains in each window, and throws (rate-limited) if the wait would exceed the maximum. If no request is left, it
 * does not throw: the failure of the request itself names the quota that is used up.
 */
export function limitToHalfQuota({ clock, findWindows, maxWaitMs, getHint }: HalfQuotaOptions) {
  let allowances: readonly Allowance[] = [];
  // A window of a minute may seem a little longer.
  const isTooLong = (waitMs: number) => maxWaitMs === 0 || waitMs > maxWaitMs + 3_000;
  return async (signal: AbortSignal, onWait: OnBackgroundWait): Promise<void> => {
    for (;;) {
      const now = clock.now();
      const windows = await findWindows();
      allowances = calculatePace(allowances, windows, { now, spent: 1, periodMs: 0 }).allowances;
      const used = allowances.filter(({ left }) => left < 1);
      if (used.length === 0) return;
      const margins = windows.map(({ clockUncertaintyMs }) => clockUncertaintyMs);
      const until = Math.max(...used.map((one) => one.until)) + Math.max(...margins);
      const open = windows.filter(({ endsAt }) => endsAt > now);
      if (open.some(({ remaining, endsAt }) => remaining <= 0 && isTooLong(endsAt - now))) return;
      const remaining = Math.max(0, Math.min(...open.map((window) => window.remaining)));
      if (isTooLong(until - now)) throw halfQuotaUsed(until, getHint?.(remaining));
      const onWaitEnd = onWait(until, remaining);
      await clock.sleep(until - now + 1, signal).finally(onWaitEnd);
    }
  };
}

function halfQuotaUsed(retryAt: number, hint: string | undefined): Failure {
  return new Failure('rate-limited', {
    code: 'rate_limited',
    message: 'half of the remaining quota is used',
    hint,
    retryAt,
  });
}
