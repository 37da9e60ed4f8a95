import { sampleAnimals } from './samples.js';
import type { Database } from './sql.js';
import { openSqlite, type SqliteOptions } from './sqlite.js';

/** Opens the database of a store, made with the sample animals where there is none yet. */
export async function openDatabase(options: Omit<SqliteOptions, 'seed'>): Promise<Database> {
  const { database } = await openSqlite({ ...options, seed: sampleAnimals });
  return database;
}
