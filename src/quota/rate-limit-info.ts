import { getHeader, type HttpHeaders, type HttpResponse } from '../api/http.js';
import { parseHttpDate } from '../api/http-date.js';
import { parseQuotaHeaders, type Quota } from '../api/rate-limit-headers.js';
import { formatDuration } from '../format/duration.js';
import { parseRetryAfter } from './retry-after.js';

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
  const quota = parseQuotaHeaders(headers, receivedAt, skewMs);
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

/** Returns `57 of 60 requests left · resets in 42s`, or undefined if the remaining count is unknown. */
export function formatQuota({ limit, remaining, resetAt }: Quota, now: number): string | undefined {
  if (remaining === undefined) return undefined;
  const left = `${remaining}${limit === undefined ? '' : ` of ${limit}`} requests left`;
  if (resetAt === undefined) return left;
  if (resetAt <= now) return `${left} before the reset`;
  return `${left} · resets in ${formatDuration(Math.floor((resetAt - now) / 1000) * 1000)}`;
}
