import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { errorStatus } from '../src/api/error.js';
import { operations } from '../src/api/operations.js';
import { listLimit, newPetFields, petFields, petStatuses } from '../src/api/pet.js';
import { ruleSections } from '../src/commands/doctor/contract/findings.js';

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

test('describes every error code', () => {
  const described = schemas.Error.properties.code.description;
  for (const code of Object.keys(errorStatus)) expect(described).toContain(code);
});

test('describes the removal date of deprecated operations', () => {
  for (const operation of operations) {
    if (!operation.deprecated) continue;
    const described = spec.paths[operation.path][operation.method.toLowerCase()];
    const date = new Date(operation.deprecated.removalAt).toLocaleDateString('en-GB', {
      dateStyle: 'long',
      timeZone: 'UTC',
    });
    expect(described.description).toContain(`removed on ${date}`);
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

describe('sections that doctor --contract cites', () => {
  test.each(Object.entries(ruleSections))('the rule %s cites %s, which exists', (_, section) => {
    expect(resolvePointer(section)).toBeDefined();
  });

  test.each([
    ['limit', 'limit'],
    ['status filter', 'status'],
    ['next page', 'cursor'],
  ] as const)('the rule %s cites the parameter %s', (rule, name) => {
    expect(resolvePointer(ruleSections[rule])).toMatchObject({ name });
  });
});

/** Returns the value at a JSON pointer (RFC 6901 §4), or undefined. */
function resolvePointer(pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce((value, name) => value?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], spec);
}
