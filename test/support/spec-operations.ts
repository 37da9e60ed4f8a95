import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse } from 'yaml';
import type { HttpResponse } from '../../src/api/http.js';

// They are CommonJS, which vitest and tsc import differently.
const require = createRequire(import.meta.url);
const { default: RequestValidator } =
  require('openapi-request-validator') as typeof import('openapi-request-validator');
const { default: ResponseValidator } =
  require('openapi-response-validator') as typeof import('openapi-response-validator');

/** An operation of openapi.yaml with third-party validators. */
export interface SpecOperation {
  readonly method: string;
  /** The path template, with parameters in braces. */
  readonly path: string;
  /** Returns violations of a request. Integers must be converted by `wholeNumber`. */
  problemsOfRequest(request: {
    readonly headers: object;
    readonly params: object;
    readonly query: object;
    readonly body?: unknown;
  }): readonly unknown[];
  /** Returns violations of a response's headers and body. */
  problemsOfAnswer(answer: HttpResponse): readonly unknown[];
}

// biome-ignore lint/suspicious/noExplicitAny: the API spec is untyped JSON
const document: any = parse(readFileSync('openapi.yaml', 'utf8'));

export const specOperations: readonly SpecOperation[] = Object.entries<object>(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => describe(method.toUpperCase(), path, resolve(operation))),
);

/** Responses that belong to no operation. */
export const refused: Pick<SpecOperation, 'problemsOfAnswer'> = answerValidator({
  default: resolve(document.components.responses.Rejected),
});

// biome-ignore lint/suspicious/noExplicitAny: as above
function describe(method: string, path: string, operation: any): SpecOperation {
  const validator = new RequestValidator({
    parameters: operation.parameters ?? [],
    requestBody: operation.requestBody,
  });
  return {
    method,
    path,
    problemsOfRequest: (request) => validator.validateRequest(request)?.errors ?? [],
    ...answerValidator(operation.responses),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: as above
function answerValidator(responses: any): Pick<SpecOperation, 'problemsOfAnswer'> {
  const bodies = new ResponseValidator({ responses });
  const headers = new ResponseValidator({
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, headersOf(response)]),
    ) as never,
  });
  return {
    problemsOfAnswer: ({ status, headers: received, body }) => {
      const known = status in responses ? status : ('default' as never);
      const values = Object.entries(received).map(([name, value]) => [name, wholeNumber(String(value))]);
      const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
      return [
        headers.validateResponse(known, Object.fromEntries(values)),
        text !== '' && bodies.validateResponse(known, JSON.parse(text)),
      ].flatMap((problem) => (problem ? problem.errors : []));
    },
  };
}

/** Returns the headers of a response as an object schema. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function headersOf({ headers = {} }: any) {
  const entries = Object.entries<{ required?: boolean; schema: object }>(headers);
  return {
    description: '',
    schema: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, { schema }]) => [name.toLowerCase(), schema])),
      required: entries.filter(([, { required }]) => required).map(([name]) => name.toLowerCase()),
    },
  };
}

/**
 * Returns the 64-bit integer in the text, or the text. Integers that a JavaScript number cannot hold become 1 or -1.
 */
export function wholeNumber(text: string): string | number {
  if (!/^(0|-?[1-9][0-9]*)$/.test(text)) return text;
  if (BigInt.asIntN(64, BigInt(text)) !== BigInt(text)) return text;
  return Number.isSafeInteger(Number(text)) ? Number(text) : Math.sign(Number(text));
}

/** Returns the API spec with every `$ref` resolved. */
function resolve(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(resolve);
  if (typeof part !== 'object' || part === null) return part;
  if ('$ref' in part) {
    const names = String(part.$ref).slice(2).split('/');
    return resolve(names.reduce((found, name) => found[name], document));
  }
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolve(value)]));
}
