import { assert, asyncProperty } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/api/http.js';
import { formatExactNumber, isRecord, parseJson } from '../../src/format/json.js';
import { withHostCheck } from '../../src/server/host-check.js';
import { completeResponses } from '../../src/server/responses.js';
import { DatabaseError } from '../../src/server/sql.js';
import { fakeClock } from '../support/clock.js';
import {
  anyRequest,
  type GeneratedRequest,
  refused,
  type SpecOperation,
  specOperations,
  wholeNumber,
} from '../support/spec-requests.js';
import { handlerOf, openStore, respondWith, type TestStore, testKey } from '../support/test-server.js';

test('5,500 generated requests get responses that conform to the API spec', async () => {
  const clock = fakeClock();
  const store = await openStore({ clock });
  const handle = handlerOf(completeResponses(withHostCheck(store.operate, { host: '127.0.0.1' }), () => {}));
  const { headers } = await store.request('GET', '/v1/pets');
  const cursor = /cursor=([^&>]+)/.exec(String(headers.link))?.[1] ?? '';
  const statuses = new Set<number>();
  await assert(
    asyncProperty(anyRequest(cursor), async (generated) => {
      clock.advance(90_000);
      const { request } = generated;
      const answer = await handle(request, '127.0.0.1');
      statuses.add(answer.status);
      expect((operationOf(request) ?? refused).problemsOfAnswer(answer)).toEqual([]);
      expect(expectedOf(generated, cursor)).toContain(answer.status);
      if (answer.status === 405) expect(answer.headers.allow).toMatch(/^GET, HEAD/);
    }),
    { numRuns: 5_500 },
  );
  expect(store.errors).toEqual([]);
  expect([...statuses].sort()).toEqual([200, 201, 400, 401, 403, 404, 405, 413, 415, 422]);
});

describe('a response that conforms to the API spec', () => {
  test('comes from a removed operation', async () => {
    const store = await openStore({ clock: fakeClock(Date.UTC(2030, 11, 5)) });
    await check(store, '/v1/pets/1', 410);
  });

  test('comes from a rate limit and a ban', async () => {
    const store = await openStore({ limits: { perMinute: 1, perDay: 1_000 } });
    await check(store, '/v1/pets', 200);
    for (let refusals = 1; refusals <= 12; refusals += 1) {
      const { json } = await check(store, '/v1/pets', 429);
      const code = refusals < 10 ? 'rate_limited' : 'key_banned';
      expect(json).toMatchObject({ code });
    }
  });

  test.each([
    [503, new DatabaseError('away', 'it cannot be reached')],
    [503, new DatabaseError('busy', 'it is busy')],
    [503, new DatabaseError('refused', 'it denies access')],
    [503, new DatabaseError('unusable', 'it is full')],
    [500, new Error('a bug')],
  ])('has status %i if the database fails (%s)', async (status, error) => {
    const fail = () => Promise.reject(error);
    const database = {
      dialect: 'sqlite' as const,
      read: fail,
      write: fail,
      writeUnsynced: fail,
      close: async () => {},
    };
    const handle = handlerOf(respondWith({ database, clock: fakeClock(), onError: () => {} }));
    for (const operation of specOperations) {
      const target = `/v1${operation.path.replace('{petId}', '1')}`;
      const headers = { authorization: `Bearer ${testKey}` };
      const { method } = operation;
      const answer = await handle({ method, target, headers }, '127.0.0.1');
      expect(answer.status).toBe(status);
      expect(operation.problemsOfAnswer(answer)).toEqual([]);
    }
  });

  async function check(store: TestStore, target: string, status: number) {
    const answer = await store.request('GET', target);
    expect(answer.status).toBe(status);
    expect(operationOf({ method: 'GET', target })?.problemsOfAnswer(answer)).toEqual([]);
    return answer;
  }
});

describe('the validators of the API spec', () => {
  const [list] = specOperations;
  const answer = {
    status: 200,
    headers: {
      'x-ratelimit-limit': '1',
      'x-ratelimit-remaining': '1',
      'x-ratelimit-reset': '1',
      'idempotency-key-lifetime': '86400',
    },
    body: new TextEncoder().encode('[{"id":1,"name":"Rex","categoryId":1}]'),
  };

  test('accept a valid response', () => {
    expect(list?.problemsOfAnswer(answer)).toEqual([]);
  });

  test.each([
    ['a body of another shape', { body: new TextEncoder().encode('[{"id":1}]') }],
    ['a body that belongs to another status', { status: 401 }],
    ['a missing header', { headers: {} }],
    ['a header of another type', { headers: { ...answer.headers, 'x-ratelimit-limit': 'many' } }],
  ])('reject %s', (_, change) => {
    expect(list?.problemsOfAnswer({ ...answer, ...change })).not.toEqual([]);
  });
});

/** Returns the allowed statuses: success if the request conforms to the API spec, rejection otherwise. */
function expectedOf(generated: GeneratedRequest, cursor: string): readonly number[] {
  const { request, isAddressed, isAuthorized, isJson, isKeyValid } = generated;
  if (!isAddressed) return [403];
  if (!isAuthorized) return [401];
  const operation = operationOf(request);
  if (!operation) return [404, 405];
  const query = new URLSearchParams(request.target.split('?')[1]);
  if (operation.path === '/pets' && operation.method === 'GET') {
    // In the API spec a cursor is opaque.
    if (query.has('cursor') && query.get('cursor') !== cursor) return [400];
  }
  if (operation.method === 'POST' && !isJson) return [415];
  if (operation.method === 'POST' && (request.body?.length ?? 0) > 65_536) return [413];
  if (operation.method === 'POST' && !isKeyValid) return [400];
  if (problemsOfRequest(operation, request).length > 0) return [400];
  // The pattern of names allows these, since not every regular expression can name them.
  const { name } = { ...(bodyOf(request.body) as object | undefined) } as { name?: unknown };
  if (operation.method === 'POST' && /[\0\p{Cs}]/u.test(String(name))) return [400];
  return (
    { GET: operation.path.includes('{') ? [200, 404] : [200], POST: addStatusesOf(request) }[operation.method] ?? []
  );
}

/** A key may have been used with another body before. */
function addStatusesOf({ headers }: HttpRequest): readonly number[] {
  return headers['idempotency-key'] === undefined ? [201] : [201, 422];
}

function operationOf({ method, target }: Pick<HttpRequest, 'method' | 'target'>) {
  const [path = ''] = target.split('?');
  return specOperations.find(
    (operation) => operation.method === (method === 'HEAD' ? 'GET' : method) && patternOf(operation).test(path),
  );
}

function patternOf({ path }: SpecOperation): RegExp {
  return new RegExp(`^/v1${path.replace(/\{[^}]+\}/, '([^/]+)')}$`);
}

function problemsOfRequest(operation: SpecOperation, { target, headers, body }: HttpRequest) {
  const [path = '', query = ''] = target.split('?');
  const parameters = new URLSearchParams(query);
  const given = [...new Set(parameters.keys())].map((name) => {
    const values = parameters.getAll(name).map(name === 'limit' ? wholeNumber : String);
    return [name, values.length > 1 ? values : values[0]];
  });
  return operation.problemsOfRequest({
    headers: {
      'content-type': 'application/json',
      'idempotency-key': headers['idempotency-key'],
    },
    params: { petId: decoded(patternOf(operation).exec(path)?.[1] ?? '') },
    query: Object.fromEntries(given),
    body: bodyOf(body),
  });
}

function decoded(text: string): unknown {
  try {
    return wholeNumber(decodeURIComponent(text));
  } catch {
    return text;
  }
}

/** Returns the parsed body, or `undefined` if it is not JSON. */
function bodyOf(body: Uint8Array = new Uint8Array()): unknown {
  try {
    const value = parseJson(body);
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
  } catch {
    return undefined;
  }
}

/** Replaces numbers that are not 64-bit integers by 0.5, since the validators ignore number formats. */
function plain(value: unknown): unknown {
  const text = formatExactNumber(value);
  if (text === undefined) return value;
  const whole = wholeNumber(text);
  return typeof whole === 'number' ? whole : 0.5;
}
