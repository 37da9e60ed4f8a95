import { type Limits, type Plan, plans } from '../api/plan.js';
import type { Clock } from '../clock.js';
import { leavingJournal } from './defer-checkpoint.js';
import { createHandle, type Handle } from './handle.js';
import { addKey, findKey, limitKey } from './keys.js';
import { sampleAnimals } from './sample-pets.js';
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
  readonly handle: Handle;
  pets(): Promise<number>;
  limits(): Promise<Limits>;
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
  const { database: opened, isNew } = await openSqlite({ ...options, seed: sampleAnimals });
  const database = isNew ? opened : leavingJournal(opened, path);
  // Made known by the first request, which looks for it anyway.
  const own = async () =>
    (await findKey(database, key)) ?? addKey(database, key, plans[plan], clock.now());
  const onError = (error: unknown) => {
    throw error;
  };
  return {
    handle: createHandle({
      database,
      clock,
      onError,
      find: (given) => (given === key ? own() : findKey(database, given)),
    }),
    pets: async () => {
      const [row] = await database.read(sql`SELECT count(*) AS pets FROM pets`);
      return Number(row?.pets);
    },
    limits: async () => (await own()).limits,
    setPlan: async (chosen) => {
      await database.write(limitKey(await own(), plans[chosen]));
    },
    reset: async ({ empty, plan: chosen }) => {
      await database.write(
        sql`DELETE FROM pets`,
        sql`DELETE FROM sqlite_sequence WHERE name = 'pets'`,
        sql`DELETE FROM meters`,
        ...(empty ? [] : sampleAnimals()),
        ...(chosen ? [limitKey(await own(), plans[chosen])] : []),
      );
    },
    isNew,
    close: () => database.close(),
  };
}
