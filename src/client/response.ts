import { getHeader, type HttpResponse } from '../api/http.js';
import type { Operation } from '../api/operations.js';
import type { Loss } from '../api/outcome.js';
import { isInt64, type PetField } from '../api/pet.js';
import { formatExactNumber, isRecord, JsonError, parseJson } from '../format/json.js';
import type { Middleware } from './middleware.js';
import { isSuccess, lostOutcome } from './outcome.js';

/** Parses 2xx responses as the operation describes them. One that violates the API spec counts as lost. */
export function withParsing<Output>(operation: Operation<never, Output>, onValue: (value: Output) => void): Middleware {
  return (next) => async (request, signal) => {
    const outcome = await next(request, signal);
    if (!isSuccess(outcome)) return outcome;
    const parsed = parseResponse(operation, outcome.response);
    if (parsed.lost) return lostOutcome(request, parsed.lost, outcome);
    onValue(parsed.value);
    return outcome;
  };
}

type Parsed<Value> =
  | { readonly value: Value; readonly lost?: undefined }
  | { readonly lost: Loss; readonly value?: undefined };

/** Returns the body of a 2xx response, or how it violates the API spec. */
export function parseResponse<Output>(
  { response: { kind } }: Operation<never, Output>,
  { headers, body }: HttpResponse,
): Parsed<Output> {
  if (kind === 'any' && body.length === 0) return { value: undefined as Output };
  const encoding = getHeader(headers, 'content-encoding')?.toLowerCase() || 'identity';
  if (encoding !== 'identity') return invalid('is compressed, which the request did not allow');
  let value: unknown;
  try {
    value = parseJson(body);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    if (error.isTruncated) return { lost: { kind: 'network', code: 'TRUNCATED_JSON' } };
    const isWebPage = /^text\/html/i.test(getHeader(headers, 'content-type') ?? '');
    return invalid(isWebPage ? 'is a web page, not JSON' : `cannot be read as JSON: ${error.message}`);
  }
  const isList = Array.isArray(value) && value.every(isRecord);
  if (kind === 'list' && !isList) return invalid('is not a JSON array of objects');
  if (kind === 'record' && !isRecord(value)) return invalid('is not a JSON object');
  return { value: value as Output };
}

function invalid(problem: string): { readonly lost: Loss } {
  return { lost: { kind: 'invalid', problem } };
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

/** Accepts unknown status values, which a newer service may add. */
function isValidValue({ type, required }: PetField, value: unknown): boolean {
  if (value === undefined) return !required;
  if (type === 'int64') return isInt64(formatExactNumber(value) ?? '');
  return typeof value === 'string';
}
