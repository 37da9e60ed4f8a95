import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  type Arbitrary,
  array,
  bigInt,
  constant,
  constantFrom,
  json as jsonText,
  jsonValue,
  nat,
  oneof,
  option,
  record,
  string,
  tuple,
  uint8Array,
} from 'fast-check';
import { parse } from 'yaml';
import type { HttpRequest, HttpResponse } from '../../src/api/http.js';
import { testKey } from './test-server.js';

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

/** The operations of openapi.yaml. */
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

/** A random request and its deliberate properties. */
export interface GeneratedRequest {
  readonly request: HttpRequest;
  /** `Host` names the server and `Origin` is absent or equal. */
  readonly isAddressed: boolean;
  readonly isAuthorized: boolean;
  /** Its headers declare uncompressed JSON. */
  readonly isJson: boolean;
  /** `Idempotency-Key` is absent or valid. */
  readonly isKeyValid: boolean;
}

/** Generates valid and invalid requests, valid ones more often. `cursor` is one that the server issued. */
export function anyRequest(cursor: string): Arbitrary<GeneratedRequest> {
  return record({
    method: mostly(constantFrom('GET', 'POST'), constantFrom('HEAD', 'PUT', 'DELETE', 'get', '')),
    path: oneof(
      { weight: 4, arbitrary: constant('/v1/pets') },
      { weight: 2, arbitrary: oneof(id, anyText).map((text) => `/v1/pets/${text}`) },
      { weight: 1, arbitrary: constant('/v1/store/orders') },
      { weight: 1, arbitrary: anyText.map((text) => `/${text}`) },
    ),
    query: array(tuple(constantFrom('limit', 'status', 'cursor', 'x'), queryValue(cursor)), {
      maxLength: 3,
    }),
    host: flagged(['127.0.0.1:4010', 'LOCALHOST', '[::1]'], ['example.com']),
    origin: flagged([undefined], ['null', 'http://example.com']),
    authorization: flagged(
      [`Bearer ${testKey}`, `bearer ${testKey}`, `BEARER   ${testKey}`],
      [undefined, 'Bearer', 'Bearer x', `Basic ${testKey}`, [`Bearer ${testKey}`, 'Bearer x']],
    ),
    type: flagged(
      ['application/json', 'Application/JSON; charset=utf-8'],
      [undefined, 'text/plain', 'application/jsonp', ['application/json', 'application/json']],
    ),
    encoding: flagged([undefined], ['gzip', 'identity']),
    key: flagged([undefined, undefined, 'a', 'b'], ['', 'a b', 'é', ['a', 'b']]),
    body: oneof({ weight: 5, arbitrary: bodyText.map(bytesOf) }, anyBytes),
  }).map(({ method, path, query, host, origin, authorization, type, encoding, key, body }) => ({
    request: {
      method,
      origin: 'http://127.0.0.1:4010',
      target: query.length > 0 ? `${path}?${new URLSearchParams(query)}` : path,
      headers: {
        host: host.value,
        origin: origin.value,
        authorization: authorization.value,
        'content-type': type.value,
        'content-encoding': encoding.value,
        'idempotency-key': key.value,
      },
      body,
    },
    isAddressed: host.isGood && origin.isGood,
    isAuthorized: authorization.isGood,
    isJson: type.isGood && encoding.isGood,
    isKeyValid: key.isGood,
  }));
}

const anyText = string().map((text) => encodeURI(text).replace(/[?#]/g, '%'));
const anyBytes = uint8Array({ maxLength: 40 });
const edges = ['-1', '0', '9007199254740993', '9223372036854775807', '9223372036854775808', '1e2'];
const int64 = bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
const id = oneof(nat(99).map(String), int64, constantFrom(...edges, '%31', '%zz'));
const names = ['', ' ', '\u200b', '\0', 'a\ud800', '🐈'.repeat(200), 'x'.repeat(201)];

const status = mostly(constantFrom('available', 'pending', 'sold'), constantFrom('', 'SOLD', '0'));

function queryValue(cursor: string): Arbitrary<string> {
  return oneof(nat(120).map(String), status, constant(cursor), constantFrom('', '020', '+5', '1.0'));
}

const text = (value: unknown) => JSON.stringify(value);
const name = mostly(string({ unit: 'binary', minLength: 1 }), constantFrom(...names)).map(text);
const member = mostly(constant(undefined), option(jsonValue().map(text), { nil: undefined }));

/** Generates the JSON of a new pet, sometimes with extra, missing or mistyped fields. */
const newPet = record({
  name: replaced(name),
  categoryId: replaced(mostly(int64, constantFrom('9223372036854775808', '-9223372036854775809'))),
  status: replaced(option(status.map(text), { nil: undefined })),
  extra: member,
}).map((members) => {
  const written = Object.entries(members).flatMap(([key, value]) =>
    value === undefined ? [] : `${text(key)}:${value}`,
  );
  return `{${written.join(',')}}`;
});

const bodyText = oneof(
  { weight: 12, arbitrary: newPet },
  { weight: 2, arbitrary: jsonText() },
  { weight: 1, arbitrary: newPet.map((pet) => pet.slice(0, -1)) },
  { weight: 1, arbitrary: newPet.map((pet) => pet.padEnd(65_537)) },
);

/** Sometimes replaces a value with another JSON value, or omits it. */
function replaced(good: Arbitrary<string | undefined>): Arbitrary<string | undefined> {
  return oneof(
    { weight: 12, arbitrary: good },
    { weight: 1, arbitrary: jsonValue().map(text) },
    {
      weight: 1,
      arbitrary: constant(undefined),
    },
  );
}

function mostly<Value>(good: Arbitrary<Value>, bad: Arbitrary<Value>): Arbitrary<Value> {
  return oneof({ weight: 6, arbitrary: good }, { weight: 1, arbitrary: bad });
}

type Value = string | readonly string[] | undefined;

function flagged(good: readonly Value[], bad: readonly Value[]) {
  return mostly(
    constantFrom(...good).map((value) => ({ value, isGood: true })),
    constantFrom(...bad).map((value) => ({ value, isGood: false })),
  );
}

function bytesOf(body: string): Uint8Array {
  return new TextEncoder().encode(body);
}
