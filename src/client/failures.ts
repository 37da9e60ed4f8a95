import { codeOfStatus } from '../api/error.js';
import { type HttpResponse, headerOf } from '../api/http.js';
import { parseHttpDate } from '../api/http-date.js';
import type { Change } from '../api/operations.js';
import { day } from '../clock.js';
import { checkBaseUrlHint, Failure, type FailureKind } from '../failure.js';
import { isRecord, JsonError } from '../format/json.js';
import { truncate } from '../format/safe-text.js';
import { dateOf, sunsetDate } from './deprecation.js';
import { networkWords } from './describe-network-error.js';
import { type AnswerError, parseBody } from './response.js';
import type { TransportError } from './transport-error.js';

/** A change with how to check it in the store that was asked. */
type ToldChange = Omit<Change, 'check'> & { readonly check: string };

/** What a failure's words need to know of the request that failed. */
export interface Circumstances {
  /** What the request would have changed. */
  readonly change: ToldChange | undefined;
  /** Host and port that were spoken to. */
  readonly host: string;
  /** Where the key came from: `PETSTORE_API_KEY`. */
  readonly keySource: string;
  /** What to do where the quota is used up. */
  readonly limitHint?: ((wait: number) => string | undefined) | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** The failure that an answer without success means. */
export function failureOfStatus(response: HttpResponse, circumstances: Circumstances): Failure {
  const { status } = response;
  const { change } = circumstances;
  if (status < 400) return redirected(response, change);
  const said = errorSaid(response);
  const kind: FailureKind = status >= 500 && change ? 'unknown-outcome' : kindOf(status);
  const unknown = kind === 'unknown-outcome' && change ? `; ${doubt(change, status)}` : '';
  // Other answers do not change by waiting, whatever they say.
  const passes = status === 429 || status === 403 || kind === 'service';
  return new Failure(kind, {
    code: said?.code ?? codeOf(status),
    message: `${said?.message ?? `the service answered ${status}`}${unknown}`,
    hint: hintFor(kind, response, said !== undefined, circumstances),
    status,
    retryAt: passes ? response.retryAt : undefined,
  });
}

/** The failure that no answer, or half of one, means. A POST that left may have been carried out. */
export function failureOfTransport(error: TransportError, circumstances: Circumstances): Failure {
  const { cause, code, sent, answer } = error;
  const { change, host } = circumstances;
  if (cause instanceof Failure && cause.kind === 'canceled') {
    return interrupted(cause, error, circumstances);
  }
  // The status is the answer; a body that was cut off would only have explained it.
  if (answer && answer.status >= 300) {
    return failureOfStatus({ ...answer, body: new Uint8Array() }, circumstances);
  }
  if (change && sent) {
    return new Failure('unknown-outcome', {
      code: 'no_answer',
      message: `${host} gave no whole answer; ${doubt(change, answer?.status ?? 0)}`,
      hint: change.check,
      status: answer?.status,
      cause: error,
    });
  }
  if (cause instanceof Failure) return cause;
  const kind = code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'service' : 'network';
  return new Failure(kind, { ...networkWords(code, host), cause: error });
}

/** The code of an answer that ended before it was whole. */
export const truncated = 'truncated_answer';

/** The failure that an answer means which is not the interface's. */
export function failureOfAnswer(
  error: AnswerError,
  { status }: HttpResponse,
  { change, host }: Circumstances,
): Failure {
  const { message, cause } = error;
  if (change) {
    return new Failure('unknown-outcome', {
      code: 'unreadable_answer',
      message: `the answer ${message}; ${doubt(change, status)}`,
      hint: change.check,
      status,
      cause: error,
    });
  }
  const cutOff = cause instanceof JsonError && cause.reason === 'truncated';
  return new Failure(cutOff ? 'network' : 'service', {
    code: cutOff ? truncated : 'unreadable_answer',
    message: cutOff ? `the answer of ${host} was cut off` : `the answer ${message}`,
    hint: cutOff ? 'try again' : checkBaseUrlHint,
    status,
    cause: error,
  });
}

/** What is known of a creation whose answer cannot be read: a 201 came once it was done. */
function doubt({ what, done }: ToldChange, status: number): string {
  return status === 201
    ? `${what} was ${done}, but its id is not known`
    : `whether ${what} was ${done} is not known`;
}

function kindOf(status: number): FailureKind {
  if (status === 401 || status === 403) return 'auth';
  if (status === 404 || status === 410) return 'not-found';
  if (status === 429) return 'rate-limited';
  return status >= 500 ? 'service' : 'rejected';
}

function codeOf(status: number): string {
  return codeOfStatus(status) ?? `http_${status}`;
}

/** Code and message of an Error body, or of what comes near one. */
function errorSaid(response: HttpResponse): { code: string; message: string } | undefined {
  let body: unknown;
  try {
    body = parseBody(response);
  } catch {
    return undefined;
  }
  if (!isRecord(body)) return undefined;
  const message = [body.message, body.detail, body.title, body.error].find(
    (candidate) => typeof candidate === 'string' && candidate.trim() !== '',
  );
  if (typeof message !== 'string') return undefined;
  const named = typeof body.code === 'string' && body.code.trim() !== '';
  const code = named ? String(body.code) : codeOf(response.status);
  return { code: truncate(code, 100), message: truncate(message, 500) };
}

function hintFor(
  kind: FailureKind,
  { status, headers, retryAt = 0 }: HttpResponse,
  explained: boolean,
  { keySource, change, limitHint, now }: Circumstances,
): string | undefined {
  if (status === 429) return limitHint?.(retryAt - now);
  if (kind === 'unknown-outcome') return change?.check;
  if (status === 401) return `the key came from ${keySource}; petstore auth login stores another`;
  if (status === 403) return `the key came from ${keySource}; it may not do this, or it is banned`;
  if (status === 410) {
    const date = sunsetDate(headers, now);
    const end = date === undefined ? '' : `its end was announced for ${date}; `;
    return `${otherDay(headers, now)}${end}use petstore pets list --status available|pending|sold instead`;
  }
  if (status === 404 && !explained) return 'check that the base URL leads to the store';
  return undefined;
}

/** A service that lives on another day than this machine has reasons that the calendar here does not show. */
function otherDay(headers: HttpResponse['headers'], now: number): string {
  const theirs = parseHttpDate(headerOf(headers, 'date'), now);
  if (theirs === undefined || Math.abs(theirs - now) < day) return '';
  return `by the service's clock it is ${dateOf(theirs)}; `;
}

function redirected({ status, headers }: HttpResponse, change: ToldChange | undefined): Failure {
  const location = headerOf(headers, 'location');
  const where = location === undefined ? '' : ` to ${truncate(location, 200)}`;
  return new Failure(change ? 'unknown-outcome' : 'service', {
    code: 'redirected',
    message: `the service redirects${where}, and petstore follows no redirect with a key${change ? `; ${doubt(change, status)}` : ''}`,
    hint: change?.check ?? 'set the base URL to the address that is meant',
    status,
  });
}

function interrupted(
  cause: Failure,
  { sent, again, answer }: TransportError,
  { change }: Circumstances,
): Failure {
  const { message } = cause;
  if (!sent && !again) return reworded(cause, `${message}; nothing was sent`);
  if (!change) return cause;
  if (!sent) return reworded(cause, `${message}; nothing was changed`);
  return reworded(cause, `${message}; ${doubt(change, answer?.status ?? 0)}`, change.check);
}

function reworded({ details }: Failure, message: string, hint?: string): Failure {
  return new Failure('canceled', { ...details, message, hint });
}
