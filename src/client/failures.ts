import { errorCodeForStatus } from '../api/error.js';
import { getHeader, type HttpRequest, type HttpResponse } from '../api/http.js';
import type { Mutation } from '../api/operations.js';
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
import type { LimitHint } from '../quota/gate.js';
import { isContentError, isKeyInProgress } from './attempt-outcome.js';
import { describeNetworkError } from './describe-network-error.js';
import { appendStatus, describeStatus } from './describe-status.js';
import { findNewBaseUrl } from './request.js';
import { InvalidResponseError, parseBody } from './response.js';
import type { TransportError } from './transport-error.js';

/** A change with the hint that says how to check for it. */
type CheckableChange = Omit<Mutation, 'checkHint'> & { readonly checkHint: Hint };

/** The facts about a request that the message and hint of its failure need. */
export interface FailureContext {
  /** The change that the request would have made; missing for a read. */
  readonly change: CheckableChange | undefined;
  readonly request: Pick<HttpRequest, 'method' | 'origin' | 'target' | 'noRetry'>;
  /** The path of the base URL: `/v1`. */
  readonly basePath: string;
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

/** Returns the failure for a response whose status is not 2xx. */
export function failureFromStatus(response: HttpResponse, context: FailureContext): Failure {
  const { status } = response;
  const { change } = context;
  if (status < 400) return redirectFailure(response, context);
  const body = parseErrorBody(response);
  const isUnknown = status >= 500 || isKeyInProgress(response);
  const kind: FailureKind = isUnknown && change ? 'unknown-outcome' : kindOfStatus(status);
  const message = appendStatus(body?.message ?? describeStatus(status), response, context.now);
  // A retry time is meaningless for other errors: the same request fails again.
  const canRetryLater = status === 429 || status === 403 || kind === 'service';
  return new Failure(kind, {
    code: (body?.code ?? errorCodeOf(status)) as ServiceErrorCode,
    message,
    outcome: isUnknown && change ? describeOutcome(change, status) : undefined,
    hint: hintFor(kind, response, body !== undefined, context),
    status,
    ...(isContentError(response) && { isContentError: true }),
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
  const details = cause instanceof Failure ? cause.details : describeNetworkError(code, host, sent);
  const outcome = change && describeAttempt(error, change);
  if (change && sent) {
    const message = response ? `${details.message} (HTTP ${response.status})` : details.message;
    return new Failure('unknown-outcome', {
      code: 'outcome_unknown',
      message,
      outcome,
      hint: change.checkHint,
      status: response?.status,
      cause: error,
    });
  }
  const isTooLarge = code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE';
  const kind = cause instanceof Failure ? cause.kind : isTooLarge ? 'service' : 'network';
  return new Failure(kind, { ...details, ...(outcome && { outcome }), cause: error });
}

/** Returns true for the failure after a 2xx response whose JSON ends early. */
export function isTruncatedResponse(error: unknown): boolean {
  if (!(error instanceof Failure) || !(error.details.cause instanceof InvalidResponseError)) return false;
  const { cause } = error.details.cause;
  return cause instanceof JsonError && cause.reason === 'truncated';
}

/** Returns the failure for a 2xx response that violates the API spec. */
export function failureFromInvalidResponse(
  error: InvalidResponseError,
  { status }: HttpResponse,
  { change, host }: FailureContext,
): Failure {
  const { cause } = error;
  const message = `the response from ${host} ${error.message} (HTTP ${status})`;
  if (change) {
    return new Failure('unknown-outcome', {
      code: 'invalid_response',
      message,
      outcome: describeOutcome(change, status),
      hint: change.checkHint,
      status,
      cause: error,
    });
  }
  const isTruncated = cause instanceof JsonError && cause.reason === 'truncated';
  return new Failure(isTruncated ? 'network' : 'service', {
    code: isTruncated ? 'connection_lost' : 'invalid_response',
    message: isTruncated ? `the response from ${host} is truncated (HTTP ${status})` : message,
    hint: isTruncated ? retryHint : checkBaseUrlHint,
    status,
    cause: error,
  });
}

/** Describes a change whose response cannot be read. A 201 proves that the change was made. */
function describeOutcome({ object, participle }: CheckableChange, status: number): string {
  return status === 201
    ? `${object} was ${participle}, but its id is unknown`
    : `it is unknown whether ${object} was ${participle}`;
}

/** Describes a change without a complete response. */
function describeAttempt({ sent, isRetry, response }: TransportError, change: CheckableChange): string {
  if (sent) return describeOutcome(change, response?.status ?? 0);
  // The attempts before a retry were sent, but changed nothing.
  return isRetry ? 'nothing was changed' : nothingSent;
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
  kind: FailureKind,
  { status, retryAt = 0 }: HttpResponse,
  hasErrorBody: boolean,
  { keySource, change, limitHint, now, request, serviceFlags }: FailureContext,
): Hint | undefined {
  if (status === 429) return limitHint?.(retryAt - now, { noRetry: request.noRetry });
  if (kind === 'unknown-outcome') return change?.checkHint;
  if (status === 401) {
    const login: Command = { words: ['auth', 'login', ...serviceFlags], isShownOnly: true };
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

function redirectFailure({ status, headers }: HttpResponse, { change, request, basePath }: FailureContext): Failure {
  const location = getHeader(headers, 'location') || undefined;
  const target = location === undefined ? '' : ` to ${truncate(location, 200)}`;
  const redirect = `the service redirected the request${target} (HTTP ${status})`;
  const baseUrl = findNewBaseUrl(location ?? '', request, basePath);
  const newFlags: Command = { words: ['--base-url', baseUrl ?? ''], isAddition: true, isShownOnly: true };
  const redirectHint: Hint | undefined = baseUrl && ['pass ', newFlags, ' if you trust it'];
  return new Failure(change ? 'unknown-outcome' : 'service', {
    code: 'redirected',
    message: `${redirect}, and petstore does not follow redirects`,
    outcome: change && describeOutcome(change, status),
    hint: change?.checkHint ?? redirectHint ?? checkBaseUrlHint,
    status,
  });
}

function cancelFailure(cause: Failure, error: TransportError, { change }: FailureContext): Failure {
  // Earlier requests of the command may have been sent, and reading changes nothing.
  if (!change) return cause;
  return new Failure('canceled', {
    ...cause.details,
    outcome: describeAttempt(error, change),
    hint: error.sent ? change.checkHint : undefined,
    cause: error,
  });
}
