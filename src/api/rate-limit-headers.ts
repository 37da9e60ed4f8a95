import { getHeader, type HttpHeaders } from './http.js';

/** The values of the three rate-limit headers (API spec, 8.2), without the invalid ones. */
export interface Quota {
  /** The maximum number of requests in the reported window. */
  readonly limit?: number;
  readonly remaining?: number;
  /** When the window resets, in milliseconds since the Unix epoch. */
  readonly resetAt?: number;
}

const minResetMs = -60_000;
const maxResetMs = 25 * 3_600_000;

/**
 * Parses the rate-limit headers of a response that arrived at `now`, in milliseconds. A reset more than a minute ago or
 * more than 25 hours ahead is ignored. The service's clock is `skewMs` ahead of ours.
 */
export function parseQuotaHeaders(headers: HttpHeaders, now: number, skewMs = 0): Quota {
  const limit = parseInteger(getHeader(headers, 'x-ratelimit-limit'));
  // A negative count means that nothing remains.
  const remaining = parseInteger(getHeader(headers, 'x-ratelimit-remaining')?.replace(/^\s*-\d+/, '0'));
  const seconds = parseInteger(getHeader(headers, 'x-ratelimit-reset')) ?? Number.NaN;
  // If only the `Date` header is wrong, the reset is plausible by our clock.
  const leftMs = [skewMs, 0]
    .map((skew) => seconds * 1000 - skew - now)
    .find((ms) => ms >= minResetMs && ms <= maxResetMs);
  return {
    ...(limit !== undefined && { limit }),
    ...(remaining !== undefined && { remaining: Math.min(remaining, limit ?? remaining) }),
    ...(leftMs !== undefined && { resetAt: now + leftMs }),
  };
}

/**
 * Returns which window resets at `resetAt`, as reported at `reportedAt`, both in milliseconds since the Unix epoch. If
 * clocks differ, a minute may seem up to half a minute longer.
 */
export function classifyWindow(resetAt: number, reportedAt: number): 'minute' | 'day' {
  return resetAt - reportedAt > 90_000 ? 'day' : 'minute';
}

/** Returns the current quota. Responses may arrive out of order, so the lower count wins within a window. */
export function mergeQuota(before: Quota | undefined, reported: Quota): Quota {
  const isSameWindow =
    before?.resetAt !== undefined && before.resetAt === reported.resetAt && before.limit === reported.limit;
  const { remaining = Number.POSITIVE_INFINITY } = reported;
  return isSameWindow && (before.remaining ?? remaining) < remaining ? before : reported;
}

/** Formats the three headers. The reset is rounded up to whole seconds, so that it is never too early. */
export function formatQuotaHeaders(quota: Required<Quota>): Record<string, string> {
  return {
    'x-ratelimit-limit': String(quota.limit),
    'x-ratelimit-remaining': String(quota.remaining),
    'x-ratelimit-reset': String(Math.ceil(quota.resetAt / 1000)),
  };
}

function parseInteger(text: string | undefined): number | undefined {
  return text !== undefined && /^[0-9]{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}
