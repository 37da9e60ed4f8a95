import { accessSync, constants, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.js';
import { findAccessFix } from '../config/access-fix.js';
import { findNearestParent } from '../config/explain-unwritable.js';
import { quoteShellWord } from '../format/shell.js';
import { openSqlite } from '../server/sqlite.js';
import type { AppContext, Machine } from './context.js';

/** Examines this machine without changing it. */
export async function examineMachine({ runtime, clock, config }: AppContext): Promise<Machine> {
  const { nodeVersion, userId } = runtime;
  const { paths } = config;
  const directories = [dirname(paths.config), dirname(paths.credentials), paths.quota];
  const files = [...new Set([...directories, paths.config, paths.credentials])];
  const problems = [
    ...[...directories, dirname(paths.sandbox)].flatMap((directory) => findUnwritable(directory, userId)),
    // Replaces the problem above of the same path, since its fix is more specific.
    ...files.flatMap((path) => exposure(path, userId)),
  ];
  return {
    nodeVersion,
    sqlite: await trySqlite(clock, nodeVersion),
    exposed: [...new Map(problems.map((one) => [one.path, one])).values()],
    canSaveQuota: findUnwritable(paths.quota, userId).length === 0,
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

/** Returns the directory that must be writable to save files in `directory`, which may not exist, if it is not. */
function findUnwritable(directory: string, userId: number | undefined): Machine['exposed'] {
  if (userId === undefined) return [];
  const path = findNearestParent(join(directory, 'file'));
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() === false) return [{ path, why: 'is not a directory', fix: otherDirectoryHint }];
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    const canChangeMode = stats?.uid === userId && (error as NodeJS.ErrnoException).code === 'EACCES';
    const ownFix = canChangeMode ? `run chmod u+wx ${quoteShellWord(path)}` : otherDirectoryHint;
    return [{ path, why: 'is not writable', fix: findAccessFix(directory, userId)?.hint ?? ownFix }];
  }
}

const otherDirectoryHint = 'set PETSTORE_CONFIG_DIR to a directory that you can write to';

function explainAccess(path: string, userId: number): Machine['exposed'] {
  const fix = findAccessFix(path, userId);
  if (!fix) return [{ path, why: 'is not accessible', fix: 'check the owner and permissions of its directory' }];
  return [{ path: fix.path, why: fix.isForeign ? 'is owned by another user' : 'is not accessible', fix: fix.hint }];
}
