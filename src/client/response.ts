import { getHeader, type HttpResponse } from '../api/http.js';
import type { Operation } from '../api/operations.js';
import { isInt64, type PetField } from '../api/pet.js';
import { formatExactNumber, isRecord, JsonError, parseJson } from '../format/json.js';

/** The error of a 2xx response that violates the API spec; its message follows "the response from <host> …". */
export class InvalidResponseError extends Error {
  override readonly name = 'InvalidResponseError';
}

/** Parses the body of a 2xx response as the operation describes it. Throws `InvalidResponseError`. */
export function parseResponse<Output>({ response: schema }: Operation<never, Output>, response: HttpResponse): Output {
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
    const isWebPage = /^text\/html/i.test(getHeader(headers, 'content-type') ?? '');
    const reason = isWebPage ? 'is a web page, not JSON' : `cannot be read as JSON: ${error.message}`;
    throw new InvalidResponseError(reason, { cause: error });
  }
}

/** Accepts unknown status values, which a newer service may add. */
function isValidValue({ type, required }: PetField, value: unknown): boolean {
  if (value === undefined) return !required;
  if (type === 'int64') return isInt64(formatExactNumber(value) ?? '');
  return typeof value === 'string';
}
