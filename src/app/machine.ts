import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.js';
import { findAccessFix } from '../config/access-fix.js';
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
    exposed: [...new Map(files.flatMap((path) => exposure(path, userId)).map((one) => [one.path, one])).values()],
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
    if (uid !== userId) return explainAccess(path, userId);
    if ((mode & 0o077) === 0) return [];
    return [{ path, why: 'is accessible to other users', fix: `run chmod go= ${quoteShellWord(path)}` }];
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? explainAccess(path, userId) : [];
  }
}

function explainAccess(path: string, userId: number): Machine['exposed'] {
  const fix = findAccessFix(path, userId);
  if (!fix) return [{ path, why: 'is not accessible', fix: 'check the owner and permissions of its directory' }];
  return [{ path: fix.path, why: fix.isForeign ? 'is owned by another user' : 'is not accessible', fix: fix.hint }];
}
