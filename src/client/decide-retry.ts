import type { Outcome, ResponseHead } from '../api/outcome.js';
import { isKeyInProgress } from './outcome.js';

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
  /**
   * Set if an attempt may have changed something, and none has settled that: until when the service recognizes the
   * idempotency key, so that sending it again is safe. Since the Unix epoch.
   */
  readonly repeatableUntil?: number | undefined;
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
  const { lost, response } = attempt;
  const { repeatableUntil = Number.POSITIVE_INFINITY, retries, elapsedMs, timeoutMs, now } = state;
  if (lost && lost.kind !== 'network') return undefined;
  // A truncated error response counts by its status.
  const hasErrorStatus = response !== undefined && response.status >= 300;
  const usual = hasErrorStatus ? decideByStatus(attempt, state) : lost && decideByCode(lost.code, response, state);
  if (!usual || usual.maxRetries === 0) return undefined;
  // Only another attempt can settle what an earlier one did.
  const retry = state.repeatableUntil === undefined ? usual : { ...usual, maxRetries: maxSettlingRetries };
  const countedMs = elapsedMs + (retry.waitSource === 'backoff' ? retry.delayMs : 0);
  const isInTime = countedMs < timeoutMs && now + retry.delayMs < repeatableUntil;
  return isInTime && retries < retry.maxRetries ? retry : undefined;
}

/** Most requests reach their timeout before this number of retries. */
const maxSettlingRetries = 10;

/** Returns the retry after an error response, or undefined if the service named a wait that is too long. */
function decideByStatus(attempt: Outcome, state: RetryState): RetryDecision | undefined {
  const { response, retryAt } = attempt;
  const { status = 0 } = response ?? {};
  const { now, maxWaitMs } = state;
  const isRetriedOnce = status === 408 || status === 425 || isKeyInProgress(attempt);
  const maxRetries = isRetriedOnce ? 1 : [429, 500, 502, 503, 504].includes(status) ? 2 : 0;
  const facts = { reason: `the service responded with HTTP ${status}`, maxRetries };
  if (retryAt !== undefined && retryAt - now > maxWaitMs) return undefined;
  if (status === 429) return { ...facts, waitSource: 'quota', delayMs: 0 };
  if (retryAt !== undefined) return { ...facts, waitSource: 'service', delayMs: Math.max(retryAt - now, 1_000) };
  return { ...facts, waitSource: 'backoff', delayMs: chooseBackoff(500, 8_000, state) };
}

/** Returns the retry after a network error. `truncated` is the head of a 2xx response without its end. */
function decideByCode(code: string, truncated: ResponseHead | undefined, state: RetryState): RetryDecision {
  const isTransient = truncated ? code !== 'UND_ERR_RES_EXCEEDED_MAX_SIZE' : transientErrors.test(code);
  const maxRetries = isTransient ? (truncated ? 1 : 2) : 0;
  return { waitSource: 'backoff', delayMs: chooseBackoff(200, 2_000, state), reason: code, maxRetries };
}

/** Returns a random time up to a maximum that doubles with each retry. */
function chooseBackoff(minMs: number, maxMs: number, { random, retries }: RetryState): number {
  return Math.round(minMs + random() * (Math.min(maxMs, minMs * 2 ** (retries + 2)) - minMs));
}

/** Errors of Node.js and undici that another attempt may avoid. */
const transientErrors =
  /^(ECONN(REFUSED|RESET)|EAI_AGAIN|E(HOST|NET)UNREACH|EPIPE|ETIMEDOUT|UND_ERR_(CONNECT_TIMEOUT|SOCKET))$/;
