import { statSync } from 'node:fs';
import { type Plan, plans } from '../api/plan.js';
import { type ApiKeyRecord, addApiKey, findApiKey, updateLimits, updateLimitsStatement } from './api-keys.js';
import type { ServerRequest } from './request-context.js';
import { createRequestHandler } from './request-handler.js';
import { completeResponses } from './responses.js';
import { openContext } from './routes.js';
import { samplePetStatements } from './sample-pets.js';
import type { Database, Statement } from './sql.js';
import { openSqlite, type SqliteOptions } from './sqlite.js';

type SandboxOptions = Omit<SqliteOptions, 'seed'> & { readonly key: string; readonly plan: Plan };

/** Opens the embedded server, and creates its database on first use. Its handler rejects with unexpected errors. */
export async function openSandbox(options: SandboxOptions) {
  const { path, key, plan, clock } = options;
  const { database: opened, isNew } = await openSqlite({ ...options, seed: samplePetStatements });
  const database = isNew ? opened : deferCheckpoint(opened, path);
  const rethrow = (error: unknown) => {
    throw error;
  };
  // The first request adds the key: it looks the key up anyway.
  const ensureOwnKey = async () =>
    (await findApiKey(database, key)) ??
    ((await addApiKey(database, key, { limits: plans[plan] }, clock.now())) as ApiKeyRecord);
  const findKey = (given: string) => (given === key ? ensureOwnKey() : findApiKey(database, given));
  const respond = completeResponses(createRequestHandler({ database, clock, onError: rethrow, findKey }), rethrow);
  return {
    handle: (request: ServerRequest) => respond(openContext(request, 'this process')),
    countPets: async () => {
      const [row] = await database.read({ text: 'SELECT count(*) AS pets FROM pets' });
      return Number(row?.pets);
    },
    readLimits: async () => (await ensureOwnKey()).limits,
    /** Sets the limits of its API key. */
    setPlan: async (newPlan: Plan) => updateLimits(database, await ensureOwnKey(), plans[newPlan], newPlan),
    /** Replaces all pets and deletes the counters, in one transaction. Without a plan, the limits stay. */
    replacePets: async (pets: readonly Statement[], newPlan?: Plan) => {
      const own = await ensureOwnKey();
      await database.write(
        ...deleteTexts.map((text) => ({ text })),
        ...pets,
        ...(newPlan ? [updateLimitsStatement(own, plans[newPlan], newPlan)] : []),
      );
    },
    /** This process created the database. */
    isNew,
    close: database.close,
  };
}

const deleteTexts = [
  'DELETE FROM pets',
  "DELETE FROM sqlite_sequence WHERE name = 'pets'",
  'DELETE FROM meters',
  'DELETE FROM idempotency_entries',
];

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
