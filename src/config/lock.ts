import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.js';
import { Failure } from '../failure.js';

/** The process that takes a lock. Its PID and host are the content of the lock file. */
export interface LockOwner {
  readonly pid: number;
  /** Name without spaces. Processes with the same host see each other's PIDs. */
  readonly host: string;
  /** Whether a process with this PID runs on this host. */
  readonly isProcessAlive: (pid: number) => boolean;
}

export interface LockOptions {
  readonly clock: Clock;
  readonly lockOwner: LockOwner;
}

/**
 * Locks between processes. A lock is a file that only one process can create (`O_EXCL`, open(2), also on NFS). A
 * lock is stale if its process is dead or the file is older than 10 s; the next process then takes it over. On NFS, the
 * server sets the time of a new file, so clocks that differ by more than 10 s make live locks stale (docs/troubleshooting.md).
 */
export type Locks = ReturnType<typeof createLocks>;

export type HeldLock = ReturnType<typeof keepLock>;

/** The pauses between attempts grow up to this, since many processes that poll often slow down the owner. */
const maxPauseMs = 50;
const pauseGrowthMs = 10;
const staleAfterMs = 10_000;
/** A process writes into its lock right after creating it, unless it is killed in between. */
const emptyStaleAfterMs = 1_000;

export function createLocks({ clock, lockOwner }: LockOptions) {
  return {
    clock,
    lockOwner,
    /** Runs `work` under the lock. Throws a `Failure` (system) after `timeoutMs`, or the reason of an aborted wait. */
    withLock: async <Result>(
      path: string,
      work: () => Result | Promise<Result>,
      timeoutMs = 15_000,
      signal?: AbortSignal,
    ): Promise<Result> => {
      const deadline = clock.now() + timeoutMs;
      for (let attempts = 1; !tryLock(path, lockOwner); attempts += 1) {
        removeIfStale(path, lockOwner, clock.now());
        // On a busy machine, few attempts fit into the timeout: make a minimum number of them.
        if (clock.now() >= deadline && attempts >= timeoutMs / maxPauseMs) throw lockHeld(path);
        await clock.sleep(Math.random() * Math.min(maxPauseMs, attempts * pauseGrowthMs), signal);
      }
      try {
        return await work();
      } finally {
        unlock(path, lockOwner);
      }
    },
    /** Takes the lock until it is released, or throws at once. `activity` says what its holder does, for the error message. */
    acquire: (path: string, activity: string) => {
      if (!tryLock(path, lockOwner)) {
        removeIfStale(path, lockOwner, clock.now());
        if (!tryLock(path, lockOwner)) throw lockHeld(path, activity);
      }
      return keepLock(path, { clock, lockOwner });
    },
  };
}

/** Renews the lock regularly, so that it does not become stale while this process runs. */
function keepLock(path: string, { clock, lockOwner }: LockOptions) {
  const isOwn = () => readOwner(path) === formatOwner(lockOwner);
  let renewedAt = clock.now();
  const timer = setInterval(() => {
    if (!isOwn()) return;
    try {
      utimesSync(path, new Date(), new Date());
    } catch {
      // The user has deleted the file.
    }
    renewedAt = clock.now();
  }, staleAfterMs / 4);
  timer.unref();
  return {
    /** False if another process has taken the lock over. */
    // Reads the file only if this process was suspended: the lock may have become stale meanwhile.
    isHeld: () => Math.abs(clock.now() - renewedAt) < staleAfterMs / 2 || isOwn(),
    release: () => {
      clearInterval(timer);
      unlock(path, lockOwner);
    },
  };
}

function tryLock(path: string, owner: LockOwner): boolean {
  const file = createLockFile(path);
  if (file === undefined) return false;
  try {
    writeSync(file, formatOwner(owner));
  } catch (error) {
    // An empty lock file would block other processes until it is stale.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  // If writing took too long, another process may have taken the lock over.
  return readOwner(path) === formatOwner(owner);
}

/** Creates the file, and its directory if needed. Returns `undefined` if the file exists. */
function createLockFile(path: string, hasDirectory = false): number | undefined {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || isBeingDeleted(path, code)) return undefined;
    if (hasDirectory || code !== 'ENOENT') throw error;
    makeDirectory(dirname(path));
    return createLockFile(path, true);
  }
}

/** Returns whether Windows may still be deleting the file: until then, creating and reading it fails. */
function isBeingDeleted(path: string, code: string | undefined): boolean {
  if (code !== 'EPERM' && code !== 'EACCES' && code !== 'EBUSY') return false;
  try {
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Deletes the lock file, unless another process has taken the lock over. */
function unlock(path: string, owner: LockOwner): void {
  if (readOwner(path) === formatOwner(owner)) tryUnlink(path);
}

function formatOwner({ pid, host }: LockOwner): string {
  return `${pid} ${host}`;
}

/** Returns the content of a lock file; `undefined` if it is not a regular file or cannot be read. */
function readOwner(path: string): string | undefined {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function isStale(path: string, { host, isProcessAlive }: LockOwner, now: number): boolean {
  const ageMs = getAgeMs(path, now);
  if (ageMs > staleAfterMs) return true;
  const owner = readOwner(path);
  if (owner === undefined) return false;
  if (owner === '') return ageMs > emptyStaleAfterMs;
  const [pid, ownerHost] = owner.split(' ');
  return ownerHost === host && !isProcessAlive(Number(pid));
}

/** Returns 0 if the file does not exist or is being deleted. */
function getAgeMs(path: string, now: number): number {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    // A time in the future was written before the clock was set back.
    return stats ? Math.abs(now - stats.mtimeMs) : 0;
  } catch (error) {
    if (isBeingDeleted(path, (error as NodeJS.ErrnoException).code)) return 0;
    throw error;
  }
}

/**
 * Removes a stale lock. Only the process that creates the directory `<lock>.takeover` may do so, and it checks
 * again first: otherwise it could remove a lock that another process has just taken over.
 */
function removeIfStale(path: string, owner: LockOwner, now: number): void {
  if (!isStale(path, owner, now)) return;
  const guard = `${path}.takeover`;
  try {
    mkdirSync(guard, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && !isBeingDeleted(guard, code)) throw error;
    if (getAgeMs(guard, now) > emptyStaleAfterMs) rmSync(guard, { recursive: true, force: true });
    return;
  }
  try {
    if (isStale(path, owner, now)) tryUnlink(path);
  } finally {
    rmSync(guard, { recursive: true, force: true });
  }
}

function tryUnlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Released meanwhile; or a directory, which is left alone and reported on timeout.
  }
}

function lockHeld(path: string, activity = `holds the lock ${path}`): Failure {
  return new Failure('system', {
    code: 'lock_held',
    message: `another petstore process ${activity}`,
    hint: `wait for that process, then retry; if no other petstore process is running, delete ${path}`,
  });
}

/**
 * Creates a directory and its missing parents with mode 0700, one at a time: the `recursive` option of Node.js
 * never returns below some file systems (`/proc` on Linux). Other processes may create them at the same time.
 */
export function makeDirectory(path: string): void {
  // Usually it exists, and this is faster than an EEXIST error.
  if (statSync(path, { throwIfNoEntry: false })) return;
  try {
    createDirectory(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    makeDirectory(dirname(path));
    createDirectory(path);
  }
}

function createDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
