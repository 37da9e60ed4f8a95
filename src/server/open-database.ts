import { isPostgresUrl } from './postgres-url.js';
import { samplePetStatements } from './sample-pets.js';
import type { Database } from './sql.js';
import { openSqlite, type SqliteOptions } from './sqlite.js';

/** Opens the database of a store, a file or a PostgreSQL, made with the sample animals where there is none yet. */
export async function openDatabase(options: Omit<SqliteOptions, 'seed'>): Promise<Database> {
  if (isPostgresUrl(options.path)) {
    const { openPostgres } = await import('./postgres.js');
    return (await openPostgres({ address: options.path, seed: samplePetStatements })).database;
  }
  return (await openSqlite({ ...options, seed: samplePetStatements })).database;
}
