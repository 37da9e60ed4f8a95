import { type AttemptOutcome, getResponse, isKeyInProgress } from './attempt-outcome.js';
import { TransportError } from './transport-error.js';

export interface RetryDecision {
  /**
   * Sets the wait before the retry: the quota gate (`delayMs` is then 0), the service (bounded by `--max-wait` and
   * not counted against `--timeout`), or the backoff of this file.
   */
  readonly waitSource: 'gate' | 'service' | 'backoff';
  readonly delayMs: number;
  /** The reason, for `--verbose`. */
  readonly reason: string;
  readonly maxRetries: number;
}

/**
 * Whether a request may be sent again after the service may have carried it out: `safe` requests change nothing, and
 * the service recognizes `keyed` ones, so that their outcome can be settled.
 */
export type Repeatability = 'safe' | 'keyed' | 'none';

/**
 * Decides whether to send a request again after `retries` retries; returns undefined if the outcome is final. `retryAt` is
 * the time that the service named. `isUnsettled` means that the service may have carried out an earlier attempt.
 * `retryAt` and `now` are in milliseconds.
 */
export function decideRetry(
  outcome: AttemptOutcome,
  {
    repeatability,
    isUnsettled = false,
    retries,
    random,
    retryAt,
    now,
  }: {
    readonly repeatability: Repeatability;
    readonly isUnsettled?: boolean;
    readonly retries: number;
    readonly random: () => number;
    readonly retryAt?: number | undefined;
    readonly now: number;
  },
): RetryDecision | undefined {
  const backoff = (minMs: number, maxMs: number) =>
    Math.round(minMs + random() * (Math.min(maxMs, minMs * 2 ** (retries + 2)) - minMs));
  // A truncated error response counts by its status; a truncated 2xx is a network error.
  const status = getResponse(outcome)?.status;
  const isNetworkError = outcome instanceof TransportError && (status === undefined || status < 300);
  const usualRetries = isNetworkError
    ? maxNetworkRetries(outcome, repeatability)
    : maxStatusRetries(outcome, status, repeatability);
  // Only another attempt can settle what an earlier one did.
  const maxRetries = isUnsettled && usualRetries > 0 ? maxSettlingRetries : usualRetries;
  if (retries >= maxRetries) return undefined;
  if (isNetworkError) return { waitSource: 'backoff', delayMs: backoff(200, 2_000), reason: outcome.code, maxRetries };
  const reason = `the service responded with HTTP ${status}`;
  if (status === 429) return { waitSource: 'gate', delayMs: 0, reason, maxRetries };
  if (retryAt !== undefined) {
    return { waitSource: 'service', delayMs: Math.max(retryAt - now, 1_000), reason, maxRetries };
  }
  return { waitSource: 'backoff', delayMs: backoff(500, 8_000), reason, maxRetries };
}

/** Most requests reach their timeout before this number of retries. */
const maxSettlingRetries = 10;

function maxStatusRetries(outcome: AttemptOutcome, status: number | undefined, repeatability: Repeatability): number {
  if (status === 429) return 2;
  if (repeatability === 'none') return 0;
  if (unprocessed.has(status) || isKeyInProgress(outcome)) return 1;
  return transient.has(status) ? 2 : 0;
}

/** The service did not process the request. */
const unprocessed: ReadonlySet<number | undefined> = new Set([408, 425]);

const transient: ReadonlySet<number | undefined> = new Set([500, 502, 503, 504]);

function maxNetworkRetries({ sent, code, response }: TransportError, repeatability: Repeatability): number {
  if (!sent) return connectErrors.includes(code) ? 2 : 0;
  if (repeatability === 'none' || code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 0;
  if (response) return 1;
  return disconnectErrors.includes(code) ? 2 : 0;
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
