import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { deferCheckpoint } from '../../src/server/defer-checkpoint.js';
import { addressSubject, countRequest } from '../../src/server/rate-limits.js';
import { type Database, sql } from '../../src/server/sql.js';
import { openSqlite } from '../../src/server/sqlite.js';
import { fakeClock } from '../support/clock.js';
import { makeFolder } from '../support/folder.js';
import { addPet, countPets } from '../support/store.js';

/** A database file that has a pet, and what opens it as one process after another does. */
async function newPath() {
  const path = join(await makeFolder(), 'store.db');
  const opened = async () => {
    const nodeVersion = process.versions.node;
    const { database } = await openSqlite({ path, clock: fakeClock(), nodeVersion });
    return deferCheckpoint(database, path);
  };
  const first = await opened();
  await addPet(first, 'Ada');
  await first.close();
  const journal = () => statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  return { opened, journal };
}

const count = (database: Database) => countRequest(database, addressSubject('a'), 0);

async function countAndEnd(opened: () => Promise<Database>): Promise<void> {
  const database = await opened();
  await count(database);
  await database.close();
}

const counted = async (database: Database) =>
  (await database.read(sql`SELECT minute_used FROM meters`)).map((row) => Number(row.minute_used));

test('what was only counted stays in the journal, and the next process finds it', async () => {
  const { opened, journal } = await newPath();
  expect(journal()).toBe(0);
  for (let runs = 0; runs < 3; runs += 1) await countAndEnd(opened);
  expect(journal()).toBeGreaterThan(0);
  expect(await counted(await opened())).toEqual([3]);
});

test('the journal does not grow without end', async () => {
  const { opened, journal } = await newPath();
  for (let runs = 0; runs < 60; runs += 1) {
    await countAndEnd(opened);
    expect(journal()).toBeLessThanOrEqual(65_536);
  }
  expect(await counted(await opened())).toEqual([60]);
});

test('what was written is in the file itself once it is closed', async () => {
  const { opened, journal } = await newPath();
  const database = await opened();
  await count(database);
  await addPet(database, 'Rex');
  await database.close();
  expect(journal()).toBe(0);
  expect(await countPets(await opened())).toBe(2);
});
