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
import type { HttpRequest } from '../../src/api/http.js';
import { testKey } from './test-store.js';

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
    host: flagged(['127.0.0.1:4010', 'LOCALHOST', '[::1]'], ['example.com', '', undefined]),
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
