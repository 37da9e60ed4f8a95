import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plans } from '../../src/api/plan.js';
import {
  type ApiKeyRecord,
  addApiKey,
  addFirstApiKey,
  findApiKey,
  generateApiKey,
  listApiKeys,
  revokeApiKey,
  updateLimitsStatement,
} from '../../src/server/api-keys.js';
import { countRequest, keySubject } from '../../src/server/rate-limits.js';
import { type Database, sql } from '../../src/server/sql.js';
import { makeFolder } from '../support/temp-folder.js';
import { newDatabaseAddress, openDatabaseAt, openTestDatabase } from '../support/test-database.js';

const now = Date.UTC(2026, 10, 21, 12);

describe('a generated key', () => {
  test('consists of pets_ and fifty letters and digits', () => {
    expect(generateApiKey()).toMatch(/^pets_[0-9a-z]{50}$/);
  });

  test('differs each time', () => {
    expect(new Set(Array.from({ length: 1_000 }, generateApiKey)).size).toBe(1_000);
  });
});

describe('a stored key', () => {
  test('is found with digest, prefix and limits', async () => {
    const database = await open();
    const key = generateApiKey();
    await addApiKey(database, key, plans.pro, now);
    expect(await findApiKey(database, key)).toEqual({
      digest: createHash('sha256').update(key).digest('hex'),
      prefix: key.slice(0, 9),
      limits: plans.pro,
    });
  });

  test('keeps its limits if it is added again', async () => {
    const database = await open();
    await addApiKey(database, 'pets_first_key', plans.pro, now);
    await addApiKey(database, 'pets_first_key', plans.free, now + 1);
    expect((await findApiKey(database, 'pets_first_key'))?.limits).toEqual(plans.pro);
  });

  test('can get other limits without affecting other keys', async () => {
    const database = await open();
    await addApiKey(database, 'pets_first_key', plans.pro, now);
    await addApiKey(database, 'pets_second_key', plans.pro, now);
    const key = await findApiKey(database, 'pets_first_key');
    if (key) await database.write(updateLimitsStatement(key, plans.business));
    expect((await findApiKey(database, 'pets_first_key'))?.limits).toEqual(plans.business);
    expect((await findApiKey(database, 'pets_second_key'))?.limits).toEqual(plans.pro);
  });
});

test.each(['', 'pets_first', 'pets_first_key2', 'PETS_FIRST_KEY', `' OR 1=1 --`, '%'])(
  'the unknown key %j is not found',
  async (key) => {
    const database = await open();
    await addApiKey(database, 'pets_first_key', plans.free, now);
    expect(await findApiKey(database, key)).toBeUndefined();
  },
);

test.each([
  ['different first keys', addFirstApiKey],
  ['the same key', addApiKey],
])('concurrent processes that add %s add only one', async (_, add) => {
  const place = await newDatabaseAddress();
  const databases = await Promise.all(Array.from({ length: 8 }, () => openDatabaseAt(place)));
  const added = await Promise.all(
    databases.map((database) => {
      const key = add === addApiKey ? 'pets_first_key' : generateApiKey();
      return add(database, key, plans.free, now);
    }),
  );
  expect(new Set(added.map(({ digest }) => digest)).size).toBe(1);
});

test('concurrent processes that add keys with one label add only one', async () => {
  const place = await newDatabaseAddress();
  const databases = await Promise.all(Array.from({ length: 8 }, () => openDatabaseAt(place)));
  const added = await Promise.all(
    databases.map((database) => addApiKey(database, generateApiKey(), plans.free, now, { label: 'ci' })),
  );
  expect(new Set(added.map(({ digest }) => digest)).size).toBe(1);
});

test('a digest is not accepted as a key', async () => {
  const database = await open();
  await addApiKey(database, 'pets_first_key', plans.free, now);
  const digest = (await findApiKey(database, 'pets_first_key'))?.digest ?? '';
  expect(await findApiKey(database, digest)).toBeUndefined();
});

test('the first key is the oldest', async () => {
  const database = await open();
  await addApiKey(database, 'pets_later_key', plans.free, now + 1);
  await addApiKey(database, 'pets_first_key', plans.free, now);
  const first = await addFirstApiKey(database, 'pets_another_key', plans.free, now - 1);
  expect(first).toEqual(await findApiKey(database, 'pets_first_key'));
});

describe('the list of keys', () => {
  test('has plan, label and creation time, oldest key first', async () => {
    const database = await open();
    await addApiKey(database, 'pets_later_key', plans.pro, now + 1, { label: 'ci' });
    await addApiKey(database, 'pets_first_key', { perMinute: 5, perDay: 7 }, now);
    const listed = await listApiKeys(database, now);
    expect(listed.map(({ prefix, plan, label, createdAt }) => ({ prefix, plan, label, createdAt }))).toEqual([
      { prefix: 'pet', plan: 'enterprise', label: undefined, createdAt: now },
      { prefix: 'pet', plan: 'pro', label: 'ci', createdAt: now + 1 },
    ]);
  });

  test('has the chosen plan even if its limits are those of another', async () => {
    const database = await open();
    await addApiKey(database, 'pets_first_key', plans.free, now, { plan: 'enterprise' });
    expect((await listApiKeys(database, now))[0]?.plan).toBe('enterprise');
    await database.write(
      updateLimitsStatement((await findApiKey(database, 'pets_first_key')) as ApiKeyRecord, plans.pro),
    );
    expect((await listApiKeys(database, now))[0]?.plan).toBe('pro');
  });

  test.each([
    [plans.free, 'free'],
    [plans.business, 'business'],
    [{ perMinute: 60, perDay: 2_000 }, 'enterprise'],
  ] as const)('has the plan with the limits %j if none is stored: %s', async (limits, plan) => {
    const database = await open();
    await addApiKey(database, 'pets_first_key', limits, now);
    await database.write(sql`UPDATE keys SET plan = NULL`);
    expect((await listApiKeys(database, now))[0]?.plan).toBe(plan);
  });

  test('has the remaining quota and the end of a ban', async () => {
    const database = await open();
    const limits = { perMinute: 2, perDay: 10 };
    const idle = await addApiKey(database, 'pets_first_key', limits, now);
    const busy = await addApiKey(database, 'pets_second_key', limits, now + 1);
    for (let sent = 0; sent < 12; sent += 1) await send(database, busy);
    const [first, second] = await listApiKeys(database, now + 1_000);
    expect(first).toEqual({
      ...idle,
      plan: 'enterprise',
      label: undefined,
      createdAt: now,
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

test('revoking deletes a key and its counters, and no others', async () => {
  const database = await open();
  const revoked = await addApiKey(database, 'pets_first_key', plans.free, now);
  const kept = await addApiKey(database, 'pets_second_key', plans.free, now);
  await send(database, revoked);
  await send(database, kept);
  await revokeApiKey(database, revoked);
  expect(await findApiKey(database, 'pets_first_key')).toBeUndefined();
  expect(await findApiKey(database, 'pets_second_key')).toEqual(kept);
  expect(await database.read(sql`SELECT subject FROM meters`)).toEqual([{ subject: `key ${kept.digest}` }]);
});

test.each([
  ['a long key', generateApiKey()],
  ['a short key', 'hunter22'],
])('%s does not appear in the files of the database', async (_, key) => {
  const folder = await makeFolder();
  const database = await open(join(folder, 'store.db'));
  await addApiKey(database, key, plans.free, now);
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

function send(database: Database, key: ApiKeyRecord) {
  return countRequest(database, keySubject(key.digest, key.limits), now);
}

async function bytesIn(folder: string): Promise<string> {
  const files = await readdir(folder);
  const contents = await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')));
  return contents.join('\n');
}

async function open(path?: string): Promise<Database> {
  return path === undefined ? openTestDatabase({ empty: true }) : openDatabaseAt(path);
}
