import { getHeader, type HttpHeaders, type HttpResponse } from '../api/http.js';
import { parseHttpDate } from '../api/http-date.js';
import { parseQuotaHeaders, type Quota } from '../api/rate-limit-headers.js';
import { formatNumber, formatTimeToReset } from '../format/duration.js';

/** Rate-limit information from one response. Times are in milliseconds since the Unix epoch, by our clock. */
export interface RateLimitInfo {
  readonly status: number;
  /** True if no request may be sent for now: rate limited or banned. */
  readonly isRateLimited: boolean;
  readonly quota: Quota;
  /** When to retry, if the service said so. */
  readonly retryAt: number | undefined;
  /** How much later the service's times may be. In milliseconds. */
  readonly clockUncertaintyMs: number;
  readonly receivedAt: number;
}

export function parseRateLimitInfo(
  { status, headers }: Omit<HttpResponse, 'body'>,
  sentAt: number,
  receivedAt: number,
): RateLimitInfo {
  const { skewMs, clockUncertaintyMs } = measureClockSkew(headers, sentAt, receivedAt);
  // Without a valid API key, the service reports the quota of the client's address.
  const quota = status === 401 ? {} : parseQuotaHeaders(headers, receivedAt, skewMs);
  const context = { now: receivedAt, skewMs, clockUncertaintyMs, resetAt: quota.resetAt };
  const retryAt = parseRetryAfter(headers, context);
  // A 403 with a time is a ban. One without is a missing permission for this request.
  const isRateLimited = status === 429 || (status === 403 && retryAt !== undefined);
  return { status, isRateLimited, quota, retryAt, clockUncertaintyMs, receivedAt };
}

/**
 * Returns how far the service's clock is ahead of ours, from a response's `Date` header. It is 0 if there is no date, or
 * if the date, which is in whole seconds, lies between sending and receiving. A time of the service, less `skewMs`, is at
 * most `clockUncertaintyMs` later by our clock. All values are in milliseconds.
 */
export function measureClockSkew(headers: HttpHeaders, sentAt: number, receivedAt: number) {
  const date = parseHttpDate(getHeader(headers, 'date'), receivedAt);
  if (date === undefined) return { skewMs: 0, clockUncertaintyMs: 0 };
  const minSkewMs = date - receivedAt;
  const maxSkewMs = date + 1000 - sentAt;
  return minSkewMs <= 0 && maxSkewMs >= 0
    ? { skewMs: 0, clockUncertaintyMs: receivedAt - date }
    : { skewMs: minSkewMs, clockUncertaintyMs: 0 };
}

/** Returns how many requests are left: the limit once the window has reset. Undefined if that is unknown. */
export function findRemaining({ limit, remaining, resetAt }: Quota, now: number): number | undefined {
  if (remaining === undefined) return undefined;
  return resetAt !== undefined && resetAt <= now ? (limit ?? remaining) : remaining;
}

/** Returns `57 of 60 requests left · resets in 42s`, or undefined if the remaining count is unknown. */
export function formatQuota(quota: Quota, now: number): string | undefined {
  const remaining = findRemaining(quota, now);
  if (remaining === undefined) return undefined;
  const { limit, resetAt } = quota;
  const noun = remaining === 1 && limit === undefined ? 'request' : 'requests';
  const left = `${formatNumber(remaining)}${limit === undefined ? '' : ` of ${formatNumber(limit)}`} ${noun} left`;
  if (resetAt === undefined) return left;
  if (resetAt <= now) return `${left} · window has reset`;
  return `${left} · resets in ${formatTimeToReset(resetAt - now)}`;
}

/** What `Retry-After` is interpreted with. All values are in milliseconds. */
export interface RetryAfterContext {
  /** When the response arrived, since the Unix epoch, by our clock. */
  readonly now: number;
  /** How far the service's clock is ahead of ours. */
  readonly skewMs?: number;
  /** How much later a time by the service's clock may be. */
  readonly clockUncertaintyMs?: number;
  /** When the window resets, by our clock. */
  readonly resetAt?: number | undefined;
}

/**
 * Returns the time of `Retry-After` (RFC 9110 §10.2.3) in milliseconds since the Unix epoch, by our clock. The value is
 * seconds or a date. The API spec leaves the unit open (8.2, 5): a number of 1,000 or more is read as milliseconds or
 * as an epoch if that matches the reset, or as an epoch if it is in the range of today's epochs. The latest of several
 * values wins. Returns undefined if no value is valid. A date may be in the past.
 */
export function parseRetryAfter(headers: HttpHeaders, context: RetryAfterContext): number | undefined {
  const times = [headers['retry-after'] ?? []]
    .flat()
    .flatMap(splitValues)
    .flatMap((value) => parseValue(value, context) ?? []);
  return times.length === 0 ? undefined : Math.min(maxTime, Math.max(...times));
}

/** The start of 9999: later times have years of five digits, which RFC 3339 does not allow. */
const maxTime = Date.UTC(9999, 0);

/** Splits at commas, except after the weekday of a date. */
function splitValues(line: string): readonly string[] {
  return line.split(/(?<!day|Mon|Tue|Wed|Thu|Fri|Sat|Sun),/).map((value) => value.trim());
}

function parseValue(value: string, context: RetryAfterContext): number | undefined {
  const { now, skewMs = 0, clockUncertaintyMs = 0 } = context;
  if (/^[0-9]+$/.test(value)) return interpretNumber(Number(value), context);
  const date = parseHttpDate(value, now + skewMs);
  return date === undefined ? undefined : date - skewMs + clockUncertaintyMs;
}

/** From September 2001 to November 2286, an epoch in seconds is at least this and less than ten times this. */
const minEpochSeconds = 1_000_000_000;

function interpretNumber(value: number, context: RetryAfterContext): number {
  const { now, skewMs = 0, clockUncertaintyMs = 0, resetAt } = context;
  const isReset = (time: number) => resetAt !== undefined && Math.abs(time - resetAt) <= 2_000;
  const isEpoch = (min: number) => value >= min && value < min * 10;
  const timeFromSeconds = now + value * 1000;
  if (value < 1_000 || isReset(timeFromSeconds)) return timeFromSeconds;
  const timeFromMilliseconds = now + value;
  if (isReset(timeFromMilliseconds)) return timeFromMilliseconds;
  const timeFromEpochSeconds = value * 1000 - skewMs;
  if (isReset(timeFromEpochSeconds) || isEpoch(minEpochSeconds)) return timeFromEpochSeconds + clockUncertaintyMs;
  const timeFromEpochMilliseconds = value - skewMs;
  const isEpochMilliseconds = isReset(timeFromEpochMilliseconds) || isEpoch(minEpochSeconds * 1000);
  return isEpochMilliseconds ? timeFromEpochMilliseconds + clockUncertaintyMs : timeFromSeconds;
}
