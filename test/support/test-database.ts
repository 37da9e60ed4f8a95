import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/clock.js';
import { openPostgres } from '../../src/server/postgres.js';
import { isPostgresUrl } from '../../src/server/postgres-url.js';
import { samplePetStatements } from '../../src/server/sample-pets.js';
import type { Database, SqlValue, Statement } from '../../src/server/sql.js';
import { openSqlite } from '../../src/server/sqlite.js';
import { fakeClock } from './clock.js';
import { newPostgres } from './postgres.js';
import { makeFolder } from './temp-folder.js';

let kind: 'SQLite' | 'PostgreSQL' = 'SQLite';

/** Makes the tests of this file use PostgreSQL instead of SQLite. */
export function usePostgres(): void {
  kind = 'PostgreSQL';
}

/** Returns the address of an empty database: a SQLite path or a PostgreSQL URL. */
export async function newDatabaseAddress(): Promise<string> {
  return kind === 'PostgreSQL' ? newPostgres() : join(await makeFolder(), 'store.db');
}

/** Like `newDatabaseAddress`, but in memory for SQLite. */
export async function newMemoryDatabaseAddress(): Promise<string> {
  return kind === 'PostgreSQL' ? newPostgres() : ':memory:';
}

/** Opens a database for one test, empty or with the sample pets. */
export async function openTestDatabase({ clock = fakeClock() as Clock, empty = false } = {}): Promise<Database> {
  if (kind === 'SQLite') return openDatabaseAt(':memory:', empty ? { clock } : { clock, seed: samplePetStatements });
  // Resetting a database is a hundred times faster than creating one.
  const database = spare.pop() ?? (await openWithSamples());
  onTestFinished(() => void spare.push(database));
  await database.write(
    sql`DELETE FROM pets`,
    sql`DELETE FROM keys`,
    sql`DELETE FROM revoked_keys`,
    sql`DELETE FROM meters`,
    sql`DELETE FROM idempotency_entries`,
    { text: `INSERT INTO pets SELECT * FROM samples ${empty ? 'WHERE FALSE' : ''}` },
    sql`SELECT setval(pg_get_serial_sequence('pets', 'id'), (SELECT coalesce(max(id), 0) FROM pets) + 1, false)`,
  );
  return database;
}

const spare: Database[] = [];

async function openWithSamples(): Promise<Database> {
  const address = await newPostgres();
  const { database } = await openPostgres(address, { seed: samplePetStatements, clock: fakeClock() });
  await database.write(sql`CREATE TABLE samples AS SELECT * FROM pets`);
  return database;
}

interface PlaceOptions {
  readonly clock?: Clock;
  readonly seed?: (() => readonly Statement[]) | undefined;
}

/** Opens a database and closes it after the test. */
export async function openDatabaseAt(
  address: string,
  { clock = fakeClock(), seed = () => [] }: PlaceOptions = {},
): Promise<Database & { readonly isNew: boolean }> {
  const { database, isNew } = isPostgresUrl(address)
    ? await openPostgres(address, { seed, clock })
    : await openSqlite({ path: address, clock, nodeVersion: process.versions.node, seed });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= database.close();
    return closed;
  };
  onTestFinished(close);
  return { ...database, close, isNew };
}

/** Builds a statement from a template: values become parameters. */
export function sql(text: readonly string[], ...values: readonly SqlValue[]): Statement {
  return {
    text: text.reduce((before, piece, index) => `${before}:p${index - 1}${piece}`),
    values: Object.fromEntries(values.map((value, index) => [`p${index}`, value])),
  };
}
