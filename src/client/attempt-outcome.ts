import type { HttpResponse } from '../api/http.js';
import type { Failure } from '../failure.js';
import { isRecord, tryParseJson } from '../format/json.js';
import { TransportError } from './transport-error.js';

/** The outcome of sending a request once. */
export type AttemptOutcome = HttpResponse | TransportError;

/** Returns the response, which has no body if it was truncated; undefined if none arrived. */
export function getResponse(outcome: AttemptOutcome): Omit<HttpResponse, 'body'> | undefined {
  return outcome instanceof TransportError ? outcome.response : outcome;
}

/** Returns whether an error is that of a request without a complete response which may have left. */
export function isSentWithoutResponse(error: unknown): boolean {
  return error instanceof TransportError && error.sent;
}

/**
 * Returns the effect of an attempt on a change: `unknown` if the service may have made it, `settled` if it did or will
 * never accept the request, and `none` if this attempt did not make it.
 */
export function classifyEffect(outcome: AttemptOutcome): 'unknown' | 'settled' | 'none' {
  if (outcome instanceof TransportError && !outcome.sent) return 'none';
  const status = getResponse(outcome)?.status ?? 0;
  const isTruncated = outcome instanceof TransportError && status < 300;
  if (isTruncated || status >= 500 || isRedirect(status) || isKeyInProgress(outcome)) return 'unknown';
  return status < 300 || isContentError(outcome) ? 'settled' : 'none';
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

/** Statuses that a service sends each time for the same content. A 409 may concern an earlier request with the same key. */
const contentErrors = [400, 413, 415, 422];

/** Returns true if the API rejected the content. An error in another format may come from a proxy. */
export function isContentError(outcome: AttemptOutcome): boolean {
  return contentErrors.includes(getResponse(outcome)?.status ?? 0) && typeof readErrorCode(outcome) === 'string';
}

/** Returns true if the service is still working on an earlier request with the same idempotency key. */
export function isKeyInProgress(outcome: AttemptOutcome): boolean {
  return getResponse(outcome)?.status === 409 && readErrorCode(outcome) === 'idempotency_in_progress';
}

function readErrorCode(outcome: AttemptOutcome): unknown {
  const body = outcome instanceof TransportError ? undefined : tryParseJson(outcome.body)?.value;
  return isRecord(body) ? body.code : undefined;
}

/** Returns whether petstore held a request back because of the quota: the service has not rejected it. */
export function isHeldBack({ kind, details }: Failure): boolean {
  return kind === 'rate-limited' && details.status === undefined;
}
