import { getHeader, type HttpHeaders, type HttpResponse } from '../api/http.js';
import { parseHttpDate } from '../api/http-date.js';
import type { Operation } from '../api/operations.js';
import { isInt64, type PetField } from '../api/pet.js';
import { formatExactNumber, isRecord, JsonError, parseJson } from '../format/json.js';

/** The error of a 2xx response that violates the API spec; its message follows "the response from <host> …". */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}

/** Parses the body of a 2xx response as the operation describes it. Throws `InvalidResponseError`. */
export function parseResponse<Output>({ response: schema }: Operation<never, Output>, response: HttpResponse): Output {
  if (response.status === 206) {
    throw new InvalidResponseError('is incomplete');
  }
  if (schema.kind === 'any' && response.body.length === 0) return undefined as Output;
  const body = parseBody(response);
  if (schema.kind === 'list' && !(Array.isArray(body) && body.every(isRecord))) {
    throw new InvalidResponseError('is not a JSON array of objects');
  }
  if (schema.kind === 'record' && !isRecord(body)) {
    throw new InvalidResponseError('is not a JSON object');
  }
  return body as Output;
}

/** Returns a warning for each field that violates the API spec; such records are still printed. */
export function findSchemaViolations({ response: schema }: Operation<never>, body: unknown): readonly string[] {
  if (schema.kind === 'any') return [];
  const records = (schema.kind === 'list' ? body : [body]) as readonly Record<string, unknown>[];
  return schema.fields.flatMap((field) => {
    const invalid = records.filter((record) => !isValidValue(field, record[field.name])).length;
    if (invalid === 0) return [];
    return [`the response has no valid ${field.name} in ${invalid} of ${records.length} records`];
  });
}

/** Parses the body as JSON. Throws `InvalidResponseError`. */
export function parseBody(response: HttpResponse): unknown {
  const { headers, body } = response;
  const encoding = getHeader(headers, 'content-encoding')?.toLowerCase() || 'identity';
  if (encoding !== 'identity') {
    throw new InvalidResponseError('is compressed, which the request did not allow');
  }
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const reason = isWebPage(response) ? 'is a web page, not JSON' : `cannot be read as JSON: ${error.message}`;
    throw new InvalidResponseError(reason, { cause: error });
  }
}

/** Returns true for HTML, such as the login page of a captive portal. */
function isWebPage({ headers, body }: HttpResponse): boolean {
  const isHtml = /^text\/html/i.test(getHeader(headers, 'content-type') ?? '');
  const start = isHtml ? /^\s*[^\s[{]/ : /^\s*<(?:!doctype html|html|head|body)\b/i;
  return start.test(new TextDecoder().decode(body.subarray(0, 1_000)));
}

/** Accepts unknown status values, which a newer service may add. */
function isValidValue({ type, required }: PetField, value: unknown): boolean {
  if (value === undefined) return !required;
  if (type === 'int64') return isInt64(formatExactNumber(value) ?? '');
  return typeof value === 'string';
}

/**
 * Describes `Deprecation` (RFC 9745: `@` and a Unix time) and `Sunset` (RFC 8594: a date) in one sentence. Returns
 * nothing if neither is present, or if the removal is known; ignores malformed values. Times are in milliseconds since
 * the Unix epoch.
 */
export function formatDeprecationNotice(
  headers: HttpHeaders,
  { now, knownRemoval }: { readonly now: number; readonly knownRemoval?: number | undefined },
): string | undefined {
  const since = parseDeprecation(getHeader(headers, 'deprecation'));
  const sunset = parseHttpDate(getHeader(headers, 'sunset'), now);
  if (since === undefined && sunset === undefined) return undefined;
  if (knownRemoval !== undefined && sunset === knownRemoval) return undefined;
  const deprecated =
    since === undefined || since <= now
      ? 'the service has deprecated this operation'
      : `the service will deprecate this operation on ${formatUtcDate(since)}`;
  if (sunset === undefined) return deprecated;
  const removal =
    sunset > now ? `will remove it on ${formatUtcDate(sunset)}` : `announced its removal for ${formatUtcDate(sunset)}`;
  return `${deprecated} and ${removal}`;
}

/** The latest time that a `Date` can hold. */
const maxUnixSeconds = 8_640_000_000_000;

function parseDeprecation(header: string | undefined): number | undefined {
  const seconds = /^@(\d{1,13})$/.exec(header?.trim() ?? '')?.[1];
  if (seconds === undefined || Number(seconds) > maxUnixSeconds) return undefined;
  return Number(seconds) * 1000;
}

/** Formats milliseconds since the Unix epoch as a UTC date: `2030-12-05`. */
function formatUtcDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
