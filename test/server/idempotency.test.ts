import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HttpHeaders } from '../../src/api/http.js';
import { plans } from '../../src/api/plan.js';
import { dayMs } from '../../src/clock.js';
import { type ApiKeyRecord, addApiKey, findApiKey, rotateApiKey } from '../../src/server/api-keys.js';
import type { Database } from '../../src/server/sql.js';
import { fakeClock } from '../support/clock.js';
import { sql } from '../support/test-database.js';
import { countPets, openStore, type TestStore, testKey } from '../support/test-server.js';

const rex = { name: 'Rex', categoryId: 1, status: 'sold' };
const otherApiKey = 'pets_other_0123456789abcdefghijklmnopqrst';

describe('the same Idempotency-Key', () => {
  test('with the same body gets the stored response and adds no pet', async () => {
    const store = await openStore({ empty: true });
    const first = await add(store, 'key-1');
    expect(first).toMatchObject({ status: 201, json: { id: expect.anything(), name: 'Rex' } });
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    const second = await add(store, 'key-1');
    expect(second.status).toBe(201);
    expect(textOf(second.body)).toBe(textOf(first.body));
    expect(second.headers).toEqual({
      ...first.headers,
      'idempotency-replayed': 'true',
      'x-ratelimit-remaining': String(Number(first.headers['x-ratelimit-remaining']) - 1),
    });
    expect(await countPets(store.database)).toBe(1);
  });

  test.each([
    ['other content', { name: 'Max', categoryId: 1, status: 'sold' }],
    ['other bytes for the same pet', `${JSON.stringify(rex)} `],
  ])('with %s gets 422', async (_, body) => {
    const store = await openStore({ empty: true });
    await add(store, 'key-1');
    expect(await add(store, 'key-1', { body })).toMatchObject({
      status: 422,
      json: {
        code: 'idempotency_key_reused',
        message: 'this Idempotency-Key was used with another request body',
        status: 422,
      },
    });
    expect(await countPets(store.database)).toBe(1);
    expect(store.errors).toEqual([]);
  });

  test('in concurrent requests adds one pet', async () => {
    const store = await openStore({ empty: true });
    const responses = await Promise.all(Array.from({ length: 20 }, () => add(store, 'key-1')));
    expect(new Set(responses.map(({ status, body }) => `${status} ${textOf(body)}`)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers['idempotency-replayed'] === undefined)).toHaveLength(1);
    expect(await countPets(store.database)).toBe(1);
  });

  test('of another API key adds another pet', async () => {
    const store = await openStore({ empty: true });
    await addApiKey(store.database, otherApiKey, { limits: plans.free }, 0);
    const first = await add(store, 'key-1');
    const second = await add(store, 'key-1', { apiKey: otherApiKey });
    expect(second.status).toBe(201);
    expect(second.headers).not.toHaveProperty('idempotency-replayed');
    expect(textOf(second.body)).not.toBe(textOf(first.body));
    expect(await countPets(store.database)).toBe(2);
  });

  test.each([
    ['old', 'new', testKey, otherApiKey],
    ['new', 'old', otherApiKey, testKey],
  ])('of the %s API key of a rotation adds no pet with the %s one', async (_first, _second, first, second) => {
    const store = await openStore({ empty: true });
    const key = (await findApiKey(store.database, testKey)) as ApiKeyRecord;
    const rotation = { key: otherApiKey, overlapMs: dayMs, now: fakeClock().now() };
    const rotate = () => rotateApiKey(store.database, { ...key, label: undefined }, rotation);
    if (first === otherApiKey) await rotate();
    const added = await add(store, 'key-1', { apiKey: first });
    if (first === testKey) await rotate();
    const repeated = await add(store, 'key-1', { apiKey: second });
    expect([added.status, repeated.status, textOf(repeated.body)]).toEqual([201, 201, textOf(added.body)]);
    expect(repeated.headers['idempotency-replayed']).toBe('true');
    expect((await add(store, 'key-1', { apiKey: second, body: { name: 'Max', categoryId: 1 } })).status).toBe(422);
    expect(await countPets(store.database)).toBe(1);
  });

  test('in other letter case is another key', async () => {
    const store = await openStore({ empty: true });
    await add(store, 'key-a');
    await add(store, 'KEY-A');
    await add(store, '"key-a"');
    expect(await countPets(store.database)).toBe(3);
  });

  test('counts against the quota each time', async () => {
    const store = await openStore({ limits: { perMinute: 3, perDay: 100 } });
    const statuses: number[] = [];
    for (let sent = 0; sent < 4; sent += 1) statuses.push((await add(store, 'key-1')).status);
    expect(statuses).toEqual([201, 201, 201, 429]);
  });

  test('that still runs gets 409', async () => {
    const store = await openStore({ change: () => ({ write: async () => [] }) });
    expect(await add(store, 'key-1')).toMatchObject({
      status: 409,
      json: {
        code: 'idempotency_in_progress',
        message: 'a request with this Idempotency-Key is still running',
        status: 409,
      },
    });
  });
});

describe('an entry', () => {
  test('expires after 24 hours', async () => {
    const clock = fakeClock();
    const store = await openStore({ clock, empty: true });
    const first = await add(store, 'key-1');
    clock.advance(dayMs - 1);
    expect((await add(store, 'key-1')).headers['idempotency-replayed']).toBe('true');
    clock.advance(1);
    const other = { body: { name: 'Max', categoryId: 1 } };
    const second = await add(store, 'key-1', other);
    expect(second).toMatchObject({ status: 201, json: { name: 'Max' } });
    expect(second.headers).not.toHaveProperty('idempotency-replayed');
    expect(textOf(second.body)).not.toBe(textOf(first.body));
    // The new entry lives as long.
    clock.advance(dayMs - 1);
    expect(textOf((await add(store, 'key-1', other)).body)).toBe(textOf(second.body));
    expect(await countPets(store.database)).toBe(2);
  });

  test('that expired is deleted by later adds, ten at a time', async () => {
    const clock = fakeClock();
    const store = await openStore({ clock, empty: true });
    for (let index = 0; index < 25; index += 1) await add(store, `old-${index}`);
    clock.advance(dayMs / 2);
    await add(store, 'fresh');
    expect(await readEntries(store.database)).toHaveLength(26);
    clock.advance(dayMs / 2);
    const counts: number[] = [];
    for (let index = 0; index < 4; index += 1) {
      await add(store, `new-${index}`);
      counts.push((await readEntries(store.database)).length);
    }
    expect(counts).toEqual([17, 8, 4, 5]);
    expect(await readEntries(store.database)).toEqual(['fresh', 'new-0', 'new-1', 'new-2', 'new-3']);
    expect(await countPets(store.database)).toBe(30);
  });
});

test('the last of many entries that expire together is not replayed', async () => {
  const clock = fakeClock();
  const store = await openStore({ clock, empty: true });
  for (let index = 0; index < 12; index += 1) await add(store, `key-${index}`);
  clock.advance(dayMs);
  expect((await add(store, 'key-11')).headers).not.toHaveProperty('idempotency-replayed');
  expect(await countPets(store.database)).toBe(13);
});

describe('an Idempotency-Key', () => {
  test.each<[string, HttpHeaders[string]]>([
    ['that is empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['with a character beyond ASCII', 'schlüssel'],
    ['sent twice', ['a', 'a']],
  ])('%s gets 400', async (_, key) => {
    const store = await openStore({ empty: true });
    const { status, headers, body } = await store.handle(requestOf(key), '127.0.0.1');
    expect(status).toBe(400);
    expect(JSON.parse(textOf(body))).toEqual({
      code: 'invalid_request',
      message: 'Idempotency-Key must be one field of 1 to 255 visible ASCII characters',
      status: 400,
    });
    expect(headers).toHaveProperty('x-ratelimit-remaining');
    expect(store.errors).toEqual([]);
  });

  test.each(['!', '~', 'k'.repeat(255)])('may be %s', async (key) => {
    const store = await openStore({ empty: true });
    expect((await add(store, key)).status).toBe(201);
    expect((await add(store, key)).headers['idempotency-replayed']).toBe('true');
  });
});

test.each(['/healthz', '/v1/openapi.json', '/v1/unknown'])(
  'the response to %s has no Idempotency-Key-Lifetime',
  async (target) => {
    const store = await openStore();
    expect((await store.request('GET', target)).headers).not.toHaveProperty('idempotency-key-lifetime');
  },
);

test('any sequence of adds has the responses of a model', async () => {
  const step = fc.record({
    apiKey: fc.constantFrom(testKey, otherApiKey),
    key: fc.constantFrom(undefined, 'a', 'b'),
    name: fc.constantFrom('Rex', 'Max', ''),
    pauseMs: fc.constantFrom(0, 0, 0, dayMs / 2, dayMs - 1, dayMs),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      const clock = fakeClock();
      const store = await openStore({ clock, empty: true });
      await addApiKey(store.database, otherApiKey, { limits: plans.enterprise }, 0);
      const entries = new Map<string, { name: string; body: string; expiresAt: number }>();
      let pets = 0;
      for (const { apiKey, key, name, pauseMs } of steps) {
        clock.advance(pauseMs);
        const { status, headers, body } = await add(store, key, { apiKey, body: { name, categoryId: 1 } });
        const id = `${apiKey} ${key}`;
        const entry = key === undefined ? undefined : entries.get(id);
        const isLive = entry !== undefined && entry.expiresAt > clock.now();
        const isReplay = headers['idempotency-replayed'] === 'true';
        if (name === '') expect(status).toBe(400);
        else if (isLive && entry.name !== name) expect(status).toBe(422);
        else if (isLive) expect([status, isReplay, textOf(body)]).toEqual([201, true, entry.body]);
        else {
          expect([status, isReplay]).toEqual([201, false]);
          pets += 1;
          entries.set(id, { name, body: textOf(body), expiresAt: clock.now() + dayMs });
        }
      }
      expect(await countPets(store.database)).toBe(pets);
    }),
    { numRuns: 20 },
  );
});

interface AddOptions {
  readonly body?: unknown;
  readonly apiKey?: string;
}

function add(store: TestStore, key: HttpHeaders[string], { body = rex, apiKey = testKey }: AddOptions = {}) {
  const headers = { authorization: `Bearer ${apiKey}`, 'idempotency-key': key };
  return store.request('POST', '/v1/pets', { body, headers });
}

function requestOf(key: HttpHeaders[string]) {
  return {
    method: 'POST',
    target: '/v1/pets',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: new TextEncoder().encode(JSON.stringify(rex)),
  };
}

async function readEntries(database: Database): Promise<readonly string[]> {
  const rows = await database.read(sql`SELECT key FROM idempotency_entries ORDER BY key`);
  return rows.map(({ key }) => String(key));
}

function textOf(body: Uint8Array): string {
  return new TextDecoder().decode(body);
}
