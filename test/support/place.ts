import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/contract/clock.js';
import { openPostgres } from '../../src/service/postgres.js';
import { isPostgres } from '../../src/service/postgres-address.js';
import { type Database, type Statement, sql } from '../../src/service/sql.js';
import { openSqlite } from '../../src/service/sqlite.js';
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

/** Opens a database of this test's own, with nothing in it but what is put in. */
export async function openFleeting(options: PlaceOptions = {}): Promise<Database> {
  if (kind === 'SQLite') return openPlace(':memory:', options);
  // To make one takes a hundred times as long as to empty it.
  const database = spare.pop() ?? (await openPostgres({ address: await newPostgres() })).database;
  onTestFinished(() => void spare.push(database));
  const { seed = () => [] } = options;
  await database.write(
    sql`DELETE FROM pets`,
    sql`DELETE FROM keys`,
    sql`DELETE FROM meters`,
    sql`SELECT setval(pg_get_serial_sequence('pets', 'id'), 1, false)`,
    ...seed(),
  );
  return database;
}

const spare: Database[] = [];

interface PlaceOptions {
  readonly clock?: Clock;
  readonly seed?: (() => readonly Statement[]) | undefined;
}

/** Opens what is there; it is closed when the test ends, if it was not before. */
export async function openPlace(
  place: string,
  { clock = fakeClock(), seed = () => [] }: PlaceOptions = {},
): Promise<Database> {
  const { database } = isPostgres(place)
    ? await openPostgres({ address: place, seed })
    : await openSqlite({ path: place, clock, nodeVersion: process.versions.node, seed });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= database.close();
    return closed;
  };
  onTestFinished(close);
  return { ...database, close };
}
