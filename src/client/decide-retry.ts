import { type HttpRequest, type HttpResponse, isSafeMethod } from '../api/http.js';
import { TransportError } from './transport-error.js';

/** The outcome of sending a request once. */
export type AttemptOutcome = HttpResponse | TransportError;

export interface RetryDecision {
  /**
   * Sets the wait before the retry: the quota gate (`delayMs` is then 0), the service (bounded by `--max-wait` and
   * not counted against `--timeout`), or the backoff of this file.
   */
  readonly waitSource: 'gate' | 'service' | 'backoff';
  readonly delayMs: number;
  /** The reason, for `--verbose`. */
  readonly reason: string;
}

/**
 * Decides whether to send a request again after `retries` retries; returns nothing if the outcome is final. Safe
 * methods are retried on transient errors; other methods only if the service cannot have carried them out.
 * `retryAt` is the time that the service named. `retryAt` and `now` are in milliseconds.
 */
export function decideRetry(
  { method }: HttpRequest,
  outcome: AttemptOutcome,
  {
    retries,
    random,
    retryAt,
    now,
  }: {
    readonly retries: number;
    readonly random: () => number;
    readonly retryAt?: number | undefined;
    readonly now: number;
  },
): RetryDecision | undefined {
  const backoff = (minMs: number, maxMs: number) =>
    Math.round(minMs + random() * (Math.min(maxMs, minMs * 2 ** (retries + 2)) - minMs));
  // A truncated error response counts by its status; a truncated 2xx is a network error.
  const status = outcome instanceof TransportError ? outcome.response?.status : outcome.status;
  if (outcome instanceof TransportError && (status === undefined || status < 300)) {
    if (retries >= maxNetworkRetries(outcome, isSafeMethod(method))) return undefined;
    return { waitSource: 'backoff', delayMs: backoff(200, 2_000), reason: outcome.code };
  }
  const reason = `the service responded with HTTP ${status}`;
  if (status === 429) {
    return retries < 2 ? { waitSource: 'gate', delayMs: 0, reason } : undefined;
  }
  if (!isSafeMethod(method) || retries >= maxStatusRetries(status)) return undefined;
  if (retryAt !== undefined) {
    return { waitSource: 'service', delayMs: Math.max(retryAt - now, 1_000), reason };
  }
  return { waitSource: 'backoff', delayMs: backoff(500, 8_000), reason };
}

function maxStatusRetries(status: number | undefined): number {
  if (unprocessed.has(status)) return 1;
  return transient.has(status) ? 2 : 0;
}

/** The service did not process the request. */
const unprocessed: ReadonlySet<number | undefined> = new Set([408, 425]);

const transient: ReadonlySet<number | undefined> = new Set([500, 502, 503, 504]);

function maxNetworkRetries({ sent, code, response }: TransportError, safe: boolean): number {
  if (!sent) return connectErrors.includes(code) ? 2 : 0;
  if (!safe || code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 0;
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
