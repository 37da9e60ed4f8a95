import type { HttpResponse } from '../api/http.js';
import { parseQuota, type Quota } from '../api/rate-limit-headers.js';
import { skewOf } from './clock-skew.js';
import { parseRetryAfter } from './retry-after.js';

/** What an answer tells of the quota; times in milliseconds since the Unix epoch, by our clock. */
export interface Told {
  readonly status: number;
  /** No request is to be sent for now. */
  readonly isRefusal: boolean;
  readonly quota: Quota;
  /** When to try again, where the service said so. */
  readonly retryAt: number | undefined;
  /** By how much later the service's times may be, in milliseconds. */
  readonly doubt: number;
  /** When the answer came. */
  readonly now: number;
}

export function readTold(
  { status, headers }: Omit<HttpResponse, 'body'>,
  sentAt: number,
  now: number,
): Told {
  const { skew, doubt } = skewOf(headers, sentAt, now);
  const quota = parseQuota(headers, now, skew);
  const retryAt = parseRetryAfter(headers, { now, skew, doubt, resetAt: quota.resetAt });
  // A key that is banned is forbidden everything until a time; one that may not do a thing, that thing alone.
  const isRefusal = status === 429 || (status === 403 && retryAt !== undefined);
  return { status, isRefusal, quota, retryAt, doubt, now };
}
