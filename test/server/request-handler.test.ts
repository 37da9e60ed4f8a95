import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { plans } from '../../src/api/plan.js';
import { addApiKey } from '../../src/server/api-keys.js';
import type { ServerRequest } from '../../src/server/request-context.js';
import { type Database, DatabaseError } from '../../src/server/sql.js';
import { fakeClock } from '../support/clock.js';
import { handlerOf, openStore, requestOnce, respondWith, testKey } from '../support/test-server.js';

const start = Date.UTC(2026, 10, 21, 12);
const inAMinute = String((start + 60_000) / 1000);
const json = { 'content-type': 'application/json' };
const quota = {
  'x-ratelimit-limit': '10000',
  'x-ratelimit-remaining': '9999',
  'x-ratelimit-reset': inAMinute,
};

const lifetime = { 'idempotency-key-lifetime': '86400' };

describe('a response', () => {
  test('to a valid request has JSON, its length, the quota, the lifetime of keys and no other headers', async () => {
    const store = await openStore({ empty: true });
    const { status, headers } = await store.request('GET', '/v1/pets');
    expect({ status, headers }).toEqual({
      status: 200,
      headers: { ...json, ...quota, ...lifetime, 'content-length': '2' },
    });
  });

  test('to a rejected request has an Error body, its length, the quota and no other headers', async () => {
    const { status, headers, body } = await requestOnce('GET', '/v1/cats');
    const text = '{"code":"not_found","message":"this path does not exist","status":404}';
    expect(new TextDecoder().decode(body)).toBe(text);
    expect({ status, headers }).toEqual({
      status: 404,
      headers: { ...json, ...quota, 'content-length': String(text.length) },
    });
  });
});

describe('authentication', () => {
  test.each([
    ['missing', undefined],
    ['without a key', 'Bearer'],
    ['of an unknown key', 'Bearer pets_unknown'],
    ['of a key that starts like the real one', `Bearer ${testKey.slice(0, -1)}`],
    ['of a key that continues after the real one', `Bearer ${testKey}a`],
    ['of the key in capitals', `Bearer ${testKey.toUpperCase()}`],
    ['of the key alone', testKey],
    ['of another scheme', `Basic ${testKey}`],
    ['without a space', `Bearer${testKey}`],
    ['with something after the key', `Bearer ${testKey} x`],
    ['with two keys', `Bearer ${testKey}, Bearer ${testKey}`],
    ['as long as a megabyte', `Bearer ${'a'.repeat(1_000_000)}`],
    ['given twice', [`Bearer ${testKey}`, `Bearer ${testKey}`]],
  ])('rejects credentials that are %s', async (_, authorization) => {
    const response = await requestOnce('GET', '/v1/pets', { headers: { authorization } });
    expectError(response, 'unauthorized', 401);
    expect(response.headers).toEqual({
      ...json,
      'www-authenticate': 'Bearer',
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '59',
      'x-ratelimit-reset': inAMinute,
      ...lifetime,
      'content-length': String(response.body.length),
    });
  });

  test('accepts a key until it expires', async () => {
    const clock = fakeClock(start);
    const store = await openStore({ clock });
    await addApiKey(store.database, 'pets_temporary', { limits: plans.free, expiresAt: start + 1_000 }, start);
    const headers = { authorization: 'Bearer pets_temporary' };
    const statusAfter = async (ms: number) => {
      clock.advance(ms);
      return (await store.request('GET', '/v1/pets', { headers })).status;
    };
    expect([await statusAfter(0), await statusAfter(999), await statusAfter(1)]).toEqual([200, 200, 401]);
  });
});

describe('paths', () => {
  const unknownPaths = `/ /v1 /v1/ /pets /v2/pets /V1/pets /v1/Pets /v1/pets/ //v1/pets /v1//pets /v1/./pets
    /v1/cats/../pets /v1/pets/1/ /v1/pets/1/owner /v1/pets%2F1 /v1%2Fpets /v1/%70ets
    /v1/store /v1/store/orders/ /v1/store/orders/1 /v1/petsx /x/v1/pets * ?`;

  test.each([...unknownPaths.split(/\s+/), '', '/v1/pets\n'])('%j gets 404', async (target) => {
    const store = await openStore();
    const response = await store.request('GET', target);
    expectError(response, 'not_found', 404);
  });

  test.each(['%zz', '%', '%4', '%FF', '%C0%AF', '%ED%A0%80'])(
    'an invalid percent-encoding (%s) gets 400',
    async (segment) => {
      const response = await requestOnce('GET', `/v1/pets/${segment}`);
      expectError(response, 'invalid_request', 400);
    },
  );
});

describe('methods', () => {
  test.each([
    ['/v1/pets', 'DELETE', 'GET, HEAD, POST'],
    ['/v1/pets', 'PUT', 'GET, HEAD, POST'],
    ['/v1/pets', 'OPTIONS', 'GET, HEAD, POST'],
    ['/v1/pets', 'get', 'GET, HEAD, POST'],
    ['/v1/pets/1', 'POST', 'GET, HEAD'],
    ['/v1/pets/999', 'PUT', 'GET, HEAD'],
    ['/v1/store/orders', 'POST', 'GET, HEAD'],
  ])('%s gets 405 for the method %j', async (target, method, allow) => {
    const store = await openStore();
    const response = await store.request(method, target);
    expect(response.headers.allow).toBe(allow);
    expectError(response, 'method_not_allowed', 405);
  });

  test.each([
    ['/v1/pets', 200],
    ['/v1/pets?limit=0', 400],
    ['/v1/pets/1', 200],
    ['/v1/pets/999', 404],
    ['/v1/store/orders', 200],
    ['/v1/unknown', 404],
  ])('HEAD %s gets the response to GET without its body', async (target, status) => {
    const get = await (await openStore()).request('GET', target);
    const head = await (await openStore()).request('HEAD', target);
    expect(get.body.length).toBeGreaterThan(0);
    expect(head).toMatchObject({ status, headers: get.headers });
    expect(head.body).toHaveLength(0);
  });
});

describe('a body', () => {
  const body = '{"name":"Rex","categoryId":1}';

  test.each([
    ['no type', { 'content-type': undefined }],
    ['text', { 'content-type': 'text/plain' }],
    ['a type with the right beginning', { 'content-type': 'application/jsonp' }],
    ['a patch', { 'content-type': 'application/json-patch+json' }],
    ['two types', { 'content-type': 'application/json, text/plain' }],
    ['a repeated type', { 'content-type': ['application/json', 'application/json'] }],
    ['a compressed body', { 'content-encoding': 'gzip' }],
    ['the content coding identity', { 'content-encoding': 'identity' }],
  ])('is rejected with %s', async (_, headers) => {
    const store = await openStore({ empty: true });
    const response = await store.request('POST', '/v1/pets', { body, headers });
    expectError(response, 'unsupported_media_type', 415);
    expect((await store.request('GET', '/v1/pets')).json).toEqual([]);
  });

  test.each([
    ['is missing', undefined, 'empty input'],
    ['is empty', '', 'empty input'],
    ['ends too early', '{"name":"Rex"', 'unexpected end of input'],
    ['ends inside a string', '{"name":"Re', 'unexpected end of input'],
    ['is not JSON', 'name=Rex', /^syntax error at offset \d+$/],
    ['continues after its end', `${body}${body}`, /^syntax error at offset \d+$/],
    ['has NaN', '{"categoryId":NaN}', /^syntax error at offset \d+$/],
    ['has a duplicate key', '{"name":"a","name":"b"}', /^duplicate key at offset \d+$/],
    ['is deep', '['.repeat(65), 'nested more than 64 levels deep'],
    ['is very deep', '['.repeat(65_536), 'nested more than 64 levels deep'],
  ])('that %s is rejected', async (_, text, problem) => {
    const response = await requestOnce('POST', '/v1/pets', { body: text, headers: json });
    expectError(response, 'invalid_request', 400);
    const { message } = response.json as { message: string };
    const prefix = 'cannot parse the body: ';
    expect(message.slice(0, prefix.length)).toBe(prefix);
    expect(message.slice(prefix.length)).toEqual(
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    );
  });

  test.each([
    ['an invalid byte', Buffer.of(0xff)],
    ['half a character', Buffer.of(0xc3)],
    ['half a surrogate pair', Buffer.of(0xed, 0xa0, 0x80)],
  ])('with %s is rejected as invalid UTF-8', async (_, bytes) => {
    const [before, after] = ['{"name":"a', '","categoryId":1}'].map((text) => Buffer.from(text));
    const response = await post(Buffer.concat([before, bytes, after] as Buffer[]));
    expect(response.status).toBe(400);
    expect(new TextDecoder().decode(response.body)).toContain('invalid UTF-8');
  });
});

describe('the deprecated operation', () => {
  const removal = Date.UTC(2030, 11, 5);
  const deprecated = {
    deprecation: `@${Date.UTC(2026, 0, 1) / 1000}`,
    sunset: 'Thu, 05 Dec 2030 00:00:00 GMT',
    link: '</v1/pets>; rel="successor-version"',
  };

  test.each([
    ['a pet', '/v1/pets/1', 200],
    ['an unknown pet', '/v1/pets/999', 404],
    ['an invalid id', '/v1/pets/abc', 400],
    ['an invalid percent-encoding', '/v1/pets/%zz', 400],
  ])('has deprecation headers for %s', async (_, target, status) => {
    const response = await requestOnce('GET', target);
    expect(response.status).toBe(status);
    expect(response.headers).toEqual({
      ...json,
      ...quota,
      ...lifetime,
      ...deprecated,
      'content-length': String(response.body.length),
    });
  });

  test.each([
    ['on the day of its removal', 0, '/v1/pets/1'],
    ['for an unknown pet', 0, '/v1/pets/999'],
    ['for an invalid id', 0, '/v1/pets/abc'],
  ])('is gone %s', async (_, later, target) => {
    const store = await openStore({ clock: fakeClock(removal + later) });
    const response = await store.request('GET', target);
    expectError(response, 'gone', 410);
    expect(response.headers).toMatchObject(deprecated);
  });

  test('is removed without other operations', async () => {
    const store = await openStore({ clock: fakeClock(removal) });
    const list = await store.request('GET', '/v1/pets');
    expect(list.status).toBe(200);
    expect(list.headers.deprecation).toBeUndefined();
    expect(list.headers.sunset).toBeUndefined();
    expect((await store.request('DELETE', '/v1/pets/1')).status).toBe(405);
  });
});

describe('a public route', () => {
  const anonymous = { headers: { authorization: undefined } };

  test.each(['/livez', '/readyz', '/healthz?x'])('is %s', async (target) => {
    expect((await requestOnce('GET', target, anonymous)).json).toEqual({ status: 'ok' });
  });

  test('is the API spec', async () => {
    const { body, headers } = await requestOnce('GET', '/v1/openapi.json', anonymous);
    expect(headers['content-type']).toBe('application/json');
    const { servers, ...spec } = parse(readFileSync('openapi.yaml', 'utf8'));
    // A client that was generated from it sends API keys only to the server that served it.
    expect(JSON.parse(new TextDecoder().decode(body))).toEqual({ ...spec, servers: [servers[0]] });
    expect(servers[0].url).toBe('/v1');
  });

  test.each(['/livez', '/readyz', '/healthz', '/v1/openapi.json'])(
    '%s is not counted and reports no quota',
    async (target) => {
      const store = await openStore();
      for (let asked = 0; asked < 3; asked += 1) {
        expect((await store.request('GET', target, anonymous)).headers).not.toHaveProperty('x-ratelimit-limit');
      }
      const { headers } = await store.request('GET', '/v1/pets', anonymous);
      expect(headers).toMatchObject({ 'x-ratelimit-remaining': '59' });
    },
  );

  test.each(['/livez', '/readyz', '/healthz', '/v1/openapi.json'])('%s accepts only GET and HEAD', async (target) => {
    const store = await openStore();
    expect((await store.request('HEAD', target, anonymous)).body).toHaveLength(0);
    const { status, headers } = await store.request('POST', target, { ...anonymous, body: {} });
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' });
  });
});

describe('a database that fails', () => {
  const pets: ServerRequest = {
    method: 'GET',
    target: '/v1/pets',
    headers: { authorization: `Bearer ${testKey}` },
  };
  const health: ServerRequest = { method: 'GET', target: '/healthz', headers: {} };

  test.each([
    ['away', 'the server cannot reach its database'],
    ['busy', 'the server is busy'],
  ] as const)('temporarily (%s) causes 503 only until it recovers', async (reason, message) => {
    const store = await openStore();
    let error: DatabaseError | undefined = new DatabaseError(reason, 'it fails for a moment');
    const { database } = store;
    const { handle, clock } = handlerOver({
      ...database,
      read: (statement) => (error ? Promise.reject(error) : database.read(statement)),
      writeUnsynced: (statement) => (error ? Promise.reject(error) : database.writeUnsynced(statement)),
    });
    for (const request of [pets, health]) {
      const { status, headers, body } = await handle(request, '127.0.0.1');
      expect({ status, retryAfter: headers['retry-after'] }).toEqual({
        status: 503,
        retryAfter: '1',
      });
      expect(JSON.parse(new TextDecoder().decode(body))).toEqual({
        ...errorBody('unavailable', 503),
        message,
      });
    }
    error = undefined;
    clock.advance(1_000);
    expect((await handle(health, '127.0.0.1')).status).toBe(200);
  });

  test('in an unexpected way causes 500 without its message', async () => {
    const failure = new Error('disk I/O error');
    const { handle, errors } = handlerOver(failing(failure));
    const { status, headers, body } = await handle(pets, '127.0.0.1');
    expect(status).toBe(500);
    expect(new TextDecoder().decode(body)).toBe(
      '{"code":"internal_error","message":"the server failed; the server log contains the reason","status":500}',
    );
    expect(Object.keys(headers).filter((name) => name.startsWith('x-ratelimit-'))).toEqual([]);
    expect(errors).toEqual([failure]);
  });

  test('after the request is counted leaves its quota in the response', async () => {
    const store = await openStore();
    const { handle } = handlerOver({
      ...store.database,
      read: (statement) =>
        statement.text.includes('FROM pets')
          ? Promise.reject(new Error('disk I/O error'))
          : store.database.read(statement),
    });
    const { status, headers } = await handle(pets, '127.0.0.1');
    expect(status).toBe(500);
    expect(headers).toMatchObject(quota);
  });
});

test('a health check takes one transaction at most, once per second', async () => {
  const clock = fakeClock();
  const { database } = await openStore({ clock });
  const turns: string[] = [];
  const counted: Database = {
    ...database,
    read: () => Promise.reject(new Error('a separate read')),
    writeUnsynced: (...parameters) => {
      if (turns.length === 0) setImmediate(() => turns.push('next turn'));
      turns.push('statement');
      return database.writeUnsynced(...parameters);
    },
  };
  const onError = (error: unknown) => expect.fail(String(error));
  const handle = handlerOf(respondWith({ database: counted, clock, onError }));
  const probe = () => handle({ method: 'GET', target: '/readyz', headers: {} }, '127.0.0.1');
  const responses = await Promise.all([probe(), probe(), probe()]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(turns).toEqual(['statement', 'statement', 'statement', 'next turn']);
  await probe();
  expect(turns).toHaveLength(4);
  clock.advance(1_000);
  await probe();
  expect(turns).toHaveLength(7);
});

function errorBody(code: string, status: number) {
  return { code, message: expect.any(String), status };
}

function expectError({ status, json }: { status: number; json: unknown }, code: string, expected: number) {
  expect({ status, json }).toEqual({ status: expected, json: errorBody(code, expected) });
}

async function post(body: Uint8Array) {
  const store = await openStore();
  const headers = { authorization: `Bearer ${testKey}`, ...json };
  const request = { method: 'POST', target: '/v1/pets' };
  return store.handle({ ...request, headers, body }, '127.0.0.1');
}

function failing(error: Error): Database {
  const fail = () => Promise.reject(error);
  return { dialect: 'sqlite', read: fail, write: fail, writeUnsynced: fail, close: async () => {} };
}

function handlerOver(database: Database, onError?: (error: unknown) => void) {
  const errors: unknown[] = [];
  const clock = fakeClock();
  const report = onError ?? ((error: unknown) => errors.push(error));
  const handle = handlerOf(respondWith({ database, clock, onError: report }));
  return { handle, errors, clock };
}
