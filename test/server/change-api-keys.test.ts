import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { type ApiKeyRecord, addApiKey, findApiKey, generateApiKey } from '../../src/server/api-keys.js';
import { createApiKey, revokeApiKey, rotateApiKey, updateApiKey } from '../../src/server/change-api-keys.js';
import { listApiKeys } from '../../src/server/list-api-keys.js';
import { countRequest, keySubject } from '../../src/server/rate-limits.js';
import { createRequestHandler } from '../../src/server/request-handler.js';
import { type Database, sql } from '../../src/server/sql.js';
import { fakeClock } from '../support/clock.js';
import { newDatabaseAddress, openDatabaseAt, openTestDatabase } from '../support/test-database.js';

const now = Date.UTC(2026, 10, 21, 12);
const [first, second, third] = ['pets_first_key', 'pets_second_key', 'pets_third_key'];

describe('creating a key', () => {
  test('stores its details', async () => {
    const database = await open();
    const details = { plan: 'pro', label: 'ci', expiresAt: now + 5 } as const;
    expect(await createApiKey(database, first, plans.free, now, details)).toBe(true);
    expect(await listApiKeys(database, now)).toMatchObject([{ ...details, limits: plans.free, createdAt: now }]);
  });

  test('without a label succeeds for several keys', async () => {
    const database = await open();
    for (const key of [first, second]) expect(await createApiKey(database, key, plans.free, now)).toBe(true);
  });

  test('with one label succeeds for one of several concurrent processes', async () => {
    const databases = await openProcesses(8);
    const added = await Promise.all(
      databases.map((database) => createApiKey(database, generateApiKey(), plans.free, now, { label: 'ci' })),
    );
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await labels(databases[0])).toEqual(['ci']);
  });
});

describe('updating a key', () => {
  const changes = { limits: plans.pro, label: 'ci', expiresAt: now + 5 } as const;

  test('replaces its details and no others', async () => {
    const database = await open();
    const key = await addApiKey(database, first, plans.free, now);
    const other = await addApiKey(database, second, plans.free, now);
    expect(await updateApiKey(database, key, changes)).toBe(true);
    expect((await listApiKeys(database, now)).find(({ digest }) => digest === key.digest)).toMatchObject({
      ...{ limits: plans.pro, plan: 'pro', label: 'ci', expiresAt: now + 5 },
    });
    expect(await findApiKey(database, second)).toEqual(other);
    expect(await updateApiKey(database, key, { expiresAt: 'never' })).toBe(true);
    expect((await findApiKey(database, first))?.expiresAt).toBeUndefined();
  });

  test('keeps what it does not name, even if another process changed that', async () => {
    const database = await open();
    const key = await addApiKey(database, first, plans.free, now, { label: 'ci' });
    const successor = { key: second, overlapMs: 5, now };
    await rotateApiKey(database, { ...key, label: 'ci' }, successor);
    await updateApiKey(database, key, { limits: plans.pro });
    expect(await findApiKey(database, first)).toMatchObject({ limits: plans.pro, expiresAt: now + 5 });
    expect(await labels(database)).toEqual(['ci', undefined]);
  });

  test('to the label of another key changes nothing', async () => {
    const database = await open();
    const key = await addApiKey(database, first, plans.free, now);
    await addApiKey(database, second, plans.free, now, { label: 'ci' });
    expect(await updateApiKey(database, key, changes)).toBe(false);
    expect(await findApiKey(database, first)).toEqual(key);
  });

  test('to one label succeeds for one of several concurrent processes', async () => {
    const databases = await openProcesses(8);
    const keys = await Promise.all(databases.map((database) => addApiKey(database, generateApiKey(), plans.free, now)));
    const updates = keys.map((key, index) => updateApiKey(databases[index] as Database, key, changes));
    expect((await Promise.all(updates)).filter(Boolean)).toHaveLength(1);
  });

  test('that was revoked changes nothing', async () => {
    const database = await open();
    const key = await addApiKey(database, first, plans.free, now);
    await revokeApiKey(database, key);
    expect(await updateApiKey(database, key, changes)).toBe(false);
  });

  test('changes the limits of the key that it replaced, too', async () => {
    const database = await open();
    const successor = await rotate(database, await addApiKey(database, first, plans.free, now), second);
    await updateApiKey(database, successor, changes);
    expect((await findApiKey(database, first))?.limits).toEqual(plans.pro);
  });
});

describe('rotating a key', () => {
  test('adds a key with its details, and makes it expire without its label', async () => {
    const database = await open();
    const key = await addApiKey(database, first, plans.free, now, { plan: 'pro', label: 'ci' });
    expect(await rotateApiKey(database, { ...key, label: 'ci' }, { key: second, overlapMs: 60_000, now })).toBe(
      now + 60_000,
    );
    const listed = await listApiKeys(database, now);
    const find = (expiresAt: number | undefined) => listed.find((each) => each.expiresAt === expiresAt);
    expect(find(now + 60_000)).toMatchObject({ digest: key.digest, label: undefined, plan: 'pro' });
    expect(find(undefined)).toMatchObject({ label: 'ci', plan: 'pro', limits: plans.free, owner: key.digest });
  });

  test('shares quota and ban', async () => {
    const database = await open();
    const limits = { perMinute: 3, perDay: 100 };
    const key = await addApiKey(database, first, limits, now);
    await send(database, key);
    const successor = await rotate(database, key, second);
    await send(database, successor);
    expect(await send(database, key)).toMatchObject({ quota: { remaining: 0 }, rejectedAs: undefined });
    for (let sent = 0; sent < 9; sent += 1) await send(database, key);
    expect(await send(database, successor)).toMatchObject({ isNewBan: true, rejectedAs: 'key_banned' });
    expect(await send(database, key)).toMatchObject({ rejectedAs: 'key_banned' });
  });

  test('twice keeps one quota for the three keys', async () => {
    const database = await open();
    const key = await addApiKey(database, first, plans.free, now);
    const last = await rotate(database, await rotate(database, key, second), third);
    expect(last.owner).toBe(key.digest);
    for (const text of [first, second, third]) await send(database, (await findApiKey(database, text)) as ApiKeyRecord);
    expect((await send(database, last)).quota.remaining).toBe(56);
  });

  test('keeps an earlier expiry, which the new key has, too', async () => {
    const database = await open();
    const key = await addApiKey(database, first, plans.free, now, { expiresAt: now + 5 });
    expect((await rotate(database, key, second)).expiresAt).toBe(now + 5);
    expect((await findApiKey(database, first))?.expiresAt).toBe(now + 5);
  });

  test('succeeds for one of several concurrent processes', async () => {
    const databases = await openProcesses(8);
    const key = await addApiKey(databases[0] as Database, first, plans.free, now, { label: 'ci' });
    const rotations = databases.map((database) =>
      rotateApiKey(database, { ...key, label: 'ci' }, { key: generateApiKey(), overlapMs: 1, now }),
    );
    expect((await Promise.all(rotations)).filter((expiresAt) => expiresAt !== undefined)).toEqual([now + 1]);
    expect(await labels(databases[0])).toEqual(['ci', undefined]);
  });

  test.each([
    ['revoked', (database: Database, key: ApiKeyRecord) => revokeApiKey(database, key)],
    [
      'given another label',
      (database: Database, key: ApiKeyRecord) => updateApiKey(database, key, { ...key, plan: 'free', label: 'other' }),
    ],
  ])('that was %s meanwhile changes nothing', async (_, change) => {
    const database = await open();
    const key = await addApiKey(database, first, plans.free, now, { label: 'ci' });
    await change(database, key);
    expect(await rotateApiKey(database, { ...key, label: 'ci' }, { key: second, overlapMs: 1, now })).toBeUndefined();
    expect(await findApiKey(database, second)).toBeUndefined();
    expect((await findApiKey(database, first))?.expiresAt).toBeUndefined();
  });

  test('that was rotated already changes nothing', async () => {
    const database = await open();
    const key = await addApiKey(database, first, plans.free, now);
    await rotate(database, key, second);
    const again = await rotateApiKey(database, { ...key, label: undefined }, { key: third, overlapMs: 1, now });
    expect(again).toBeUndefined();
    expect(await findApiKey(database, third)).toBeUndefined();
  });

  test('whose successor was revoked succeeds again', async () => {
    const database = await open();
    const key = await addApiKey(database, first, plans.free, now);
    await revokeApiKey(database, await rotate(database, key, second));
    expect(await rotate(database, key, third)).toBeDefined();
  });
});

describe('revoking a key', () => {
  test('deletes it and its counters, and no others', async () => {
    const database = await open();
    const revoked = await addApiKey(database, first, plans.free, now);
    const kept = await addApiKey(database, second, plans.free, now);
    for (const key of [revoked, kept]) await send(database, key);
    await revokeApiKey(database, revoked);
    expect(await findApiKey(database, first)).toBeUndefined();
    expect(await findApiKey(database, second)).toEqual(kept);
    expect(await database.read(sql`SELECT subject FROM meters`)).toEqual([{ subject: `key ${kept.digest}` }]);
  });

  test('keeps the counters until the last key that shares them is revoked', async () => {
    const database = await open();
    const key = await addApiKey(database, first, plans.free, now);
    await send(database, key);
    const successor = await rotate(database, key, second);
    await revokeApiKey(database, key);
    expect((await send(database, successor)).quota.remaining).toBe(58);
    await revokeApiKey(database, successor);
    expect(await database.read(sql`SELECT subject FROM meters`)).toEqual([]);
  });
});

describe('a running server applies at once', () => {
  test('an update, a rotation and a revocation by another process', async () => {
    const address = await newDatabaseAddress();
    const clock = fakeClock(now);
    const [database, other] = [await openDatabaseAt(address, { clock }), await openDatabaseAt(address, { clock })];
    const handle = createRequestHandler({ database, clock, onError: (error) => expect.fail(String(error)) });
    const request = async (secret: string) => {
      // Requests arrive in later turns of the event loop.
      await setImmediate();
      const headers = { authorization: `Bearer ${secret}` };
      const target = { method: 'GET', origin: 'http://127.0.0.1:4010', target: '/v1/pets' };
      const response = await handle({ ...target, headers }, '127.0.0.1');
      return [response.status, response.headers['x-ratelimit-remaining']];
    };
    expect(await request(first)).toEqual([401, '59']);
    await createApiKey(other, first, plans.free, now);
    expect(await request(first)).toEqual([200, '59']);
    const key = (await findApiKey(other, first)) as ApiKeyRecord;
    await updateApiKey(other, key, {
      limits: { perMinute: 5, perDay: 9 },
      plan: 'pro',
      label: 'ci',
      expiresAt: undefined,
    });
    expect(await request(first)).toEqual([200, '3']);
    await rotateApiKey(other, { ...key, label: 'ci' }, { key: second, overlapMs: 2_000, now });
    expect([await request(second), await request(first)]).toEqual([
      [200, '2'],
      [200, '1'],
    ]);
    clock.advance(2_000);
    expect([await request(first), await request(second)]).toEqual([
      [401, '58'],
      [200, '0'],
    ]);
    const successor = (await findApiKey(other, second)) as ApiKeyRecord;
    await updateApiKey(other, successor, { limits: plans.pro, plan: 'pro', label: 'ci', expiresAt: clock.now() + 1 });
    expect((await request(second))[0]).toBe(200);
    clock.advance(1);
    expect((await request(second))[0]).toBe(401);
    await updateApiKey(other, successor, { limits: plans.pro, plan: 'pro', label: 'ci', expiresAt: 'never' });
    expect((await request(second))[0]).toBe(200);
    await revokeApiKey(other, successor);
    expect((await request(second))[0]).toBe(401);
  });
});

async function rotate(database: Database, key: ApiKeyRecord, successor: string): Promise<ApiKeyRecord> {
  await rotateApiKey(database, { ...key, label: undefined }, { key: successor, overlapMs: 60_000, now });
  return (await findApiKey(database, successor)) as ApiKeyRecord;
}

function send(database: Database, { owner, limits }: ApiKeyRecord) {
  return countRequest(database, keySubject(owner, limits), now);
}

async function labels(database: Database | undefined): Promise<readonly (string | undefined)[]> {
  const keys = database ? await listApiKeys(database, now) : [];
  return keys.map(({ label }) => label).sort();
}

function open(): Promise<Database> {
  return openTestDatabase({ empty: true });
}

async function openProcesses(count: number): Promise<readonly Database[]> {
  const address = await newDatabaseAddress();
  return Promise.all(Array.from({ length: count }, () => openDatabaseAt(address)));
}
