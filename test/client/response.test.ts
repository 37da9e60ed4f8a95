import { describe, expect, test } from 'vitest';
import type { HttpResponse } from '../../src/api/http.js';
import { createPet, listOrders, listPets } from '../../src/api/operations.js';
import { findSchemaViolations, parseResponse } from '../../src/client/response.js';
import { formatJson, parseJson } from '../../src/format/json.js';
import { newResponse } from '../support/test-client.js';

const invalid = (problem: string) => ({ lost: { kind: 'invalid', problem } });

describe('a body without a schema', () => {
  const parse = (response: HttpResponse) => parseResponse(listOrders, response);

  test.each([
    ['a blank body', ' ', 'empty input'],
    ['XML', '<?xml version="1.0"?><Error/>', 'syntax error at offset 0'],
    ['a list with too many levels', '['.repeat(65), 'nested more than 64 levels deep'],
    ['a duplicate key', '{"id":1,"id":2}', 'duplicate key at offset 9'],
  ])('rejects %s', (_, body, reason) => {
    expect(parse(newResponse(200, body))).toEqual(invalid(`cannot be read as JSON: ${reason}`));
  });

  test('that ends early is lost like a truncated message', () => {
    expect(parse(newResponse(200, '[{"id":1}'))).toEqual({ lost: { kind: 'network', code: 'TRUNCATED_JSON' } });
  });

  test('reports a body of the type of HTML as a web page', () => {
    expect(parse(newResponse(200, 'Log in', { 'content-type': 'Text/HTML; charset=utf-8' }))).toEqual(
      invalid('is a web page, not JSON'),
    );
  });

  test('accepts JSON with the type of HTML', () => {
    expect(parse(newResponse(200, '[]', { 'content-type': 'text/html' }))).toEqual({ value: [] });
  });

  test('rejects invalid UTF-8', () => {
    const response = { ...newResponse(200), body: new Uint8Array([0x22, 0xff, 0x22]) };
    expect(parse(response)).toEqual(invalid('cannot be read as JSON: invalid UTF-8'));
  });

  test.each(['gzip', 'br', 'identity, gzip', 'x'])('rejects the encoding %s', (encoding) => {
    const response = newResponse(200, '[]', { 'content-encoding': encoding });
    expect(parse(response)).toEqual(invalid('is compressed, which the request did not allow'));
  });

  test.each(['identity', 'Identity', ''])('accepts the encoding %j', (encoding) => {
    expect(parse(newResponse(200, '[]', { 'content-encoding': encoding }))).toEqual({ value: [] });
  });
});

describe('parseResponse', () => {
  test.each([
    ['a record', '{}'],
    ['null', 'null'],
    ['a list of numbers', '[1]'],
    ['a list with null in it', '[{"id":1},null]'],
  ])('rejects %s in place of a list', (_, body) => {
    expect(parseResponse(listPets, newResponse(200, body))).toEqual(invalid('is not a JSON array of objects'));
  });

  test.each([
    ['a list', '[{"id":1}]'],
    ['null', 'null'],
    ['a number', '1'],
  ])('rejects %s in place of a record', (_, body) => {
    expect(parseResponse(createPet, newResponse(201, body))).toEqual(invalid('is not a JSON object'));
  });

  test.each(['[]', '{"orders":[]}', 'null', '"none"', '1.0'])('accepts %s without a schema', (body) => {
    expect(formatJson(parseResponse(listOrders, newResponse(200, body)).value)).toBe(body);
  });

  test('keeps unknown fields, their order, and an unknown status', () => {
    const body = '[{"tag":{"a":[1.0]},"id":9223372036854775807,"status":"adopted"}]';
    expect(formatJson(parseResponse(listPets, newResponse(200, body)).value)).toBe(body);
  });
});

describe('findSchemaViolations', () => {
  test('reports each missing or invalid field once', () => {
    const pets = parseJson(`[
      {"id":1,"name":"Rex","categoryId":1,"status":"sold"},
      {"id":"2","name":"Ada","categoryId":1.0},
      {"id":1e3,"name":7,"categoryId":18446744073709551616,"status":1},
      {}
    ]`);
    expect(findSchemaViolations(listPets, pets)).toEqual([
      'the response has no valid id in 3 of 4 records',
      'the response has no valid name in 2 of 4 records',
      'the response has no valid categoryId in 3 of 4 records',
      'the response has no valid status in 1 of 4 records',
    ]);
  });

  test('reports a record like a list of one', () => {
    expect(findSchemaViolations(createPet, parseJson('{"id":1,"name":"Rex"}'))).toEqual([
      'the response has no valid categoryId in 1 of 1 records',
    ]);
  });

  test.each([
    ['an unknown status', '[{"id":1,"name":"a","categoryId":1,"status":"adopted"}]'],
    ['a pet without a status', '[{"id":1,"name":"a","categoryId":-9223372036854775808}]'],
    ['unknown fields', '[{"id":1,"name":"","categoryId":0,"age":"old"}]'],
    ['an empty list', '[]'],
  ])('reports nothing for %s', (_, body) => {
    expect(findSchemaViolations(listPets, parseJson(body))).toEqual([]);
  });

  test('reports nothing without a schema', () => {
    expect(findSchemaViolations(listOrders, 'none')).toEqual([]);
  });
});
