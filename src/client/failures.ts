import { errorCodeForStatus } from '../api/error.js';
import { getHeader, type HttpResponse, parseHttpDate } from '../api/http.js';
import type { Mutation } from '../api/operations.js';
import { dayMs } from '../clock.js';
import type { ServiceErrorCode } from '../error-codes.js';
import { checkBaseUrlHint, Failure, type FailureKind } from '../failure.js';
import { isRecord, JsonError } from '../format/json.js';
import { truncate } from '../format/safe-text.js';
import { describeNetworkError } from './describe-network-error.js';
import { formatSunsetDate, formatUtcDate, type InvalidResponseError, parseBody } from './response.js';
import type { TransportError } from './transport-error.js';

/** A change with the hint that says how to check for it. */
type CheckableChange = Omit<Mutation, 'checkHint'> & { readonly checkHint: string };

/** The facts about a request that the message and hint of its failure need. */
export interface FailureContext {
  /** The change that the request would have made; missing for a read. */
  readonly change: CheckableChange | undefined;
  /** Host and port of the service. */
  readonly host: string;
  /** The origin of the API key: `PETSTORE_API_KEY`. */
  readonly keySource: string;
  /** Returns the hint for a used-up quota, given the wait in milliseconds. */
  readonly limitHint?: ((wait: number) => string | undefined) | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Returns the failure for a response whose status is not 2xx. */
export function failureFromStatus(response: HttpResponse, context: FailureContext): Failure {
  const { status } = response;
  const { change } = context;
  if (status < 400) return redirectFailure(response, change);
  const body = parseErrorBody(response);
  const kind: FailureKind = status >= 500 && change ? 'unknown-outcome' : kindOfStatus(status);
  const outcome = kind === 'unknown-outcome' && change ? `; ${describeOutcome(change, status)}` : '';
  // A retry time is meaningless for other errors: the same request fails again.
  const canRetryLater = status === 429 || status === 403 || kind === 'service';
  return new Failure(kind, {
    code: (body?.code ?? errorCodeOf(status)) as ServiceErrorCode,
    message: `${body?.message ?? `the service answered ${status}`}${outcome}`,
    hint: hintFor(kind, response, body !== undefined, context),
    status,
    retryAt: canRetryLater ? response.retryAt : undefined,
  });
}

/** Returns the failure for a missing or truncated response. */
export function failureFromTransport(error: TransportError, context: FailureContext): Failure {
  const { cause, code, sent, response } = error;
  const { change, host } = context;
  if (cause instanceof Failure && cause.kind === 'canceled') {
    return cancelFailure(cause, error, context);
  }
  // The status alone decides; the truncated body would only have explained it.
  if (response && response.status >= 300) {
    return failureFromStatus({ ...response, body: new Uint8Array() }, context);
  }
  if (change && sent) {
    return new Failure('unknown-outcome', {
      code: 'no_answer',
      message: `${host} gave no whole answer; ${describeOutcome(change, response?.status ?? 0)}`,
      hint: change.checkHint,
      status: response?.status,
      cause: error,
    });
  }
  if (cause instanceof Failure) return cause;
  const kind = code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'service' : 'network';
  return new Failure(kind, { ...describeNetworkError(code, host), cause: error });
}

/** The error code of a 2xx response whose JSON ends early. */
export const truncatedResponseCode = 'truncated_answer';

/** Returns the failure for a 2xx response that violates the API spec. */
export function failureFromInvalidResponse(
  error: InvalidResponseError,
  { status }: HttpResponse,
  { change, host }: FailureContext,
): Failure {
  const { message, cause } = error;
  if (change) {
    return new Failure('unknown-outcome', {
      code: 'unreadable_answer',
      message: `the answer ${message}; ${describeOutcome(change, status)}`,
      hint: change.checkHint,
      status,
      cause: error,
    });
  }
  const isTruncated = cause instanceof JsonError && cause.reason === 'truncated';
  return new Failure(isTruncated ? 'network' : 'service', {
    code: isTruncated ? truncatedResponseCode : 'unreadable_answer',
    message: isTruncated ? `the answer of ${host} was cut off` : `the answer ${message}`,
    hint: isTruncated ? 'try again' : checkBaseUrlHint,
    status,
    cause: error,
  });
}

/** Describes a change whose response cannot be read. A 201 proves that the change was made. */
function describeOutcome({ object, participle }: CheckableChange, status: number): string {
  return status === 201
    ? `${object} was ${participle}, but its id is not known`
    : `whether ${object} was ${participle} is not known`;
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
  return { code: truncate(code, 100), message: truncate(message, 500) };
}

function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function hintFor(
  kind: FailureKind,
  { status, headers, retryAt = 0 }: HttpResponse,
  hasErrorBody: boolean,
  { keySource, change, limitHint, now }: FailureContext,
): string | undefined {
  if (status === 429) return limitHint?.(retryAt - now);
  if (kind === 'unknown-outcome') return change?.checkHint;
  if (status === 401) return `the key came from ${keySource}; petstore auth login stores another`;
  if (status === 403) return `the key came from ${keySource}; it may not do this, or it is banned`;
  if (status === 410) {
    const date = formatSunsetDate(headers, now);
    const sunset = date === undefined ? '' : `its end was announced for ${date}; `;
    return `${describeClockSkew(headers, now)}${sunset}use petstore pets list --status available|pending|sold instead`;
  }
  if (status === 404 && !hasErrorBody) return 'check that the base URL leads to the store';
  return undefined;
}

/** Names the service's date if it differs from the local one by a day or more, since a 410 may depend on it. */
function describeClockSkew(headers: HttpResponse['headers'], now: number): string {
  const serviceTime = parseHttpDate(getHeader(headers, 'date'), now);
  if (serviceTime === undefined || Math.abs(serviceTime - now) < dayMs) return '';
  return `by the service's clock it is ${formatUtcDate(serviceTime)}; `;
}

function redirectFailure({ status, headers }: HttpResponse, change: CheckableChange | undefined): Failure {
  const location = getHeader(headers, 'location');
  const target = location === undefined ? '' : ` to ${truncate(location, 200)}`;
  const outcome = change ? `; ${describeOutcome(change, status)}` : '';
  return new Failure(change ? 'unknown-outcome' : 'service', {
    code: 'redirected',
    message: `the service redirects${target}, and petstore follows no redirect with a key${outcome}`,
    hint: change?.checkHint ?? 'set the base URL to the address that is meant',
    status,
  });
}

function cancelFailure(
  cause: Failure,
  { sent, isRetry, response }: TransportError,
  { change }: FailureContext,
): Failure {
  const { message, details } = cause;
  const withMessage = (text: string, hint?: string) =>
    new Failure('canceled', { ...details, message: `${message}; ${text}`, hint });
  if (!sent && !isRetry) return withMessage('nothing was sent');
  if (!change) return cause;
  if (!sent) return withMessage('nothing was changed');
  return withMessage(describeOutcome(change, response?.status ?? 0), change.checkHint);
}
