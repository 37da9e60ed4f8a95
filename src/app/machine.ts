import { accessSync, constants, existsSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Clock } from '../clock.js';
import { findAccessFix } from '../config/access-fix.js';
import { findNearestParent } from '../config/nearest-parent.js';
import type { Paths } from '../config/paths.js';
import { quoteShellWord } from '../format/shell.js';
import { openSqlite } from '../server/sqlite.js';
import type { AppContext, Machine, PathProblem } from './context.js';

/** Examines this machine without changing it. */
export async function examineMachine({ runtime, clock, config }: AppContext): Promise<Machine> {
  const { nodeVersion, userId } = runtime;
  return {
    nodeVersion,
    sqlite: await trySqlite(clock, nodeVersion),
    // Windows has no file modes.
    ...(userId === undefined ? { pathProblems: [], canSaveQuota: true } : examinePaths(config.paths, userId)),
  };
}

function examinePaths(paths: Paths, userId: number): Pick<Machine, 'pathProblems' | 'canSaveQuota'> {
  const directories = [dirname(paths.config), dirname(paths.credentials)];
  const files = [...new Set([...directories, paths.quota, paths.config, paths.credentials])];
  const quotaProblems = findUnwritable(paths.quota, userId);
  const problems = [
    ...files.flatMap((path) => findExposure(path, userId)),
    // A later problem of a path replaces an earlier one: its fix covers both.
    ...[...directories, dirname(paths.sandbox)].flatMap((directory) => findUnwritable(directory, userId)),
    ...quotaProblems,
    ...files.flatMap((path) => findInaccessible(path, userId)),
  ];
  return {
    pathProblems: [...new Map(problems.map((problem) => [problem.path, problem])).values()],
    canSaveQuota: quotaProblems.length === 0,
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

/** Returns a problem if other users can access a file of this user. */
function findExposure(path: string, userId: number): readonly PathProblem[] {
  const stats = tryStat(path);
  if (stats?.uid !== userId || (stats.mode & 0o077) === 0) return [];
  return [{ path, why: 'is accessible to other users', fix: `run chmod go= ${quoteShellWord(path)}` }];
}

/** Returns a problem if files cannot be saved in `directory`, which may not exist. */
function findUnwritable(directory: string, userId: number): readonly PathProblem[] {
  const path = findNearestParent(join(directory, 'file'), existsSync);
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

/** Returns a problem if a file belongs to another user or is in a directory that this user cannot access. */
function findInaccessible(path: string, userId: number): readonly PathProblem[] {
  try {
    return statSync(path).uid === userId ? [] : explainAccess(path, userId);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? explainAccess(path, userId) : [];
  }
}

function explainAccess(path: string, userId: number): readonly PathProblem[] {
  const fix = findAccessFix(path, userId);
  if (!fix) return [{ path, why: 'is not accessible', fix: 'check the owner and permissions of its directory' }];
  return [{ path: fix.path, why: fix.isForeign ? 'is owned by another user' : 'is not accessible', fix: fix.hint }];
}

function tryStat(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
