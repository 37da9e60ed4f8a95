import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { sha256Hex } from '../../src/format/sha256.js';
import {
  addApiKey,
  addFirstApiKey,
  findApiKey,
  generateApiKey,
  updateLimitsStatement,
} from '../../src/server/api-keys.js';
import type { Database } from '../../src/server/sql.js';
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
    await addApiKey(database, key, plans.pro, now, { expiresAt: now + 1 });
    const digest = createHash('sha256').update(key).digest('hex');
    expect(await findApiKey(database, key)).toEqual({
      ...{ digest, owner: digest },
      prefix: key.slice(0, 9),
      limits: plans.pro,
      expiresAt: now + 1,
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

test('the first key is the oldest that is valid, and a new one if all have expired', async () => {
  const database = await open();
  await addApiKey(database, 'pets_first_key', plans.free, now, { expiresAt: now + 10 });
  await addApiKey(database, 'pets_later_key', plans.free, now + 1, { expiresAt: now + 20 });
  const firstAt = async (time: number) => (await addFirstApiKey(database, 'pets_another_key', plans.free, time)).digest;
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

async function bytesIn(folder: string): Promise<string> {
  const files = await readdir(folder);
  const contents = await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')));
  return contents.join('\n');
}

async function open(path?: string): Promise<Database> {
  return path === undefined ? openTestDatabase({ empty: true }) : openDatabaseAt(path);
}
