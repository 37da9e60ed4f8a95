import { errorCodeForStatus } from '../api/error.js';
import { getHeader, type HttpRequest, type HttpResponse } from '../api/http.js';
import type { Mutation } from '../api/operations.js';
import type { Outcome, ResponseHead } from '../api/outcome.js';
import { apiKeyVariables } from '../config/target.js';
import type { ServiceErrorCode } from '../error-codes.js';
import {
  type Command,
  checkBaseUrlHint,
  Failure,
  type FailureKind,
  type Hint,
  nothingSent,
  retryHint,
} from '../failure.js';
import { isRecord, JsonError } from '../format/json.js';
import { truncate } from '../format/safe-text.js';
import { describeNetworkError } from './describe-network-error.js';
import type { LimitHint } from './limit-hint.js';
import { getErrorCode, isContentError } from './outcome.js';
import { type InvalidResponseError, parseBody } from './response.js';

/** A change with the hint that says how to check for it. */
type CheckableChange = Omit<Mutation, 'checkHint'> & { readonly checkHint: Hint };

/** The facts about a request that the message and hint of its failure need. */
export interface FailureContext {
  /** The change that the request would have made; missing for a read. */
  readonly change: CheckableChange | undefined;
  readonly request: Pick<HttpRequest, 'method' | 'target'>;
  /** The request was sent without waiting for the quota. */
  readonly once?: boolean | undefined;
  /** The flags that select the service in another command. */
  readonly serviceFlags: readonly string[];
  /** Host and port of the service. */
  readonly host: string;
  /** The source of the API key, as a noun: `PETSTORE_API_KEY`. */
  readonly keySource: string;
  readonly limitHint?: LimitHint | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Returns the failure for an outcome without a complete 2xx response. */
export function failureFromOutcome(outcome: Outcome, context: FailureContext): Failure {
  const { lost, response } = outcome;
  if (lost instanceof Failure && lost.kind === 'canceled') return cancelFailure(lost, outcome, context);
  // The status alone decides; a truncated body would only have explained it.
  if (response && response.status >= 300) return failureFromStatus(outcome, context);
  return failureFromLoss(lost as Error, outcome, context);
}

function failureFromStatus(outcome: Outcome, context: FailureContext): Failure {
  const { effect, retryAt } = outcome;
  const response = outcome.lost ? { ...(outcome.response as ResponseHead), body: new Uint8Array() } : outcome.response;
  const { status } = response;
  if (status < 400) return redirectFailure(response, outcome, context);
  const change = effect === 'none' ? undefined : context.change;
  const body = parseErrorBody(response);
  const kind: FailureKind = change ? 'unknown-outcome' : kindOfStatus(status);
  // A retry time is meaningless for other errors: the same request fails again.
  const canRetryLater = status === 429 || status === 403 || kind === 'service';
  return new Failure(kind, {
    code: (body?.code ?? errorCodeOf(status)) as ServiceErrorCode,
    message: appendStatus(body?.message ?? describeStatus(status), status),
    outcome: change && describeOutcome(change, outcome),
    hint: change?.checkHint ?? hintFor(response, body !== undefined, retryAt, context),
    status,
    effect,
    ...(isContentError(outcome) && { isContentError: true }),
    retryAt: canRetryLater ? retryAt : undefined,
  });
}

/** Returns the failure for a missing response, or a truncated 2xx. */
function failureFromLoss(lost: Error, outcome: Outcome, { change, host }: FailureContext): Failure {
  const { sent, response, effect } = outcome;
  const code = getErrorCode(lost);
  const details = lost instanceof Failure ? lost.details : describeNetworkError(code, host, sent);
  if (change && effect !== 'none') {
    const message = response ? `${details.message} (HTTP ${response.status})` : details.message;
    return new Failure('unknown-outcome', {
      code: 'outcome_unknown',
      message,
      outcome: describeOutcome(change, outcome),
      hint: change.checkHint,
      status: response?.status,
      effect,
      cause: lost,
    });
  }
  const kind = lost instanceof Failure ? lost.kind : code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'service' : 'network';
  return new Failure(kind, {
    ...details,
    ...(change && { outcome: describeOutcome(change, outcome) }),
    effect,
    cause: lost,
  });
}

/** Returns the failure for a 2xx response that violates the API spec. */
export function failureFromInvalidResponse(
  error: InvalidResponseError,
  outcome: Outcome & { readonly response: HttpResponse },
  { change, host }: FailureContext,
): Failure {
  const { status } = outcome.response;
  const { cause } = error;
  const message = `the response from ${host} ${error.message} (HTTP ${status})`;
  if (change) {
    return new Failure('unknown-outcome', {
      code: 'invalid_response',
      message,
      // Only a 201 proves that the change was made.
      outcome: describeOutcome(change, { ...outcome, effect: status === 201 ? 'made' : 'unknown' }),
      hint: change.checkHint,
      status,
      effect: status === 201 ? 'made' : 'unknown',
      cause: error,
    });
  }
  const isTruncated = cause instanceof JsonError && cause.isTruncated;
  return new Failure(isTruncated ? 'network' : 'service', {
    code: isTruncated ? 'connection_lost' : 'invalid_response',
    message: isTruncated ? `the response from ${host} is truncated (HTTP ${status})` : message,
    hint: isTruncated ? retryHint : checkBaseUrlHint,
    status,
    cause: error,
  });
}

/** Describes what became of a change. */
function describeOutcome({ object, participle }: CheckableChange, { effect, sent }: Outcome): string {
  if (effect === 'made') return `${object} was ${participle}, but its id is unknown`;
  if (effect === 'unknown') return `it is unknown whether ${object} was ${participle}`;
  return sent ? 'nothing was changed' : nothingSent;
}

function kindOfStatus(status: number): FailureKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 404 || status === 410) return 'not-found';
  if (status === 429) return 'rate-limited';
  return status >= 500 ? 'service' : 'rejected';
}

function errorCodeOf(status: number): string {
  return errorCodeForStatus(status) ?? `http_${status}`;
}

/** Returns code and message of an Error body, or of a similar JSON object. */
function parseErrorBody(response: HttpResponse): { code: string; message: string } | undefined {
  let body: unknown;
  try {
    body = parseBody(response);
  } catch {
    return undefined;
  }
  if (!isRecord(body)) return undefined;
  const message = [body.message, body.detail, body.title, body.error].find(isFilledText);
  if (message === undefined) return undefined;
  const code = isFilledText(body.code) ? body.code : errorCodeOf(response.status);
  return { code: truncate(code, 100), message: truncate(message, maxMessageLength) };
}

/** In characters. Leaves room for the status: a message is cut to 500 characters. */
const maxMessageLength = 400;

function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function hintFor(
  { status }: HttpResponse,
  hasErrorBody: boolean,
  retryAt: number | undefined,
  { keySource, limitHint, now, request, serviceFlags, once }: FailureContext,
): Hint | undefined {
  if (status === 429) return limitHint?.((retryAt ?? 0) - now, { once });
  if (status === 401) {
    const login: Command = { words: ['auth', 'login', ...serviceFlags] };
    // A variable takes precedence over a saved API key.
    const unset = apiKeyVariables.some((name) => name === keySource) ? 'unset it and ' : '';
    return [`check ${keySource}, or ${unset}run `, login, ' to save another API key'];
  }
  if (status === 403) return 'check that the API key has permission and is not banned';
  if (status === 410) {
    return request.method === 'GET' && /\/pets\/[^/?]+(\?|$)/.test(request.target)
      ? ['run ', { words: ['pets', 'list', '--all', ...serviceFlags] }, ' instead']
      : 'update petstore, or check the base URL';
  }
  // The lists always exist.
  if (status === 404 && (!hasErrorBody || /\/(?:pets|orders)(\?|$)/.test(request.target))) return checkBaseUrlHint;
  return undefined;
}

function redirectFailure({ status, headers }: HttpResponse, outcome: Outcome, { change }: FailureContext): Failure {
  const location = getHeader(headers, 'location') || undefined;
  const target = location === undefined ? '' : ` to ${truncate(location, 200)}`;
  return new Failure(change ? 'unknown-outcome' : 'service', {
    code: 'redirected',
    message: `the service redirected the request${target} (HTTP ${status}), and petstore does not follow redirects`,
    outcome: change && describeOutcome(change, outcome),
    hint: change?.checkHint ?? checkBaseUrlHint,
    status,
    effect: outcome.effect,
  });
}

function cancelFailure(lost: Failure, outcome: Outcome, { change }: FailureContext): Failure {
  // Earlier requests of the command may have been sent, and reading changes nothing.
  if (!change) return lost;
  return new Failure('canceled', {
    ...lost.details,
    outcome: describeOutcome(change, outcome),
    hint: outcome.effect === 'none' ? undefined : change.checkHint,
    effect: outcome.effect,
    cause: lost,
  });
}

/** Returns the message for an error response without a message. */
function describeStatus(status: number): string {
  return statusMessages.get(status) ?? (status >= 500 ? 'the service failed' : 'the service rejected the request');
}

const statusMessages: ReadonlyMap<number, string> = new Map([
  [401, 'the service rejected the API key'],
  [403, 'the service denied access'],
  [404, 'the service found nothing at this URL'],
  [410, 'the service has removed this operation'],
  [429, 'the service rate limited this API key'],
]);

/** Appends the status unless the message contains it as a whole number. */
function appendStatus(message: string, status: number): string {
  const hasStatus = new RegExp(`(?<!\\d[.,]?)${status}(?![.,]?\\d)`).test(message);
  return hasStatus ? message : `${message} (HTTP ${status})`;
}
