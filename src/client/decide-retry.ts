import type { Outcome } from '../api/outcome.js';
import { Failure } from '../failure.js';
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
  const { lost, response, retryAt } = attempt;
  const { isUnsettled, retries, elapsedMs, timeoutMs, maxWaitMs, now } = state;
  // A failure means: canceled, held back by the quota, or timed out.
  if (lost instanceof Failure || isSuccess(attempt)) return undefined;
  // A truncated error response counts by its status; a truncated 2xx is a network error.
  const status = response && response.status >= 300 ? response.status : undefined;
  const usualRetries = status === undefined ? countNetworkRetries(attempt, state) : countStatusRetries(attempt, state);
  // Only another attempt can settle what an earlier one did.
  const maxRetries = isUnsettled && usualRetries > 0 ? maxSettlingRetries : usualRetries;
  if (retries >= maxRetries) return undefined;
  const reason = status === undefined ? getErrorCode(lost as Error) : `the service responded with HTTP ${status}`;
  const namedWaitMs = status === undefined || retryAt === undefined ? undefined : retryAt - now;
  if (status === 429 || namedWaitMs !== undefined) {
    if (elapsedMs >= timeoutMs || (namedWaitMs ?? 0) > maxWaitMs) return undefined;
    if (status === 429) return { waitSource: 'quota', delayMs: 0, reason, maxRetries };
    return { waitSource: 'service', delayMs: Math.max(namedWaitMs ?? 0, 1_000), reason, maxRetries };
  }
  const delayMs = status === undefined ? chooseBackoff(200, 2_000, state) : chooseBackoff(500, 8_000, state);
  return elapsedMs + delayMs < timeoutMs ? { waitSource: 'backoff', delayMs, reason, maxRetries } : undefined;
}

/** Returns a random time up to a maximum that doubles with each retry. */
function chooseBackoff(minMs: number, maxMs: number, { random, retries }: RetryState): number {
  return Math.round(minMs + random() * (Math.min(maxMs, minMs * 2 ** (retries + 2)) - minMs));
}

/** Most requests reach their timeout before this number of retries. */
const maxSettlingRetries = 10;

function countStatusRetries(attempt: Outcome, { isRepeatable, isUnsettled }: RetryState): number {
  const { status = 0 } = attempt.response ?? {};
  if (status === 429) return 2;
  // The service did not process the request.
  if (status === 408 || status === 425) return isRepeatable || !isUnsettled ? 1 : 0;
  if (!isRepeatable) return 0;
  return isKeyInProgress(attempt) ? 1 : transientStatuses.includes(status) ? 2 : 0;
}

const transientStatuses = [500, 502, 503, 504];

function countNetworkRetries({ lost, sent, response }: Outcome, { isRepeatable }: RetryState): number {
  const code = getErrorCode(lost as Error);
  if (sent && !isRepeatable) return 0;
  if (response) return code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 0 : 1;
  return transientErrors.includes(code) ? 2 : 0;
}

/** Errors of Node.js and undici that another attempt may avoid. */
const transientErrors = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
];
