import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.js';
import type { Paths } from '../config/paths.js';
import { openSqlite } from '../server/sqlite.js';
import type { AppContext, Machine, PathProblem } from './context.js';

/** Examines this machine without changing it. */
export async function examineMachine({ runtime, clock, config }: AppContext): Promise<Machine> {
  const { nodeVersion, userId } = runtime;
  return {
    nodeVersion,
    sqlite: await trySqlite(clock, nodeVersion),
    // Windows has no file modes.
    pathProblems: userId === undefined ? [] : examinePaths(config.paths, userId),
  };
}

function examinePaths(paths: Paths, userId: number): readonly PathProblem[] {
  const directories = [...[paths.config, paths.credentials, paths.sandbox].map(dirname), paths.quota];
  const problems = [
    ...directories.map((path) => findDirectoryProblem(path, userId)),
    ...[paths.config, paths.credentials].map((path) => findFileProblem(path, userId)),
  ].filter((problem) => problem !== undefined);
  return [...new Map(problems.map((problem) => [problem.path, problem])).values()];
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

/** Returns why files cannot be saved in a directory, which may not exist, or who else can read them. */
function findDirectoryProblem(directory: string, userId: number): PathProblem | undefined {
  const path = existsSync(directory) ? directory : findNearestParent(directory);
  if (!statSync(path).isDirectory()) return { path, why: 'is not a directory', fix: otherDirectoryHint };
  if (!canWriteIn(path)) return { path, why: 'is not writable', fix: otherDirectoryHint };
  return path === directory ? findFileProblem(path, userId) : undefined;
}

/** Returns the nearest parent of a path that exists, or the root. */
function findNearestParent(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(parent) ? parent : findNearestParent(parent);
}

function findFileProblem(path: string, userId: number): PathProblem | undefined {
  // Its directory hides it, which is another problem.
  if (!existsSync(path)) return undefined;
  const { uid, mode } = statSync(path);
  if (uid !== userId) return { path, why: 'belongs to another user', fix: 'change its owner' };
  if ((mode & 0o077) === 0) return undefined;
  return { path, why: 'is accessible to other users', fix: 'remove the permissions of other users' };
}

function canWriteIn(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const otherDirectoryHint = 'check its owner and permissions, or set PETSTORE_CONFIG_DIR to another directory';
