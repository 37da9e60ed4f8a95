import { type Limits, type Plan, plans } from '../api/plan.js';
import type { Clock } from '../clock.js';
import { addApiKey, findApiKey, updateLimitsStatement } from './api-keys.js';
import { deferCheckpoint } from './defer-checkpoint.js';
import { createRequestHandler, type RequestHandler } from './request-handler.js';
import { samplePetStatements } from './sample-pets.js';
import { sql } from './sql.js';
import { openSqlite } from './sqlite.js';

export interface SandboxOptions {
  readonly path: string;
  /** The sandbox's own key. */
  readonly key: string;
  readonly plan: Plan;
  readonly clock: Clock;
  readonly nodeVersion: string;
}

export interface Sandbox {
  readonly handler: RequestHandler;
  countPets(): Promise<number>;
  readLimits(): Promise<Limits>;
  /** Gives its key the limits of a plan, and keeps its pets. */
  setPlan(plan: Plan): Promise<void>;
  /** Puts the sample animals back, or none, and starts the counts anew, at once. */
  reset(options: { readonly empty: boolean; readonly plan?: Plan }): Promise<void>;
  /** This process has just made it, sample animals included. */
  readonly isNew: boolean;
  close(): Promise<void>;
}

/** The embedded store, made with its sample animals on first use. What fails in it is thrown, not answered. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { path, key, plan, clock } = options;
  const { database: opened, isNew } = await openSqlite({ ...options, seed: samplePetStatements });
  const database = isNew ? opened : deferCheckpoint(opened, path);
  // Made known by the first request, which looks for it anyway.
  const own = async () =>
    (await findApiKey(database, key)) ?? addApiKey(database, key, plans[plan], clock.now());
  const onError = (error: unknown) => {
    throw error;
  };
  return {
    handler: createRequestHandler({
      database,
      clock,
      onError,
      findKey: (given) => (given === key ? own() : findApiKey(database, given)),
    }),
    countPets: async () => {
      const [row] = await database.read(sql`SELECT count(*) AS pets FROM pets`);
      return Number(row?.pets);
    },
    readLimits: async () => (await own()).limits,
    setPlan: async (chosen) => {
      await database.write(updateLimitsStatement(await own(), plans[chosen]));
    },
    reset: async ({ empty, plan: chosen }) => {
      await database.write(
        sql`DELETE FROM pets`,
        sql`DELETE FROM sqlite_sequence WHERE name = 'pets'`,
        sql`DELETE FROM meters`,
        ...(empty ? [] : samplePetStatements()),
        ...(chosen ? [updateLimitsStatement(await own(), plans[chosen])] : []),
      );
    },
    isNew,
    close: () => database.close(),
  };
}
