import { Failure } from '../failure.js';
import { formatCount, formatNumber } from '../format/duration.js';
import type { RateLimitWindow } from './ledger.js';

/** Throws (rate-limited) if the reserve leaves no requests of a window, since waiting for another one would never end. */
export function checkReserve(windows: readonly Pick<RateLimitWindow, 'limit'>[], reserve: number): void {
  // A limit of 0 is unknown.
  const limit = Math.min(...windows.map((one) => one.limit || Number.POSITIVE_INFINITY));
  if (limit > reserve) return;
  throw new Failure('rate-limited', {
    code: 'reserve_too_large',
    message: `the setting reserve is ${formatNumber(reserve)}, but a window has only ${formatNumber(limit)} requests`,
    hint: ['run ', { words: ['config', 'set', 'reserve', { placeholder: '<n>' }] }, ` with a number below ${limit}`],
  });
}

/** Returns the message for a window whose remaining requests are reserved. */
export function describeReserve(reserve: number): string {
  const verb = reserve === 1 ? 'is' : 'are';
  return `no more requests may be sent in this window: ${formatCount(reserve, 'request')} ${verb} reserved`;
}
