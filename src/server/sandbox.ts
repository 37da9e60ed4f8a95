import { statSync } from 'node:fs';
import { type Plan, plans } from '../api/plan.js';
import { addApiKey, findApiKey, updateLimitsStatement } from './api-keys.js';
import { createRequestHandler } from './request-handler.js';
import { samplePetStatements } from './sample-pets.js';
import { type Database, type Statement, sql } from './sql.js';
import { openSqlite, type SqliteOptions } from './sqlite.js';

type SandboxOptions = Omit<SqliteOptions, 'seed'> & { readonly key: string; readonly plan: Plan };

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/** Opens the embedded server, and creates its database on first use. Its handler rejects with unexpected errors. */
export async function openSandbox(options: SandboxOptions) {
  const { path, key, plan, clock } = options;
  const { database: opened, isNew } = await openSqlite({ ...options, seed: samplePetStatements });
  const database = isNew ? opened : deferCheckpoint(opened, path);
  // The first request adds the key: it looks the key up anyway.
  const ensureOwnKey = async () =>
    (await findApiKey(database, key)) ?? addApiKey(database, key, plans[plan], clock.now());
  return {
    handler: createRequestHandler({
      database,
      clock,
      onError: (error) => {
        throw error;
      },
      findKey: (given) => (given === key ? ensureOwnKey() : findApiKey(database, given)),
    }),
    countPets: async () => {
      const [row] = await database.read(sql`SELECT count(*) AS pets FROM pets`);
      return Number(row?.pets);
    },
    readLimits: async () => (await ensureOwnKey()).limits,
    /** Sets the limits of its API key. */
    setPlan: async (newPlan: Plan) => {
      await database.write(updateLimitsStatement(await ensureOwnKey(), plans[newPlan]));
    },
    /** Replaces all pets and deletes the counters, in one transaction. Without a plan, the limits stay. */
    replacePets: async (pets: readonly Statement[], newPlan?: Plan) => {
      await database.write(
        sql`DELETE FROM pets`,
        sql`DELETE FROM sqlite_sequence WHERE name = 'pets'`,
        sql`DELETE FROM meters`,
        sql`DELETE FROM idempotency_entries`,
        ...pets,
        ...(newPlan ? [updateLimitsStatement(await ensureOwnKey(), plans[newPlan])] : []),
      );
    },
    /** This process created the database. */
    isNew,
    close: database.close,
  };
}

/**
 * Wraps a database so that closing it skips the checkpoint if only counters were written: the sync takes as long as a
 * request. The write-ahead log stays (sqlite.org/wal.html) until it is large. The process must exit after closing.
 */
export function deferCheckpoint(database: Database, path: string): Database {
  let hasWritten = false;
  return {
    ...database,
    write: (...statements) => {
      hasWritten = true;
      return database.write(...statements);
    },
    close: async () => {
      const { size } = statSync(`${path}-wal`, { throwIfNoEntry: false }) ?? { size: 0 };
      if (hasWritten || size > maxJournalBytes) await database.close();
    },
  };
}

/** About sixteen counted requests. */
const maxJournalBytes = 65_536;
