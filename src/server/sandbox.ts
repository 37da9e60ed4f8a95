import { statSync } from 'node:fs';
import { type Plan, plans } from '../api/plan.js';
import { type ApiKeyRecord, addApiKey, findApiKey, updateApiKey } from './api-keys.js';
import type { ServerRequest } from './request-context.js';
import { createRequestHandler } from './request-handler.js';
import { completeResponses } from './responses.js';
import { openContext } from './routes.js';
import { samplePetStatements } from './sample-pets.js';
import type { Statement } from './sql.js';
import { openSqlite, type SqliteOptions } from './sqlite.js';

type SandboxOptions = Omit<SqliteOptions, 'seed'> & { readonly key: string; readonly plan: Plan };

/** Opens the embedded server, and creates its database on first use. Its handler rejects with unexpected errors. */
export async function openSandbox(options: SandboxOptions) {
  const { path, key, plan, clock } = options;
  const { database, isNew } = await openSqlite({ ...options, seed: samplePetStatements });
  const rethrow = (error: unknown) => {
    throw error;
  };
  // The first request adds the key: it looks the key up anyway.
  const ensureOwnKey = async () =>
    (await findApiKey(database, key)) ??
    ((await addApiKey(database, key, { limits: plans[plan] }, clock.now())) as ApiKeyRecord);
  const findKey = (given: string) => (given === key ? ensureOwnKey() : findApiKey(database, given));
  const respond = completeResponses(createRequestHandler({ database, clock, onError: rethrow, findKey }), rethrow);
  /** Sets the limits of its API key. */
  const setPlan = async (newPlan: Plan) => {
    await updateApiKey(database, await ensureOwnKey(), { limits: plans[newPlan] });
  };
  return {
    handle: (request: ServerRequest) => respond(openContext(request, 'this process')),
    countPets: async () => {
      const [row] = await database.read({ text: 'SELECT count(*) AS pets FROM pets' });
      return Number(row?.pets);
    },
    readLimits: async () => (await ensureOwnKey()).limits,
    setPlan,
    /** Replaces all pets and deletes the counters, in one transaction. */
    replacePets: async (pets: readonly Statement[]) => {
      await database.write(...deleteTexts.map((text) => ({ text })), ...pets);
    },
    /** This process created the database. */
    isNew,
    /**
     * Leaves a small write-ahead log to the next process (sqlite.org/wal.html): the sync of a checkpoint takes as long as a
     * request. The process must exit afterwards.
     */
    close: async () => {
      const { size } = statSync(`${path}-wal`, { throwIfNoEntry: false }) ?? { size: 0 };
      if (size > maxJournalBytes) await database.close();
    },
  };
}

const deleteTexts = [
  'DELETE FROM pets',
  "DELETE FROM sqlite_sequence WHERE name = 'pets'",
  'DELETE FROM meters',
  'DELETE FROM idempotency_entries',
];

/** About sixteen counted requests. */
const maxJournalBytes = 65_536;
