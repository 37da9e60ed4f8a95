import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { idempotencyKeyLifetimeMs } from '../src/api/http.js';
import { operations } from '../src/api/operations.js';
import { isBlankName, listLimit, newPetFields, petFields, petStatuses } from '../src/api/pet.js';
import { formatJson } from '../src/format/json.js';
import { openStore } from './support/test-server.js';
import { blankNames, validNames } from './support/text-samples.js';

// biome-ignore lint/suspicious/noExplicitAny: the API spec has no type
const spec: any = parse(readFileSync('openapi.yaml', 'utf8'));
const { schemas, responses } = spec.components;
const quotaHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

test('describes exactly the operations of the API', () => {
  const described = Object.entries<object>(spec.paths).flatMap(([path, item]) =>
    Object.entries<{ operationId: string }>(item as never).map(([method, { operationId }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
    })),
  );
  expect(described).toEqual(operations.map(({ id, method, path }) => ({ id, method, path })));
});

test.each(operations)('describes parameters, body and response of $id', (operation) => {
  const described = spec.paths[operation.path][operation.method.toLowerCase()];
  const query = (described.parameters ?? [])
    .filter((parameter: { in: string }) => parameter.in === 'query')
    .map((parameter: { name: string }) => parameter.name)
    // Clients take the cursor from the Link header.
    .filter((name: string) => name !== 'cursor');
  expect(query).toEqual(operation.query);
  expect(described.deprecated === true).toBe(operation.deprecated !== undefined);
  expect(described['x-stability']).toBe(operation.experimental && 'experimental');
  expect(described.requestBody !== undefined).toBe(operation.body !== undefined);
  const success = described.responses[operation.successStatus].content['application/json'].schema;
  const shapes = { list: '#/components/schemas/Pets', record: '#/components/schemas/Pet' };
  expect(success.$ref).toBe(operation.response.kind === 'any' ? undefined : shapes[operation.response.kind]);
});

test.each([
  ['NewPet', newPetFields],
  ['Pet', petFields],
] as const)('describes the fields of %s', (name, fields) => {
  expect(Object.keys(schemas[name].properties)).toEqual(fields.map((field) => field.name));
  expect(schemas[name].required).toEqual(fields.filter((field) => field.required).map((field) => field.name));
  for (const field of fields) {
    const property = schemas[name].properties[field.name];
    const expected = { int64: 'int64', string: undefined, status: undefined }[field.type];
    expect(property.format).toBe(expected);
    expect(property.$ref).toBe(field.type === 'status' ? '#/components/schemas/PetStatus' : undefined);
  }
});

test('describes the statuses and the limits of a list', () => {
  expect(schemas.PetStatus.enum).toEqual(petStatuses);
  const [limit] = spec.paths['/pets'].get.parameters;
  expect(limit.schema).toEqual({ type: 'integer', ...listLimit });
});

describe('the pattern of pet names', () => {
  const { pattern } = schemas.NewPet.properties.name;

  test.each(['', 'u', 'v'])('matches exactly the names that are not blank, with the flags %j', (flags) => {
    const regExp = new RegExp(pattern, flags);
    expect(blankNames.filter((name) => regExp.test(name))).toEqual([]);
    expect(validNames.filter((name) => !regExp.test(name))).toEqual([]);
  });

  test('agrees with the server about every character', () => {
    const regExp = new RegExp(pattern, 'u');
    const different: string[] = [];
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
      const name = String.fromCodePoint(codePoint);
      if (regExp.test(name) === isBlankName(name)) different.push(codePoint.toString(16));
    }
    expect(different).toEqual([]);
  });
});

describe('examples', () => {
  test.each(operations)('of $id work', async (operation) => {
    const { parameters = [], requestBody, responses } = spec.paths[operation.path][operation.method.toLowerCase()];
    const store = await openStore();
    const query = new URLSearchParams();
    const headers: Record<string, string> = {};
    let path: string = operation.path;
    for (const { name, in: place, example } of parameters) {
      expect(example, name).toBeDefined();
      if (place === 'query') query.set(name, String(example));
      else if (place === 'header') headers[name.toLowerCase()] = String(example);
      else path = path.replace(`{${name}}`, String(example));
    }
    const body = requestBody?.content['application/json'].example;
    expect(body !== undefined).toBe(requestBody !== undefined);
    const { status, json } = await store.request(operation.method, `/v1${path}?${query}`, { body, headers });
    expect(status).toBe(operation.successStatus);
    const { example } = responses[operation.successStatus].content['application/json'];
    expect(JSON.parse(formatJson(json))).toEqual(example);
  });

  test('of each parameter work alone', async () => {
    const store = await openStore();
    for (const { name, example } of spec.paths['/pets'].get.parameters) {
      expect(await store.request('GET', `/v1/pets?${name}=${example}`)).toMatchObject({ status: 200 });
    }
  });
});

test('limits the length of every list and string', () => {
  const isLimited = (schema: Record<string, unknown>) =>
    schema.type === 'array'
      ? 'maxItems' in schema
      : schema.type !== 'string' || ['maxLength', 'enum', 'const'].some((name) => name in schema);
  expect(findObjects(spec).filter((each) => !isLimited(each))).toEqual([]);
});

test('requires rate-limit headers only on responses to requests that were always counted', () => {
  const isRequired = ({ $ref }: { $ref: string }) => resolvePointer($ref.slice(1)).required === true;
  const optional = Object.entries<{ headers: Record<string, { $ref: string }> }>(responses)
    .filter(([, { headers }]) => quotaHeaders.every((name) => !isRequired(headers[name] as { $ref: string })))
    .map(([name]) => name);
  expect(optional).toEqual(['BadRequest', 'ServerError', 'Unavailable', 'Rejected']);
  const required = Object.keys(responses).filter((name) => !optional.includes(name));
  for (const name of required) {
    for (const header of quotaHeaders) expect(isRequired(responses[name].headers[header]), name).toBe(true);
  }
});

test('describes the three rate-limit headers on every response', () => {
  for (const [name, response] of Object.entries<{ headers: object }>(responses)) {
    expect(Object.keys(response.headers), name).toEqual(expect.arrayContaining(quotaHeaders));
  }
  for (const { path, method, successStatus: success } of operations) {
    const response = spec.paths[path][method.toLowerCase()].responses[success];
    expect(Object.keys(response.headers), path).toEqual(expect.arrayContaining(quotaHeaders));
  }
});

test('describes the lifetime of idempotency keys on every response of an operation', () => {
  const { const: seconds } = spec.components.headers['Idempotency-Key-Lifetime'].schema;
  expect(seconds).toBe(idempotencyKeyLifetimeMs / 1000);
  for (const { path, method, successStatus: success } of operations) {
    const described = spec.paths[path][method.toLowerCase()].responses;
    expect(described[success].headers).toHaveProperty('Idempotency-Key-Lifetime');
  }
  for (const [name, { headers }] of Object.entries<{ headers: Record<string, { $ref: string }> }>(responses)) {
    const isCounted = headers['X-RateLimit-Limit']?.$ref.endsWith('/X-RateLimit-Limit');
    const expected = isCounted ? 'Idempotency-Key-Lifetime' : 'Optional-Lifetime';
    expect(headers['Idempotency-Key-Lifetime'], name).toEqual({ $ref: `#/components/headers/${expected}` });
  }
});

/** Returns an object and all objects in it. */
function findObjects(value: unknown): readonly Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(findObjects)];
}

/** Returns the value at a JSON pointer (RFC 6901 §4), or undefined. */
// biome-ignore lint/suspicious/noExplicitAny: as above
function resolvePointer(pointer: string): any {
  const names = pointer.split('/').slice(1);
  return names.reduce((value, name) => value?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], spec);
}

test('says when the optional rate-limit headers are present', () => {
  for (const name of ['Optional-Limit', 'Optional-Remaining', 'Optional-Reset']) {
    expect(spec.components.headers[name].description).toContain('present only if the server counted the request');
  }
});
