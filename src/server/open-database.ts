import { isPostgresUrl } from './postgres-url.js';
import { samplePetStatements } from './sample-pets.js';
import type { Database } from './sql.js';
import { openSqlite, type SqliteOptions } from './sqlite.js';

/** Opens an SQLite file or a PostgreSQL URL; a new database gets the sample pets. */
export async function openDatabase({ path, clock, nodeVersion }: Omit<SqliteOptions, 'seed'>): Promise<Database> {
  const seed = samplePetStatements;
  if (!isPostgresUrl(path)) return (await openSqlite({ path, clock, nodeVersion, seed })).database;
  const { openPostgres } = await import('./postgres.js');
  return (await openPostgres(path, { seed, clock })).database;
}
