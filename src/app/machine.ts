import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.js';
import type { Paths } from '../config/paths.js';
import { openSqlite } from '../server/sqlite.js';
import type { Runtime } from './runtime.js';

/** The state of this machine, as far as petstore depends on it. */
export type Machine = Awaited<ReturnType<typeof examineMachine>>;

/** Examines this machine without changing it. */
export async function examineMachine({ clock, nodeVersion, platform }: Runtime, paths: Paths) {
  const directories = [...[paths.config, paths.credentials, paths.sandbox].map(dirname), paths.quota];
  return {
    nodeVersion,
    /** Why SQLite does not work, if so. */
    sqliteProblem: await findSqliteProblem(clock, nodeVersion),
    /** Directories that petstore needs to write in, or their nearest parents, and cannot. Windows has no file modes. */
    unwritable: platform === 'win32' ? [] : [...new Set(directories.map(findNearestParent))].filter(isUnwritable),
  };
}

async function findSqliteProblem(clock: Clock, nodeVersion: string): Promise<string | undefined> {
  try {
    const { database } = await openSqlite({ path: ':memory:', clock, nodeVersion });
    await database.close();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Returns the path, else its nearest parent that exists, or the root. */
function findNearestParent(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(path) ? path : findNearestParent(parent);
}

function isUnwritable(path: string): boolean {
  try {
    // The slash makes it fail for a file.
    accessSync(`${path}/`, constants.W_OK | constants.X_OK);
    return false;
  } catch {
    return true;
  }
}
