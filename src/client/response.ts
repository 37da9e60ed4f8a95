import { getHeader, type HttpHeaders, type HttpResponse, parseHttpDate } from '../api/http.js';
import type { Operation } from '../api/operations.js';
import { isInt64, type PetField } from '../api/pet.js';
import { formatDaysUntil } from '../format/duration.js';
import { formatExactNumber, isRecord, JsonError, parseJson } from '../format/json.js';

/** The error of a 2xx response that violates the API spec; its message follows "the answer …". */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}

/** Parses the body of a 2xx response as the operation describes it. Throws `InvalidResponseError`. */
export function parseResponse<Output>({ response: schema }: Operation<never, Output>, response: HttpResponse): Output {
  if (response.status === 206) {
    throw new InvalidResponseError('is a part, though all was asked for');
  }
  if (schema.kind === 'any' && response.body.length === 0) return undefined as Output;
  const body = parseBody(response);
  if (schema.kind === 'list' && !(Array.isArray(body) && body.every(isRecord))) {
    throw new InvalidResponseError('is not a list of records');
  }
  if (schema.kind === 'record' && !isRecord(body)) {
    throw new InvalidResponseError('is not a record');
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
    return [`${invalid} of ${records.length} answered with no valid ${field.name}`];
  });
}

/** Parses the body as JSON. Throws `InvalidResponseError`. */
export function parseBody({ headers, body }: HttpResponse): unknown {
  const encoding = getHeader(headers, 'content-encoding')?.toLowerCase() || 'identity';
  if (encoding !== 'identity') {
    throw new InvalidResponseError('is compressed, though that was not asked for');
  }
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    const reason = `is not JSON as the interface has it: ${error.message}`;
    throw new InvalidResponseError(reason, { cause: error });
  }
}

/** Accepts unknown status values, which a newer service may add. */
function isValidValue({ type, required }: PetField, value: unknown): boolean {
  if (value === undefined) return !required;
  if (type === 'int64') return isInt64(formatExactNumber(value) ?? '');
  return typeof value === 'string';
}

/**
 * Describes `Deprecation` (RFC 9745: `@` and a Unix time) and `Sunset` (RFC 8594: a date) in one sentence. Returns
 * nothing if neither is present; ignores malformed values. `now` is in milliseconds since the Unix epoch.
 */
export function formatDeprecationNotice(headers: HttpHeaders, now: number): string | undefined {
  const since = parseDeprecation(getHeader(headers, 'deprecation'));
  const sunset = parseHttpDate(getHeader(headers, 'sunset'), now);
  if (since === undefined && sunset === undefined) return undefined;
  const deprecated =
    since === undefined || since <= now
      ? 'the service marks this operation as deprecated'
      : `the service deprecates this operation on ${formatUtcDate(since)}`;
  if (sunset === undefined) return deprecated;
  const removal =
    sunset > now
      ? `it will be removed on ${formatUtcDate(sunset)}, ${formatDaysUntil(sunset - now)}`
      : `it was to be removed on ${formatUtcDate(sunset)}`;
  return `${deprecated}; ${removal}`;
}

/** Returns the date in `Sunset`, if it is valid: `2030-12-05`. */
export function formatSunsetDate(headers: HttpHeaders, now: number): string | undefined {
  const sunset = parseHttpDate(getHeader(headers, 'sunset'), now);
  return sunset === undefined ? undefined : formatUtcDate(sunset);
}

/** The latest time that a `Date` can hold. */
const maxUnixSeconds = 8_640_000_000_000;

function parseDeprecation(header: string | undefined): number | undefined {
  const seconds = /^@(\d{1,13})$/.exec(header?.trim() ?? '')?.[1];
  if (seconds === undefined || Number(seconds) > maxUnixSeconds) return undefined;
  return Number(seconds) * 1000;
}

/** Formats milliseconds since the Unix epoch as a UTC date: `2030-12-05`. */
export function formatUtcDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
