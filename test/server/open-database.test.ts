import { assert, asyncProperty, bigInt, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatExactNumber } from '../../src/format/json.js';
import { findApiKey } from '../../src/server/api-keys.js';
import { samplePetCount, samplePetStatements } from '../../src/server/sample-pets.js';
import { DatabaseError } from '../../src/server/sql.js';
import { newDatabaseAddress, openDatabaseAt, sql } from '../support/test-database.js';
import { addPet, countPets, openStore } from '../support/test-server.js';

const seed = samplePetStatements;

describe('opening a database', () => {
  test('creates tables and seed data', async () => {
    const database = await openDatabaseAt(await newDatabaseAddress(), { seed });
    expect(database.isNew).toBe(true);
    expect(await countPets(database)).toBe(samplePetCount);
  });

  test('again keeps the data and adds no seed data', async () => {
    const address = await newDatabaseAddress();
    const first = await openDatabaseAt(address, { seed });
    await addPet(first, 'Rex');
    await first.close();
    const second = await openDatabaseAt(address, { seed });
    expect(second.isNew).toBe(false);
    expect(await countPets(second)).toBe(samplePetCount + 1);
  });

  test('concurrently creates it once', async () => {
    const address = await newDatabaseAddress();
    const opened = await Promise.all(Array.from({ length: 20 }, () => openDatabaseAt(address, { seed })));
    expect(opened.filter(({ isNew }) => isNew)).toHaveLength(1);
    for (const database of opened) expect(await countPets(database)).toBe(samplePetCount);
  });

  test('creates everything or nothing', async () => {
    const address = await newDatabaseAddress();
    const failingSeed = () => [...seed(), sql`INSERT INTO cats (name) VALUES ('Rex')`];
    await expect(openDatabaseAt(address, { seed: failingSeed })).rejects.toMatchObject({
      name: 'DatabaseError',
      reason: 'unusable',
    });
    const database = await openDatabaseAt(address);
    expect(database.isNew).toBe(true);
    expect(await countPets(database)).toBe(0);
  });
});

describe('a database', () => {
  test('returns integers as bigint, text as string and NULL as null, all exactly', async () => {
    const database = await openDatabaseAt(await newDatabaseAddress());
    const int64 = bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const text = string({ unit: 'binary', maxLength: 200 }).filter((name) => !name.includes('\0'));
    await assert(
      asyncProperty(int64, text, async (categoryId, name) => {
        const [row] = await database.writeUnsynced(sql`
          INSERT INTO pets (name, category_id) VALUES (${name}, ${categoryId})
          RETURNING name, category_id, status`);
        expect(row).toEqual({ name, category_id: categoryId, status: null });
      }),
      {
        numRuns: 200,
        examples: [
          [2n ** 53n + 1n, 'Rex'],
          [2n ** 63n - 1n, ''],
          [-(2n ** 63n), ''],
        ],
      },
    );
  });

  test('rolls back failed statements and transactions', async () => {
    const database = await openDatabaseAt(await newDatabaseAddress());
    const whole = sql`INSERT INTO pets (name, category_id) VALUES ('Bo', 1)`;
    const half = sql`INSERT INTO pets (id, name, category_id) VALUES (1, 'Rex', 1), (1, 'Max', 1)`;
    await expect(database.write(half)).rejects.toThrow(DatabaseError);
    await expect(database.writeUnsynced(half)).rejects.toThrow(DatabaseError);
    await expect(database.write(whole, half)).rejects.toThrow(DatabaseError);
    expect(await countPets(database)).toBe(0);
    await addPet(database, 'Rex');
    expect(await countPets(database)).toBe(1);
  });
});

test('the database rejects a label that is taken', async () => {
  const database = await openDatabaseAt(await newDatabaseAddress());
  const insert = (digest: string) =>
    database.write(sql`
      INSERT INTO keys (digest, prefix, per_minute, per_day, created_at, owner, label)
      VALUES (${digest}, 'p', 60, 1000, 0, ${digest}, 'ci')`);
  await insert('first');
  await expect(insert('second')).rejects.toMatchObject({ reason: 'unusable' });
  expect(await findApiKey(database, 'second')).toBeUndefined();
});

test('a new database has pets in every category and with every status, half of them available', async () => {
  const store = await openStore();
  const pets = (await store.request('GET', '/v1/pets?limit=100')).json as {
    id: unknown;
    name: string;
    categoryId: unknown;
    status: string;
  }[];
  expect(pets.map(({ id }) => Number(formatExactNumber(id)))).toEqual(pets.map((_, index) => index + 1));
  expect(new Set(pets.map(({ name }) => name)).size).toBe(pets.length);
  expect(new Set(pets.map(({ categoryId }) => formatExactNumber(categoryId)))).toEqual(
    new Set(['1', '2', '3', '4', '5', '6']),
  );
  expect(new Set(pets.map(({ status }) => status))).toEqual(new Set(['available', 'pending', 'sold']));
  expect(pets.filter(({ status }) => status === 'available')).toHaveLength(pets.length / 2);
});

test('more sample pets have the same names with other categories and statuses', async () => {
  const database = await openDatabaseAt(':memory:', { seed: () => samplePetStatements(100) });
  const pets = await database.read(sql`SELECT DISTINCT name, category_id, status FROM pets`);
  expect(pets).toHaveLength(100);
});
