import { errorCodeForStatus } from '../api/error.js';
import { getHeader, type HttpRequest, type HttpResponse } from '../api/http.js';
import type { Mutation } from '../api/operations.js';
import type { Outcome } from '../api/outcome.js';
import { apiKeyVariables } from '../config/target.js';
import type { ServiceErrorCode } from '../error-codes.js';
import {
  type Command,
  checkBaseUrlHint,
  Failure,
  type FailureDetails,
  type FailureKind,
  type Hint,
  nothingSent,
  retryHint,
} from '../failure.js';
import { isRecord, JsonError } from '../format/json.js';
import { truncate } from '../format/safe-text.js';
import type { LimitHint } from './limit-hint.js';
import { describeNetworkError } from './network-errors.js';
import { getErrorCode, isContentError } from './outcome.js';
import { InvalidResponseError, parseBody } from './response.js';

/** The facts about a request that the message and hint of its failure need. */
export interface FailureContext {
  /** The change that the request would have made; missing for a read. */
  readonly change: Mutation | undefined;
  readonly request: Pick<HttpRequest, 'method' | 'target'>;
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

/** Why the last attempt failed. */
interface Cause extends FailureDetails {
  readonly kind: FailureKind;
}

/**
 * Returns the failure for an outcome without a usable 2xx response: the cause and, of a request that changes something, what
 * became of the change.
 */
export function failureFromOutcome(outcome: Outcome, context: FailureContext): Failure {
  const { change, serviceFlags } = context;
  const { lost, effect } = outcome;
  const { kind, ...cause } = describeCause(outcome, context);
  const isErrorResponse = cause.status !== undefined && cause.status >= 300;
  // An error response says itself that nothing was changed.
  if (!change || (effect === 'none' && isErrorResponse)) return new Failure(kind, { ...cause, effect, cause: lost });
  const isUnknown = effect !== 'none' && kind !== 'canceled';
  return new Failure(isUnknown ? 'unknown-outcome' : kind, {
    ...cause,
    ...(isUnknown && { code: isErrorResponse ? cause.code : 'outcome_unknown', retryAt: undefined }),
    ...(effect !== 'none' && { hint: change.checkHint(serviceFlags) }),
    outcome: describeOutcome(change, outcome),
    effect,
    cause: lost,
  });
}

function describeCause(outcome: Outcome, context: FailureContext): Cause {
  const { lost, response } = outcome;
  if (lost instanceof Failure && lost.kind === 'canceled') return { kind: lost.kind, ...lost.details };
  // The status alone decides; a truncated body would only have explained it.
  if (response && response.status >= 400) return describeErrorResponse(outcome, context);
  if (response && response.status >= 300) return describeRedirect(response);
  const { kind, ...details } = describeLoss(lost as Error, context);
  if (!response) return { kind, ...details };
  const { status } = response;
  return { kind, ...details, message: `${details.message} (HTTP ${status})`, status };
}

/** Describes a missing response, or a 2xx response that is truncated or violates the API spec. */
function describeLoss(lost: Error, { host }: FailureContext): Cause {
  if (lost instanceof Failure) return { kind: lost.kind, ...lost.details };
  if (!(lost instanceof InvalidResponseError)) {
    const details = describeNetworkError(getErrorCode(lost), host);
    return { kind: details.code === 'invalid_response' ? 'service' : 'network', ...details };
  }
  if (lost.cause instanceof JsonError && lost.cause.isTruncated) {
    const message = `the response from ${host} is truncated`;
    return { kind: 'network', code: 'connection_lost', message, hint: retryHint };
  }
  const message = `the response from ${host} ${lost.message}`;
  return { kind: 'service', code: 'invalid_response', message, hint: checkBaseUrlHint };
}

function describeRedirect({ status, headers }: Pick<HttpResponse, 'status' | 'headers'>): Cause {
  const location = getHeader(headers, 'location') || undefined;
  const target = location === undefined ? '' : ` to ${truncate(location, 200)}`;
  return {
    kind: 'service',
    code: 'redirected',
    message: `the service redirected the request${target} (HTTP ${status}), and petstore does not follow redirects`,
    hint: checkBaseUrlHint,
    status,
  };
}

/** Describes a 4xx or 5xx response. */
function describeErrorResponse(outcome: Outcome, context: FailureContext): Cause {
  const { retryAt } = outcome;
  const { status } = outcome.response as HttpResponse;
  const kind = kindOfStatus(status);
  const body = outcome.lost ? undefined : parseErrorBody(outcome.response);
  // A retry time is meaningless for other errors: the same request fails again.
  const canRetryLater = status === 429 || status === 403 || kind === 'service';
  return {
    kind,
    code: (body?.code ?? errorCodeOf(status)) as ServiceErrorCode,
    message: `${body?.message ?? statusMessages.get(status) ?? otherStatusMessage(status)} (HTTP ${status})`,
    hint: hintFor(status, body !== undefined, retryAt, context),
    status,
    ...(isContentError(outcome) && { isContentError: true }),
    retryAt: canRetryLater ? retryAt : undefined,
  };
}

/** Describes what became of a change. */
function describeOutcome({ object, participle }: Mutation, { effect, sent }: Outcome): string {
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
  status: number,
  hasErrorBody: boolean,
  retryAt: number | undefined,
  { keySource, limitHint, now, request, serviceFlags }: FailureContext,
): Hint | undefined {
  if (status === 429) return limitHint?.((retryAt ?? 0) - now);
  if (status === 401) {
    const login: Command = { words: ['auth', 'login', ...serviceFlags] };
    // A variable takes precedence over a saved API key.
    const unset = apiKeyVariables.includes(keySource) ? 'unset it and ' : '';
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

/** The messages for error responses without a message. */
const statusMessages: ReadonlyMap<number, string> = new Map([
  [401, 'the service rejected the API key'],
  [403, 'the service denied access'],
  [404, 'the service found nothing at this URL'],
  [410, 'the service has removed this operation'],
  [429, 'the service rate limited this API key'],
]);

function otherStatusMessage(status: number): string {
  return status >= 500 ? 'the service failed' : 'the service rejected the request';
}
