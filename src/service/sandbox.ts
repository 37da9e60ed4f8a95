import type { Clock } from '../contract/clock.js';
import { type Plan, plans } from '../contract/plan.js';
import { createHandle, type Handle } from './handle.js';
import { addKey, findKey } from './keys.js';
import { sampleAnimals } from './samples.js';
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
  /** This process has just made it, sample animals included. */
  readonly isNew: boolean;
  close(): Promise<void>;
}

/** The embedded store, made with its sample animals on first use. What fails in it is thrown, not answered. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { key, plan, clock } = options;
  const { database, isNew } = await openSqlite({ ...options, seed: sampleAnimals() });
  try {
    if (!(await findKey(database, key))) await addKey(database, key, plans[plan], clock.now());
  } catch (error) {
    await database.close();
    throw error;
  }
  const onError = (error: unknown) => {
    throw error;
  };
  return {
    handle: createHandle({ database, clock, onError }),
    isNew,
    close: () => database.close(),
  };
}
