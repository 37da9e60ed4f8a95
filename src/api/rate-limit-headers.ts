import { type Headers, headerOf } from './http.js';

/** What the three rate-limit headers say (interface, 8.2). A header that makes no sense is left out. */
export interface Quota {
  /** Requests in the window that the service reports. */
  readonly limit?: number;
  readonly remaining?: number;
  /** When the window resets, in milliseconds since the Unix epoch. */
  readonly resetAt?: number;
}

const earliestReset = -60_000;
const latestReset = 25 * 3_600_000;

/**
 * Reads the quota from an answer's headers; `now` and `skew`, by which the service's clock is ahead of ours,
 * in milliseconds. A reset more than a minute past or 25 hours ahead is no reset of a minute or a day, and is
 * ignored.
 */
export function parseQuota(headers: Headers, now: number, skew = 0): Quota {
  const limit = wholeNumber(headerOf(headers, 'x-ratelimit-limit'));
  // Less than nothing is nothing.
  const remaining = wholeNumber(
    headerOf(headers, 'x-ratelimit-remaining')?.replace(/^\s*-\d+/, '0'),
  );
  const seconds = wholeNumber(headerOf(headers, 'x-ratelimit-reset'));
  // A clock that is only written into `Date` wrongly must not hide a reset that makes sense by ours.
  const ahead = [skew, 0]
    .map((difference) => (seconds ?? Number.NaN) * 1000 - difference - now)
    .find((time) => time >= earliestReset && time <= latestReset);
  return {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining: Math.min(remaining, limit ?? remaining) }),
    ...(ahead !== undefined && { resetAt: now + ahead }),
  };
}

/**
 * Which window resets at `resetAt`, as told at `toldAt`, both in milliseconds since the Unix epoch: by clocks that
 * differ a minute may seem to last a part of one longer.
 */
export function windowKind(resetAt: number, toldAt: number): 'minute' | 'day' {
  return resetAt - toldAt > 90_000 ? 'day' : 'minute';
}

/** What holds after another answer: of two on one window, which may have crossed, the one with less left. */
export function laterQuota(before: Quota | undefined, told: Quota): Quota {
  const isSameWindow =
    before?.resetAt !== undefined && before.resetAt === told.resetAt && before.limit === told.limit;
  const { remaining = Number.POSITIVE_INFINITY } = told;
  return isSameWindow && (before.remaining ?? remaining) < remaining ? before : told;
}

/** Writes the three headers; a reset between two seconds is told as the later one, never too early. */
export function formatQuota(quota: Required<Quota>): Record<string, string> {
  return {
    'x-ratelimit-limit': String(quota.limit),
    'x-ratelimit-remaining': String(quota.remaining),
    'x-ratelimit-reset': String(Math.ceil(quota.resetAt / 1000)),
  };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9]{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}
