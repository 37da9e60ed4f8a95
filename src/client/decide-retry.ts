import type { Outcome } from '../api/outcome.js';
import { Failure } from '../failure.js';
import { JsonError, parseJson } from '../format/json.js';
import { getErrorCode, isKeyInProgress, isSuccess } from './outcome.js';

export interface RetryDecision {
  /**
   * Sets the wait before the retry: the quota (`delayMs` is then 0), the service (bounded by `--max-wait` and not counted
   * against `--timeout`), or the backoff of this file.
   */
  readonly waitSource: 'quota' | 'service' | 'backoff';
  readonly delayMs: number;
  /** The reason, for `--verbose`. */
  readonly reason: string;
  readonly maxRetries: number;
}

/** What has happened to a request before its next attempt. Times are in milliseconds. */
export interface RetryState {
  /** True if the request changes nothing, or if the service recognizes its idempotency key. */
  readonly isRepeatable: boolean;
  /** True if an attempt may have changed something, and none has settled that. */
  readonly isUnsettled: boolean;
  readonly retries: number;
  /** Since the first attempt began, without the waits that the quota and the service named. */
  readonly elapsedMs: number;
  readonly timeoutMs: number;
  readonly maxWaitMs: number;
  /** Since the Unix epoch. */
  readonly now: number;
  /** Returns a number from 0 up to 1. */
  readonly random: () => number;
}

/** Decides whether to send a request again after an attempt. Returns undefined if the outcome is final. */
export function decideRetry(attempt: Outcome, state: RetryState): RetryDecision | undefined {
  // Canceled, held back by the quota, or timed out.
  if (attempt.lost instanceof Failure) return undefined;
  const retry = chooseRetry(attempt, state);
  if (!retry || state.retries >= retry.maxRetries) return undefined;
  const startsAfterMs = state.elapsedMs + (retry.waitSource === 'backoff' ? retry.delayMs : 0);
  const waitMs = retry.waitSource === 'backoff' ? 0 : (attempt.retryAt ?? state.now) - state.now;
  return startsAfterMs < state.timeoutMs && waitMs <= state.maxWaitMs ? retry : undefined;
}

/** Returns whether an attempt has a 2xx response whose body is complete, too. */
export function isFinalSuccess(attempt: Outcome): boolean {
  return isSuccess(attempt) && !isTruncatedJson(attempt.response.body);
}

function chooseRetry(attempt: Outcome, state: RetryState): RetryDecision | undefined {
  const { lost, response, retryAt } = attempt;
  const { isUnsettled, retries, random, now } = state;
  const { status = 0 } = response ?? {};
  const backoff = (minMs: number, maxMs: number) =>
    Math.round(minMs + random() * (Math.min(maxMs, minMs * 2 ** (retries + 2)) - minMs));
  // A truncated error response counts by its status; a truncated 2xx is a network error.
  const isTruncated = status >= 200 && status < 300;
  const isNetworkError = isTruncated || status === 0;
  const usualRetries = isNetworkError ? countNetworkRetries(attempt, state) : countStatusRetries(attempt, state);
  // Only another attempt can settle what an earlier one did.
  const maxRetries = isUnsettled && usualRetries > 0 ? maxSettlingRetries : usualRetries;
  if (isNetworkError) {
    const reason = lost ? getErrorCode(lost) : 'the response is truncated';
    return { waitSource: 'backoff', delayMs: backoff(200, 2_000), reason, maxRetries };
  }
  const reason = `the service responded with HTTP ${status}`;
  if (status === 429) return { waitSource: 'quota', delayMs: 0, reason, maxRetries };
  if (retryAt !== undefined) {
    return { waitSource: 'service', delayMs: Math.max(retryAt - now, 1_000), reason, maxRetries };
  }
  return { waitSource: 'backoff', delayMs: backoff(500, 8_000), reason, maxRetries };
}

/** Most requests reach their timeout before this number of retries. */
const maxSettlingRetries = 10;

function countStatusRetries(attempt: Outcome, { isRepeatable, isUnsettled }: RetryState): number {
  const { status = 0 } = attempt.response ?? {};
  if (status === 429) return 2;
  // The service did not process the request.
  if (status === 408 || status === 425) return isRepeatable || !isUnsettled ? 1 : 0;
  if (!isRepeatable) return 0;
  return isKeyInProgress(attempt) ? 1 : transient.includes(status) ? 2 : 0;
}

const transient = [500, 502, 503, 504];

function countNetworkRetries({ lost, sent, response }: Outcome, { isRepeatable }: RetryState): number {
  const code = lost && getErrorCode(lost);
  if (code !== undefined && !sent) return connectErrors.includes(code) ? 2 : 0;
  if (!isRepeatable || code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 0;
  if (lost && response) return 1;
  if (!lost) return isTruncatedJson(response.body) ? 1 : 0;
  return disconnectErrors.includes(code ?? '') ? 2 : 0;
}

/** Returns whether JSON ends early, which HTTP framing cannot always detect. Parses only what its brackets make suspicious. */
function isTruncatedJson(body: Uint8Array): boolean {
  const ends = Buffer.concat([body.subarray(0, 100), body.subarray(-100)])
    .toString()
    .trim();
  const closing = { '[': ']', '{': '}' }[ends.charAt(0)];
  if (closing === undefined || ends.endsWith(closing)) return false;
  try {
    parseJson(body);
    return false;
  } catch (error) {
    return error instanceof JsonError && error.isTruncated;
  }
}

/** Transient errors of Node.js and undici before a connection is established. */
const connectErrors = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** Errors of a connection that broke after the request was sent. */
const disconnectErrors = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET'];
