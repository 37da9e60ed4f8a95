import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.js';
import { quoteShellWord } from '../format/shell.js';
import { openSqlite } from '../server/sqlite.js';
import type { AppContext, Machine } from './context.js';

/** Examines this machine without changing it. */
export async function examineMachine({ runtime, clock, config }: AppContext): Promise<Machine> {
  const { nodeVersion, userId } = runtime;
  const { paths } = config;
  const directories = [dirname(paths.config), dirname(paths.credentials), paths.quota];
  const files = [...new Set([...directories, paths.config, paths.credentials])];
  return {
    nodeVersion,
    sqlite: await trySqlite(clock, nodeVersion),
    exposed: files.flatMap((path) => exposure(path, userId)),
  };
}

async function trySqlite(clock: Clock, nodeVersion: string): Promise<Machine['sqlite']> {
  try {
    const { database } = await openSqlite({ path: ':memory:', clock, nodeVersion });
    await database.close();
    return { works: true };
  } catch (error) {
    return { works: false, reason: (error as Error).message };
  }
}

function exposure(path: string, userId: number | undefined): Machine['exposed'] {
  // Windows has no file modes.
  if (userId === undefined) return [];
  try {
    const { mode, uid } = statSync(path);
    const file = quoteShellWord(path);
    if (uid !== userId) return [{ path, why: 'is owned by another user', fix: `run sudo chown "$(id -un)" ${file}` }];
    if ((mode & 0o077) === 0) return [];
    return [{ path, why: 'is accessible to other users', fix: `run chmod go= ${file}` }];
  } catch {
    return [];
  }
}
