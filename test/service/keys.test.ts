import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plans } from '../../src/contract/plan.js';
import {
  addFirstKey,
  addKey,
  createKey,
  findKey,
  firstKey,
  limitKey,
} from '../../src/service/keys.js';
import type { Database } from '../../src/service/sql.js';
import { makeFolder } from '../support/folder.js';
import { newPlace, openFleeting, openPlace } from '../support/place.js';

const now = Date.UTC(2026, 10, 21, 12);

describe('a new key', () => {
  test('is pets_ and fifty letters and digits', () => {
    expect(createKey()).toMatch(/^pets_[0-9a-z]{50}$/);
  });

  test('is another one each time', () => {
    expect(new Set(Array.from({ length: 1_000 }, createKey)).size).toBe(1_000);
  });
});

describe('a key that was made known', () => {
  test('is found, by its digest, with its first characters and its limits', async () => {
    const database = await open();
    const key = createKey();
    await addKey(database, key, plans.pro, now);
    expect(await findKey(database, key)).toEqual({
      digest: createHash('sha256').update(key).digest('hex'),
      prefix: key.slice(0, 9),
      limits: plans.pro,
    });
  });

  test('keeps its limits when it is made known again', async () => {
    const database = await open();
    await addKey(database, 'pets_first_key', plans.pro, now);
    await addKey(database, 'pets_first_key', plans.free, now + 1);
    expect((await findKey(database, 'pets_first_key'))?.limits).toEqual(plans.pro);
  });

  test('can be given other limits, and no other key with it', async () => {
    const database = await open();
    await addKey(database, 'pets_first_key', plans.pro, now);
    await addKey(database, 'pets_second_key', plans.pro, now);
    const key = await findKey(database, 'pets_first_key');
    if (key) await database.write(limitKey(key, plans.business));
    expect((await findKey(database, 'pets_first_key'))?.limits).toEqual(plans.business);
    expect((await findKey(database, 'pets_second_key'))?.limits).toEqual(plans.pro);
  });
});

test.each(['', 'pets_first', 'pets_first_key2', 'PETS_FIRST_KEY', `' OR 1=1 --`, '%'])(
  'the key %j, which was not made known, is not found',
  async (key) => {
    const database = await open();
    await addKey(database, 'pets_first_key', plans.free, now);
    expect(await findKey(database, key)).toBeUndefined();
  },
);

test('of two keys that are made known where there is none, by many at once, one is known', async () => {
  const place = await newPlace();
  const databases = await Promise.all(Array.from({ length: 8 }, () => openPlace(place)));
  const added = await Promise.all(
    databases.map((database) => addFirstKey(database, createKey(), plans.free, now)),
  );
  expect(new Set(added.map(({ digest }) => digest)).size).toBe(1);
});

test('a key that many make known at once is known once', async () => {
  const place = await newPlace();
  const databases = await Promise.all(Array.from({ length: 8 }, () => openPlace(place)));
  const added = await Promise.all(
    databases.map((database) => addKey(database, 'pets_first_key', plans.pro, now)),
  );
  expect(new Set(added.map(({ digest }) => digest)).size).toBe(1);
});

test('a digest is no key', async () => {
  const database = await open();
  await addKey(database, 'pets_first_key', plans.free, now);
  const digest = (await findKey(database, 'pets_first_key'))?.digest ?? '';
  expect(await findKey(database, digest)).toBeUndefined();
});

test('the first key is the one that was made known first', async () => {
  const database = await open();
  expect(await firstKey(database)).toBeUndefined();
  await addKey(database, 'pets_later_key', plans.free, now + 1);
  await addKey(database, 'pets_first_key', plans.free, now);
  expect(await firstKey(database)).toEqual(await findKey(database, 'pets_first_key'));
});

test.each([
  ['a long key', createKey()],
  ['a short key', 'hunter22'],
])('%s is nowhere in the files of the database', async (_, key) => {
  const folder = await makeFolder();
  const database = await open(join(folder, 'store.db'));
  await addKey(database, key, plans.free, now);
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
  return path === undefined ? openFleeting() : openPlace(path);
}
