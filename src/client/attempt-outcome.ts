import type { HttpResponse } from '../api/http.js';
import { isRecord, tryParseJson } from '../format/json.js';
import { TransportError } from './transport-error.js';

/** The outcome of sending a request once. */
export type AttemptOutcome = HttpResponse | TransportError;

/**
 * Returns what the outcome of an attempt says about a change: `unknown` means that the service may have made it,
 * `settled` that it did, or that it will never accept the request, and `nothing` that this attempt did not make it.
 */
export function interpretOutcome(outcome: AttemptOutcome): 'unknown' | 'settled' | 'nothing' {
  if (outcome instanceof TransportError && !outcome.sent) return 'nothing';
  const status = outcome instanceof TransportError ? (outcome.response?.status ?? 0) : outcome.status;
  const isTruncated = outcome instanceof TransportError && status < 300;
  if (isTruncated || status >= 500 || isRedirect(status) || isKeyInProgress(outcome)) return 'unknown';
  return status < 300 || contentErrors.includes(status) ? 'settled' : 'nothing';
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Statuses that the same content always gets. */
const contentErrors = [400, 409, 413, 415, 422];

/** Returns true if the service is still working on an earlier request with the same idempotency key. */
export function isKeyInProgress(outcome: AttemptOutcome): boolean {
  if (outcome instanceof TransportError || outcome.status !== 409) return false;
  const body = tryParseJson(outcome.body)?.value;
  return isRecord(body) && body.code === 'idempotency_in_progress';
}
