import { errorCodeForStatus } from '../api/error.js';
import { getHeader, type HttpRequest, type HttpResponse } from '../api/http.js';
import type { Mutation } from '../api/operations.js';
import type { Loss, Outcome, ResponseHead, Wait } from '../api/outcome.js';
import { type Clock, minuteMs } from '../clock.js';
import { apiKeyVariables } from '../config/target.js';
import type { ServiceErrorCode } from '../error-codes.js';
import {
  type Command,
  checkBaseUrlHint,
  Failure,
  type FailureDetails,
  type FailureKind,
  type Hint,
  type HintParts,
  nothingSent,
} from '../failure.js';
import { formatCount } from '../format/duration.js';
import { isRecord, tryParseJson } from '../format/json.js';
import { truncate } from '../format/safe-text.js';
import { describeNetworkError } from './network-errors.js';
import { isContentError } from './outcome.js';

/** The facts about a service that the messages and hints of failures need. */
export interface ServiceFacts {
  /** The name of the service: the profile or the host. */
  readonly label: string;
  /** The flags that select this service in another command. */
  readonly serviceFlags: readonly string[];
  /** The source of the API key, as a noun: `PETSTORE_API_KEY`. */
  readonly keySource: string;
  /** The longest wait for the quota, in milliseconds. */
  readonly maxWaitMs: number;
  /** How to get a higher limit from this service. */
  readonly limitHint?: HintParts | undefined;
  readonly createReadOnlyError: () => Failure;
  readonly clock: Clock;
}

/** A request and how it was sent. */
export interface FailureContext extends ServiceFacts {
  readonly request: Pick<HttpRequest, 'method' | 'origin' | 'target'>;
  /** The change that the request would have made; missing for a read. */
  readonly change: Mutation | undefined;
  /** Aborted with a `Failure` (canceled). */
  readonly signal: AbortSignal;
  /** The request was not to wait for the quota. */
  readonly once?: boolean | undefined;
}

/**
 * Returns the failure for an outcome without a usable 2xx response: the cause and, of a request that changes something, what
 * became of the change.
 */
export function failureFromOutcome(outcome: Outcome, context: FailureContext): Failure {
  const { change, serviceFlags } = context;
  const { effect } = outcome;
  const { kind, details } = describeCause(outcome, context);
  const isErrorResponse = details.status !== undefined && details.status >= 300;
  // An error response says itself that nothing was changed.
  if (!change || (effect === 'none' && isErrorResponse)) return new Failure(kind, { ...details, effect });
  const isUnknown = effect !== 'none' && kind !== 'canceled';
  return new Failure(isUnknown ? 'unknown-outcome' : kind, {
    ...details,
    ...(isUnknown && { code: isErrorResponse ? details.code : 'outcome_unknown', retryAt: undefined }),
    ...(effect !== 'none' && { hint: change.checkHint(serviceFlags) }),
    outcome: describeEffect(change, outcome),
    effect,
  });
}

/** Describes what became of a change. */
function describeEffect({ object, participle }: Mutation, { effect, sent }: Outcome): string {
  if (effect === 'made') return `${object} was ${participle}, but its id is unknown`;
  if (effect === 'unknown') return `it is unknown whether ${object} was ${participle}`;
  return sent ? 'nothing was changed' : nothingSent;
}

/** Returns why the last attempt failed. */
function describeCause(outcome: Outcome, context: FailureContext): Failure {
  const { lost, response } = outcome;
  if (lost?.kind === 'canceled') return context.signal.reason as Failure;
  // The status alone decides; a truncated body would only have explained it.
  if (!lost || (response && response.status >= 300)) return describeErrorResponse(outcome, context);
  const { kind, details } = describeLoss(lost, context);
  if (!response) return new Failure(kind, details);
  const { status } = response;
  return new Failure(kind, { ...details, message: `${details.message} (HTTP ${status})`, status });
}

/** Describes a missing response, or a 2xx response that is truncated or violates the API spec. */
function describeLoss(lost: Exclude<Loss, { readonly kind: 'canceled' }>, context: FailureContext): Failure {
  const { host } = new URL(context.request.origin);
  switch (lost.kind) {
    case 'read-only':
      return context.createReadOnlyError();
    case 'held-back':
      return describeWait(lost.wait, context);
    case 'timeout': {
      const message = `${host} did not send a complete response within ${lost.timeoutMs / 1000} s`;
      return new Failure('network', { code: 'timeout', message, hint: 'increase --timeout' });
    }
    case 'invalid': {
      const message = `the response from ${host} ${lost.problem}`;
      return new Failure('service', { code: 'invalid_response', message, hint: checkBaseUrlHint });
    }
    case 'network':
      return describeNetworkError(lost.code, host);
  }
}

/** Describes a wait for the quota that is too long. */
function describeWait({ reason, dayLimit, endsAt }: Wait, context: FailureContext): Failure {
  const fail = (message: string, details?: Pick<FailureDetails, 'outcome' | 'hint'>) =>
    new Failure('rate-limited', { code: 'rate_limited', message, ...details, retryAt: endsAt });
  if (reason === 'leave') return fail('half of the remaining quota is used');
  const unsent = { outcome: nothingSent, hint: hintForLimit(endsAt, context) };
  const { label } = context;
  if (dayLimit !== undefined) {
    return fail(`the day's quota of ${label} (${formatCount(dayLimit, 'request')}) is used up`, unsent);
  }
  const isBlock = reason === 'block';
  return fail(
    isBlock ? 'the service rate limited or banned this API key' : 'no requests are left in this window',
    unsent,
  );
}

/** Waits of more than an hour are not worth waiting for. In milliseconds. */
const maxSuggestedWaitMs = 3_600_000;

/** Returns the hint for an exhausted quota: how to get a higher limit, or the `--max-wait` that suffices. */
function hintForLimit(
  retryAt: number,
  { limitHint, maxWaitMs, serviceFlags, once, clock }: FailureContext,
): Hint | undefined {
  if (once) return undefined;
  const waitMs = retryAt - clock.now();
  const reset: Command = { words: ['quota', '--reset', ...serviceFlags] };
  const raised = limitHint ?? (waitMs > maxSuggestedWaitMs ? ['run ', reset, ' if the limit was raised'] : []);
  if (waitMs <= maxWaitMs || waitMs > maxSuggestedWaitMs) return raised.length > 0 ? raised : undefined;
  // At least the length of a minute's window: a long list waits for several of them.
  const seconds = Math.ceil(Math.max(waitMs, minuteMs) / 1000);
  const wait: Command = { words: ['--max-wait', String(seconds)], isAddition: true, isNext: true };
  return [...raised, raised.length > 0 ? ', or pass ' : 'pass ', wait, ' to wait'];
}

/** Describes a response without a 2xx status. */
function describeErrorResponse(outcome: Outcome, context: FailureContext): Failure {
  const { retryAt } = outcome;
  const response = outcome.response as ResponseHead;
  const { status } = response;
  if (status < 400) return describeRedirect(response);
  const isRejection = status < 500;
  const [kind, usualMessage] =
    statuses[status] ??
    (isRejection ? ['rejected', 'the service rejected the request'] : ['service', 'the service failed']);
  const body = outcome.lost ? undefined : parseErrorBody(outcome.response);
  return new Failure(kind, {
    code: (body?.code ?? errorCodeForStatus(status) ?? `http_${status}`) as ServiceErrorCode,
    message: `${body?.message ?? usualMessage} (HTTP ${status})`,
    hint: hintForStatus(status, body !== undefined, retryAt, context),
    status,
    ...(isContentError(outcome) && { isContentError: true }),
    retryAt,
  });
}

function describeRedirect({ status, headers }: ResponseHead): Failure {
  const location = getHeader(headers, 'location');
  const target = location ? ` to ${truncate(location, 200)}` : '';
  const message = `the service redirected the request${target} (HTTP ${status}), and petstore does not follow redirects`;
  return new Failure('service', { code: 'redirected', message, hint: checkBaseUrlHint, status });
}

/** Kind and message of an error response without a message. */
const statuses: Readonly<Record<number, readonly [FailureKind, string]>> = {
  401: ['auth', 'the service rejected the API key'],
  403: ['auth', 'the service denied access'],
  404: ['not-found', 'the service found nothing at this URL'],
  410: ['not-found', 'the service has removed this operation'],
  429: ['rate-limited', 'the service rate limited this API key'],
};

/** Returns code and message of an Error body, or of a similar JSON object. */
function parseErrorBody({ body }: HttpResponse) {
  const error = tryParseJson(body)?.value;
  if (!isRecord(error)) return undefined;
  const message = [error.message, error.detail, error.title, error.error].find(isFilledText);
  if (message === undefined) return undefined;
  const code = isFilledText(error.code) ? truncate(error.code, 100) : undefined;
  // Leaves room for the status: a message is cut to 500 characters.
  return { code, message: truncate(message, 400) };
}

function isFilledText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function hintForStatus(
  status: number,
  hasErrorBody: boolean,
  retryAt: number | undefined,
  context: FailureContext,
): Hint | undefined {
  const { keySource, request, serviceFlags } = context;
  if (status === 429) return hintForLimit(retryAt ?? 0, context);
  if (status === 401) {
    const login: Command = { words: ['auth', 'login', ...serviceFlags] };
    // A variable takes precedence over a saved API key.
    const unset = apiKeyVariables.includes(keySource) ? 'unset it and ' : '';
    return [`check ${keySource}, or ${unset}run `, login, ' to save another API key'];
  }
  if (status === 403) return 'check that the API key has permission and is not banned';
  if (status === 410 && /\/pets\/[^/?]+(\?|$)/.test(request.target)) {
    return ['run ', { words: ['pets', 'list', '--all', ...serviceFlags] }, ' instead'];
  }
  // The lists always exist.
  if (status === 404 && (!hasErrorBody || /\/(?:pets|orders)(\?|$)/.test(request.target))) return checkBaseUrlHint;
  return undefined;
}
