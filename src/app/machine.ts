import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Paths } from '../config/paths.js';
import { openSqlite } from '../server/sqlite.js';
import type { Machine } from './context.js';
import type { World } from './runtime.js';

/** Looks at this machine; changes nothing on it. */
export async function examine(
  { clock, nodeVersion, userId }: Pick<World, 'clock' | 'nodeVersion' | 'userId'>,
  paths: Paths,
): Promise<Machine> {
  const directories = [dirname(paths.config), dirname(paths.credentials), paths.quota];
  const files = [...new Set([...directories, paths.config, paths.credentials])];
  return {
    nodeVersion,
    sqlite: await trySqlite(clock, nodeVersion),
    exposed: files.flatMap((path) => exposure(path, userId)),
  };
}

async function trySqlite(clock: World['clock'], nodeVersion: string): Promise<Machine['sqlite']> {
  try {
    const { database } = await openSqlite({ path: ':memory:', clock, nodeVersion });
    await database.close();
    return { works: true };
  } catch (error) {
    return { works: false, reason: (error as Error).message };
  }
}

function exposure(path: string, userId: number | undefined): Machine['exposed'] {
  // Windows has no such modes.
  if (userId === undefined) return [];
  try {
    const { mode, uid } = statSync(path);
    if (uid !== userId) return [{ path, why: 'belongs to another user' }];
    return (mode & 0o077) === 0 ? [] : [{ path, why: 'can be read by others' }];
  } catch {
    return [];
  }
}
