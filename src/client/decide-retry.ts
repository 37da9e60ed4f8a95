import { type HttpRequest, type HttpResponse, isSafe } from '../api/http.js';
import { TransportError } from './transport-error.js';

/** What became of one sending of a request. */
export type Outcome = HttpResponse | TransportError;

/** How to go on after an outcome that is not final. */
export interface Retry {
  /**
   * Who says how long to wait first: the gate (then `pause` is 0), the service (such a wait is bounded by
   * `--max-wait`, and no part of the deadline), or this table.
   */
  readonly by: 'gate' | 'service' | 'backoff';
  /** Milliseconds. */
  readonly pause: number;
  /** Why, for `--verbose`. */
  readonly reason: string;
}

/**
 * Whether to send a request again, `retries` times sent again already; nothing where the outcome is final.
 * What changes nothing may be repeated; what would change something only where it cannot have been carried
 * out. `retryAt` is when the service said to come again, all times in milliseconds.
 */
export function decideRetry(
  { method }: HttpRequest,
  outcome: Outcome,
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
): Retry | undefined {
  const between = (least: number, most: number) =>
    Math.round(least + random() * (Math.min(most, least * 2 ** (retries + 2)) - least));
  // The status is the answer, though its body was cut off.
  const status = outcome instanceof TransportError ? outcome.answer?.status : outcome.status;
  if (outcome instanceof TransportError && (status === undefined || status < 300)) {
    if (retries >= timesAgain(outcome, isSafe(method))) return undefined;
    return { by: 'backoff', pause: between(200, 2_000), reason: outcome.code };
  }
  const reason = `the service answered ${status}`;
  if (status === 429) return retries < 2 ? { by: 'gate', pause: 0, reason } : undefined;
  if (!isSafe(method)) return undefined;
  if (retries >= (unprocessed.has(status) ? 1 : passing.has(status) ? 2 : 0)) return undefined;
  if (retryAt !== undefined) {
    return { by: 'service', pause: Math.max(retryAt - now, 1_000), reason };
  }
  return { by: 'backoff', pause: between(500, 8_000), reason };
}

/** What a service has not begun to carry out. */
const unprocessed: ReadonlySet<number | undefined> = new Set([408, 425]);

/** Failures of a service that may be over soon. */
const passing: ReadonlySet<number | undefined> = new Set([500, 502, 503, 504]);

function timesAgain({ sent, code, answer }: TransportError, safe: boolean): number {
  if (!sent) return unreached.includes(code) ? 2 : 0;
  if (!safe || code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return 0;
  if (answer) return 1;
  return broken.includes(code) ? 2 : 0;
}

/** Error codes of Node.js and undici for a service that could not be reached just now. */
const unreached = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
];

/** Error codes for a connection that broke under a request. */
const broken = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET'];
