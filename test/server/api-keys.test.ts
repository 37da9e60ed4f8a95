import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { sha256Hex } from '../../src/format/sha256.js';
import {
  type ApiKeyDetails,
  type ApiKeyRecord,
  addApiKey,
  addFirstApiKey,
  createApiKey,
  findApiKey,
  generateApiKey,
  listApiKeys,
  revokeApiKey,
  rotateApiKey,
  updateApiKey,
} from '../../src/server/api-keys.js';
import { countRequest, keySubject } from '../../src/server/rate-limits.js';
import type { Database } from '../../src/server/sql.js';
import { fakeClock } from '../support/clock.js';
import { makeFolder } from '../support/temp-folder.js';
import { newDatabaseAddress, openDatabaseAt, openTestDatabase, sql } from '../support/test-database.js';
import { handlerOf, respondWith } from '../support/test-server.js';

const now = Date.UTC(2026, 10, 21, 12);
const [first, second, third] = ['pets_first_key', 'pets_second_key', 'pets_third_key'];

describe('a generated key', () => {
  test('consists of pets_ and fifty letters and digits', () => {
    expect(generateApiKey()).toMatch(/^pets_[0-9a-z]{50}$/);
  });
});

describe('a stored key', () => {
  test('is found with digest, prefix and limits', async () => {
    const database = await open();
    const key = generateApiKey();
    await add(database, key, { limits: plans.pro, expiresAt: now + 1 }, now);
    const digest = createHash('sha256').update(key).digest('hex');
    expect(await findApiKey(database, key)).toEqual({
      ...{ digest, owner: digest },
      prefix: key.slice(0, 9),
      limits: plans.pro,
      label: undefined,
      expiresAt: now + 1,
    });
  });
});

test.each(['', 'pets_first', 'pets_first_key2', 'PETS_FIRST_KEY', `' OR 1=1 --`, '%'])(
  'the unknown key %j is not found',
  async (key) => {
    const database = await open();
    await add(database, 'pets_first_key', { limits: plans.free }, now);
    expect(await findApiKey(database, key)).toBeUndefined();
  },
);

test.each([
  ['different first keys', addFirstApiKey],
  ['the same key', add],
])('concurrent processes that add %s add only one', async (_, addKey) => {
  const place = await newDatabaseAddress();
  const databases = await Promise.all(Array.from({ length: 8 }, () => openDatabaseAt(place)));
  const added = await Promise.all(
    databases.map((database) => {
      const key = addKey === add ? 'pets_first_key' : generateApiKey();
      return addKey(database, key, { limits: plans.free }, now);
    }),
  );
  expect(new Set(added.map(({ digest }) => digest)).size).toBe(1);
});

test('the first key is the oldest that is valid, and a new one if all have expired', async () => {
  const database = await open();
  await add(database, 'pets_first_key', { limits: plans.free, expiresAt: now + 10 }, now);
  await add(database, 'pets_later_key', { limits: plans.free, expiresAt: now + 20 }, now + 1);
  const firstAt = async (time: number) =>
    (await addFirstApiKey(database, 'pets_another_key', { limits: plans.free }, time)).digest;
  expect(await firstAt(now + 9)).toBe(sha256Hex('pets_first_key'));
  expect(await firstAt(now + 10)).toBe(sha256Hex('pets_later_key'));
  expect(await firstAt(now + 20)).toBe(sha256Hex('pets_another_key'));
});

test.each([
  ['a long key', generateApiKey()],
  ['a short key', 'hunter22'],
])('%s does not appear in the files of the database', async (_, key) => {
  const folder = await makeFolder();
  const database = await open(join(folder, 'store.db'));
  await add(database, key, { limits: plans.free }, now);
  const digest = createHash('sha256').update(key).digest('hex');
  const found = async (text: string) => (await bytesIn(folder)).includes(text);
  expect({ digest: await found(digest), key: await found(key) }).toEqual({
    digest: true,
    key: false,
  });
  await database.close();
  expect({ digest: await found(digest), key: await found(key) }).toEqual({
    digest: true,
    key: false,
  });
});

describe('creating a key', () => {
  test('stores its details', async () => {
    const database = await open();
    const details = { limits: plans.free, label: 'ci', expiresAt: now + 5 };
    const created = await createApiKey(database, first, details, now);
    expect(created).toEqual({ ...details, digest: sha256Hex(first), owner: sha256Hex(first), prefix: 'pet' });
    expect(await listApiKeys(database, now)).toMatchObject([{ ...created, createdAt: now }]);
  });

  test('with one label succeeds for one of several concurrent processes', async () => {
    const databases = await openProcesses(8);
    const added = await Promise.all(
      databases.map((database) => createApiKey(database, generateApiKey(), { limits: plans.free, label: 'ci' }, now)),
    );
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await labels(databases[0])).toEqual(['ci']);
  });
});

describe('updating a key', () => {
  const changes = { limits: plans.pro, label: 'ci', expiresAt: now + 5 } as const;

  test('replaces its details and no others', async () => {
    const database = await open();
    const key = await add(database, first, { limits: plans.free }, now);
    const other = await add(database, second, { limits: plans.free }, now);
    expect(await updateApiKey(database, key, changes)).toBe(true);
    expect((await listApiKeys(database, now)).find(({ digest }) => digest === key.digest)).toMatchObject({
      ...{ limits: plans.pro, label: 'ci', expiresAt: now + 5 },
    });
    expect(await findApiKey(database, second)).toEqual(other);
    expect(await updateApiKey(database, key, { expiresAt: 'never' })).toBe(true);
    expect((await findApiKey(database, first))?.expiresAt).toBeUndefined();
  });

  test('keeps what it does not name, even if another process changed that', async () => {
    const database = await open();
    const key = await add(database, first, { limits: plans.free, label: 'ci' }, now);
    const successor = { key: second, overlapMs: 5, now };
    await rotateApiKey(database, { ...key, label: 'ci' }, successor);
    await updateApiKey(database, key, { limits: plans.pro });
    expect(await findApiKey(database, first)).toMatchObject({ limits: plans.pro, expiresAt: now + 5 });
    expect(await labels(database)).toEqual(['ci', undefined]);
  });

  test('to the label of another key changes nothing', async () => {
    const database = await open();
    const key = await add(database, first, { limits: plans.free }, now);
    await add(database, second, { limits: plans.free, label: 'ci' }, now);
    expect(await updateApiKey(database, key, changes)).toBe(false);
    expect(await findApiKey(database, first)).toEqual(key);
  });

  test('that was revoked changes nothing', async () => {
    const database = await open();
    const key = await add(database, first, { limits: plans.free }, now);
    await revokeApiKey(database, key);
    expect(await updateApiKey(database, key, changes)).toBe(false);
  });

  test('changes the limits of the key that it replaced, too', async () => {
    const database = await open();
    const successor = await rotate(database, await add(database, first, { limits: plans.free }, now), second);
    await updateApiKey(database, successor, changes);
    expect((await findApiKey(database, first))?.limits).toEqual(plans.pro);
  });
});

describe('rotating a key', () => {
  test('adds a key with its details, and makes it expire without its label', async () => {
    const database = await open();
    const key = await add(database, first, { limits: plans.free, label: 'ci' }, now);
    expect(await rotateApiKey(database, { ...key, label: 'ci' }, { key: second, overlapMs: 60_000, now })).toBe(
      now + 60_000,
    );
    const listed = await listApiKeys(database, now);
    const find = (expiresAt: number | undefined) => listed.find((each) => each.expiresAt === expiresAt);
    expect(find(now + 60_000)).toMatchObject({ digest: key.digest, label: undefined, successor: 'pet' });
    expect(find(undefined)).toMatchObject({ label: 'ci', limits: plans.free, owner: key.digest });
  });

  test('shares quota and ban', async () => {
    const database = await open();
    const limits = { perMinute: 3, perDay: 100 };
    const key = await add(database, first, { limits }, now);
    await send(database, key);
    const successor = await rotate(database, key, second);
    await send(database, successor);
    expect(await send(database, key)).toMatchObject({ quota: { remaining: 0 }, rejectedAs: undefined });
    for (let sent = 0; sent < 9; sent += 1) await send(database, key);
    expect(await send(database, successor)).toMatchObject({ rejectedAs: 'key_banned' });
    expect(await send(database, key)).toMatchObject({ rejectedAs: 'key_banned' });
  });

  test('keeps an earlier expiry, which the new key has, too', async () => {
    const database = await open();
    const key = await add(database, first, { limits: plans.free, expiresAt: now + 5 }, now);
    expect((await rotate(database, key, second)).expiresAt).toBe(now + 5);
    expect((await findApiKey(database, first))?.expiresAt).toBe(now + 5);
  });

  test('succeeds for one of several concurrent processes', async () => {
    const databases = await openProcesses(8);
    const key = await add(databases[0] as Database, first, { limits: plans.free, label: 'ci' }, now);
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
      (database: Database, key: ApiKeyRecord) => updateApiKey(database, key, { ...key, label: 'other' }),
    ],
  ])('that was %s meanwhile changes nothing', async (_, change) => {
    const database = await open();
    const key = await add(database, first, { limits: plans.free, label: 'ci' }, now);
    await change(database, key);
    expect(await rotateApiKey(database, { ...key, label: 'ci' }, { key: second, overlapMs: 1, now })).toBeUndefined();
    expect(await findApiKey(database, second)).toBeUndefined();
    expect((await findApiKey(database, first))?.expiresAt).toBeUndefined();
  });

  test('that was rotated already changes nothing', async () => {
    const database = await open();
    const key = await add(database, first, { limits: plans.free }, now);
    await rotate(database, key, second);
    const again = await rotateApiKey(database, { ...key, label: undefined }, { key: third, overlapMs: 1, now });
    expect(again).toBeUndefined();
    expect(await findApiKey(database, third)).toBeUndefined();
  });

  test('whose successor was revoked succeeds again', async () => {
    const database = await open();
    const key = await add(database, first, { limits: plans.free }, now);
    await revokeApiKey(database, await rotate(database, key, second));
    expect(await rotate(database, key, third)).toBeDefined();
  });
});

describe('revoking a key', () => {
  test('deletes it and its counters, and no others', async () => {
    const database = await open();
    const revoked = await add(database, first, { limits: plans.free }, now);
    const kept = await add(database, second, { limits: plans.free }, now);
    for (const key of [revoked, kept]) await send(database, key);
    await revokeApiKey(database, revoked);
    expect(await findApiKey(database, first)).toBeUndefined();
    expect(await findApiKey(database, second)).toEqual(kept);
    expect(await database.read(sql`SELECT subject FROM meters`)).toEqual([{ subject: `key ${kept.digest}` }]);
  });

  test('keeps the counters until the last key that shares them is revoked', async () => {
    const database = await open();
    const key = await add(database, first, { limits: plans.free }, now);
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
    const handle = handlerOf(respondWith({ database, clock, onError: (error) => expect.fail(String(error)) }));
    const request = async (secret: string) => {
      // Requests arrive in later turns of the event loop.
      await setImmediate();
      const headers = { authorization: `Bearer ${secret}` };
      const target = { method: 'GET', target: '/v1/pets' };
      const response = await handle({ ...target, headers }, '127.0.0.1');
      return [response.status, response.headers['x-ratelimit-remaining']];
    };
    expect(await request(first)).toEqual([401, '59']);
    await createApiKey(other, first, { limits: plans.free }, now);
    expect(await request(first)).toEqual([200, '59']);
    const key = (await findApiKey(other, first)) as ApiKeyRecord;
    await updateApiKey(other, key, {
      limits: { perMinute: 5, perDay: 9 },
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
    await updateApiKey(other, successor, { limits: plans.pro, label: 'ci', expiresAt: clock.now() + 1 });
    expect((await request(second))[0]).toBe(200);
    clock.advance(1);
    expect((await request(second))[0]).toBe(401);
    await updateApiKey(other, successor, { limits: plans.pro, label: 'ci', expiresAt: 'never' });
    expect((await request(second))[0]).toBe(200);
    await revokeApiKey(other, successor);
    expect((await request(second))[0]).toBe(401);
  });
});

describe('the list of keys', () => {
  test('has limits, label and creation time, oldest key first', async () => {
    const database = await open();
    await add(database, 'pets_later_key', { limits: plans.pro, label: 'ci' }, now + 1);
    await add(database, 'pets_first_key', { limits: { perMinute: 5, perDay: 7 } }, now);
    const listed = await listApiKeys(database, now);
    expect(listed.map(({ limits, label, createdAt }) => ({ limits, label, createdAt }))).toEqual([
      { limits: { perMinute: 5, perDay: 7 }, label: undefined, createdAt: now },
      { limits: plans.pro, label: 'ci', createdAt: now + 1 },
    ]);
  });

  test('has the remaining quota and the end of a ban', async () => {
    const database = await open();
    const limits = { perMinute: 2, perDay: 10 };
    const idle = await add(database, 'pets_first_key', { limits }, now);
    const busy = await add(database, 'pets_second_key', { limits }, now + 1);
    for (let sent = 0; sent < 12; sent += 1) await countRequest(database, keySubject(busy), now);
    const [first, second] = await listApiKeys(database, now + 1_000);
    expect(first).toEqual({
      ...idle,
      createdAt: now,
      successor: undefined,
      minute: { limit: 2, remaining: 2, resetAt: now + 61_000 },
      day: { limit: 10, remaining: 10, resetAt: now + 86_401_000 },
      bannedUntil: undefined,
    });
    expect(second).toMatchObject({
      minute: { limit: 2, remaining: 0, resetAt: now + 60_000 },
      day: { limit: 10, remaining: 8, resetAt: now + 86_400_000 },
      bannedUntil: now + 300_000,
    });
    const [, later] = await listApiKeys(database, now + 300_000);
    expect(later).toMatchObject({ minute: { remaining: 2 }, bannedUntil: undefined });
  });
});

/** Adds a key that is not revoked. */
async function add(database: Database, key: string, details: ApiKeyDetails, time: number): Promise<ApiKeyRecord> {
  return (await addApiKey(database, key, details, time)) as ApiKeyRecord;
}

async function rotate(database: Database, key: ApiKeyRecord, successor: string): Promise<ApiKeyRecord> {
  await rotateApiKey(database, { ...key, label: undefined }, { key: successor, overlapMs: 60_000, now });
  return (await findApiKey(database, successor)) as ApiKeyRecord;
}

function send(database: Database, key: ApiKeyRecord) {
  return countRequest(database, keySubject(key), now);
}

async function labels(database: Database | undefined): Promise<readonly (string | undefined)[]> {
  const keys = database ? await listApiKeys(database, now) : [];
  return keys.map(({ label }) => label).sort();
}

async function openProcesses(count: number): Promise<readonly Database[]> {
  const address = await newDatabaseAddress();
  return Promise.all(Array.from({ length: count }, () => openDatabaseAt(address)));
}

async function bytesIn(folder: string): Promise<string> {
  const files = await readdir(folder);
  const contents = await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')));
  return contents.join('\n');
}

async function open(path?: string): Promise<Database> {
  return path === undefined ? openTestDatabase({ empty: true }) : openDatabaseAt(path);
}
