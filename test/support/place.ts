import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/clock.js';
import { openPostgres } from '../../src/server/postgres.js';
import { isPostgresUrl } from '../../src/server/postgres-url.js';
import { samplePetStatements } from '../../src/server/sample-pets.js';
import { type Database, type Statement, sql } from '../../src/server/sql.js';
import { openSqlite } from '../../src/server/sqlite.js';
import { fakeClock } from './clock.js';
import { makeFolder } from './folder.js';
import { newPostgres } from './postgres.js';

let kind: 'SQLite' | 'PostgreSQL' = 'SQLite';

/** From now on the stores of this file of tests are in a PostgreSQL. */
export function keepInPostgres(): void {
  kind = 'PostgreSQL';
}

/** Where a store may be kept: a file that is not there yet, or an empty part of a PostgreSQL. */
export async function newPlace(): Promise<string> {
  return kind === 'PostgreSQL' ? newPostgres() : join(await makeFolder(), 'store.db');
}

/** As `newPlace`, for what nobody opens again. */
export async function newFleetingPlace(): Promise<string> {
  return kind === 'PostgreSQL' ? newPostgres() : ':memory:';
}

/** Opens a database of this test's own: with the sample animals, or with nothing in it. */
export async function openFleeting({
  clock = fakeClock() as Clock,
  empty = false,
} = {}): Promise<Database> {
  if (kind === 'SQLite')
    return openPlace(':memory:', empty ? { clock } : { clock, seed: samplePetStatements });
  // To make one takes a hundred times as long as to put back what was there at first.
  const database = spare.pop() ?? (await openWithSamples());
  onTestFinished(() => void spare.push(database));
  const samples = empty ? sql`WHERE FALSE` : sql``;
  await database.write(
    sql`DELETE FROM pets`,
    sql`DELETE FROM keys`,
    sql`DELETE FROM meters`,
    sql`INSERT INTO pets SELECT * FROM samples ${samples}`,
    sql`SELECT setval(pg_get_serial_sequence('pets', 'id'), (SELECT coalesce(max(id), 0) FROM pets) + 1, false)`,
  );
  return database;
}

const spare: Database[] = [];

async function openWithSamples(): Promise<Database> {
  const address = await newPostgres();
  const { database } = await openPostgres({ url: address, seed: samplePetStatements });
  await database.write(sql`CREATE TABLE samples AS SELECT * FROM pets`);
  return database;
}

interface PlaceOptions {
  readonly clock?: Clock;
  readonly seed?: (() => readonly Statement[]) | undefined;
}

/** Opens what is there; it is closed when the test ends, if it was not before. */
export async function openPlace(
  place: string,
  { clock = fakeClock(), seed = () => [] }: PlaceOptions = {},
): Promise<Database & { readonly isNew: boolean }> {
  const { database, isNew } = isPostgresUrl(place)
    ? await openPostgres({ url: place, seed })
    : await openSqlite({ path: place, clock, nodeVersion: process.versions.node, seed });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= database.close();
    return closed;
  };
  onTestFinished(close);
  return { ...database, close, isNew };
}
