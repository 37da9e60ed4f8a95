import { type HttpRequest, type HttpResponse, isSafeMethod } from '../api/http.js';
import type { Loss, Outcome, ResponseHead } from '../api/outcome.js';
import type { Effect } from '../failure.js';
import { isRecord, tryParseJson } from '../format/json.js';

/** Returns the outcome of an attempt with a complete response. */
export function completeOutcome(request: HttpRequest, response: HttpResponse): Outcome {
  return { response, sent: true, effect: findEffect(request, { response, sent: true }) };
}

/** Returns the outcome of an attempt without a usable response. `response` is that of a truncated or invalid one. */
export function lostOutcome(
  request: HttpRequest,
  lost: Loss,
  { sent, response }: { readonly sent: boolean; readonly response?: ResponseHead | undefined },
): Outcome {
  return { lost, sent, response, effect: findEffect(request, { lost, sent, response }) };
}

/** Returns whether the last attempt has a complete 2xx response. */
export function isSuccess(outcome: Outcome): outcome is Extract<Outcome, { readonly lost?: undefined }> {
  return !outcome.lost && outcome.response.status >= 200 && outcome.response.status < 300;
}

type Attempt = Pick<Outcome, 'lost' | 'sent' | 'response'>;

function findEffect({ method }: HttpRequest, attempt: Attempt): Effect {
  const { lost, sent, response } = attempt;
  if (isSafeMethod(method) || !sent) return 'none';
  const { status = 0 } = response ?? {};
  if (status === 201) return 'made';
  if (status >= 200 && status < 300) return lost ? 'unknown' : 'made';
  return status < 400 || status >= 500 || isKeyInProgress(attempt) ? 'unknown' : 'none';
}

/**
 * Returns the outcome of a request after one more attempt. Only an attempt that settles an earlier one replaces it: the
 * service has then made the change, or will never accept it. A 401, a 429, a request that was not sent and a cancellation
 * settle nothing.
 */
export function combineOutcomes(before: Outcome, after: Outcome): Outcome {
  const canDecide = after.effect === 'unknown' || isContentError(after);
  const decides = after.effect === 'made' || (canDecide && before.effect !== 'made');
  const isNewer = after.lost?.kind !== 'held-back' && (decides || before.effect === 'none');
  const shown = isNewer || after.lost?.kind === 'canceled' ? after : before;
  return { ...shown, sent: before.sent || after.sent, effect: decides ? after.effect : before.effect };
}

/** Statuses that a service sends each time for the same content. A 409 may concern an earlier request with the same key. */
const contentErrors = [400, 413, 415, 422];

/** Returns true if the API rejected the content. An error in another format may come from a proxy. */
export function isContentError(attempt: Attempt): boolean {
  return contentErrors.includes(attempt.response?.status ?? 0) && typeof readErrorCode(attempt) === 'string';
}

/** Returns true if the service is still working on an earlier request with the same idempotency key. */
export function isKeyInProgress(attempt: Attempt): boolean {
  return attempt.response?.status === 409 && readErrorCode(attempt) === 'idempotency_in_progress';
}

function readErrorCode({ response }: Attempt): unknown {
  const value = response && 'body' in response ? tryParseJson((response as HttpResponse).body)?.value : undefined;
  return isRecord(value) ? value.code : undefined;
}
