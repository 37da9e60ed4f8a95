import { type HttpResponse, headerOf } from '../api/http.js';
import type { Operation } from '../api/operations.js';
import { type Field, isInt64 } from '../api/pet.js';
import { formatExactNumber, isRecord, JsonError, parseJson } from '../format/json.js';

/** Why an answer with a good status is not the interface's; the message completes "the answer …". */
export class AnswerError extends Error {
  override readonly name = 'AnswerError';
}

/** The body of an answer as the operation describes it. Throws `AnswerError`. */
export function parseAnswer<Output>(
  { answer }: Operation<never, Output>,
  response: HttpResponse,
): Output {
  if (response.status === 206) throw new AnswerError('is a part, though all was asked for');
  if (answer.kind === 'any' && response.body.length === 0) return undefined as Output;
  const body = parseBody(response);
  if (answer.kind === 'list' && !(Array.isArray(body) && body.every(isRecord))) {
    throw new AnswerError('is not a list of records');
  }
  if (answer.kind === 'record' && !isRecord(body)) throw new AnswerError('is not a record');
  return body as Output;
}

/** What is wrong with fields that the interface requires, a line each; the records are shown all the same. */
export function findOddities({ answer }: Operation<never>, body: unknown): readonly string[] {
  if (answer.kind === 'any') return [];
  const records = (answer.kind === 'list' ? body : [body]) as readonly Record<string, unknown>[];
  return answer.fields.flatMap((field) => {
    const odd = records.filter((record) => !holds(field, record[field.name])).length;
    return odd === 0 ? [] : [`${odd} of ${records.length} answered with no valid ${field.name}`];
  });
}

/** The body as JSON, whatever it says. Throws `AnswerError`. */
export function parseBody({ headers, body }: HttpResponse): unknown {
  const encoding = headerOf(headers, 'content-encoding')?.toLowerCase() || 'identity';
  if (encoding !== 'identity')
    throw new AnswerError('is compressed, though that was not asked for');
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new AnswerError(`is not JSON as the interface has it: ${error.message}`, {
      cause: error,
    });
  }
}

/** True for a value that fits its field. A status that is not known may be one that came later. */
function holds({ type, required }: Field, value: unknown): boolean {
  if (value === undefined) return !required;
  // Most are small, and seen to be without a pattern.
  if (type === 'int64')
    return Number.isSafeInteger(value) || isInt64(formatExactNumber(value) ?? '');
  return typeof value === 'string';
}
