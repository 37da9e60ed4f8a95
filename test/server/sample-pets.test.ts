import { expect, test } from 'vitest';
import { formatExactNumber } from '../../src/format/json.js';
import { samplePetStatements } from '../../src/server/sample-pets.js';
import { openDatabaseAt, sql } from '../support/test-database.js';
import { openStore } from '../support/test-server.js';

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
