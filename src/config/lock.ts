import {
  closeSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  unlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../clock.js';
import { Failure } from '../failure.js';
import { makeDirectory } from './make-directory.js';

/** Who holds a lock: written into it, so that others can see whether that process still lives. */
export interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** True while a process of this machine has that id. */
  readonly isProcessAlive: (pid: number) => boolean;
}

export interface LockOptions {
  readonly clock: Clock;
  readonly lockOwner: LockOwner;
}

/** Locks between processes, as one process takes them. */
export interface Locks extends LockOptions {
  /** Runs `work` under the lock at `path`; waits up to `timeoutMs` (default: 15 s) for another holder. */
  withLock<Result>(
    path: string,
    work: () => Result | Promise<Result>,
    timeoutMs?: number,
  ): Promise<Result>;
  /** Takes the lock until it is released. Throws a `Failure` (system) at once if another process holds it. */
  acquire(path: string): Promise<HeldLock>;
}

/** Returns the locks of this process. */
export function createLocks(options: LockOptions): Locks {
  return {
    ...options,
    withLock: (path, work, timeoutMs) => withLock(path, { ...options, timeoutMs }, work),
    acquire: (path) => holdLock(path, options),
  };
}

/**
 * Runs `work` while no other process does so under the same path. The lock is a file that only one can
 * make, on network file systems too (`O_EXCL`, open(2)), in a directory that is made where it is missing. One
 * whose holder is dead, or that is older than ten seconds, is taken over. Fails (system) where the lock
 * cannot be had in time.
 */
export async function withLock<Result>(
  path: string,
  {
    clock,
    lockOwner: holder,
    timeoutMs = 15_000,
  }: LockOptions & { readonly timeoutMs?: number | undefined },
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const deadline = clock.now() + timeoutMs;
  for (let attempts = 1; !acquire(path, holder); attempts += 1) {
    if (isStale(path, holder, clock.now())) takeOver(path, holder, clock.now());
    // On a machine that is busy a process may hardly have tried by then.
    if (clock.now() >= deadline && attempts >= timeoutMs / longestPause) throw unavailable(path);
    await clock.sleep(2 + Math.random() * (longestPause - 2));
  }
  try {
    return await work();
  } finally {
    release(path, holder);
  }
}

/**
 * Takes a lock for longer than a moment, until it is released or the process ends. Fails (system) at once
 * where another process holds it.
 */
async function holdLock(
  path: string,
  { clock, lockOwner: holder }: LockOptions,
): Promise<HeldLock> {
  if (!acquire(path, holder)) {
    if (isStale(path, holder, clock.now())) takeOver(path, holder, clock.now());
    if (!acquire(path, holder)) throw unavailable(path);
  }
  // An old lock is taken over, so that of a process that lives must not grow old.
  const isOurs = () => isSignedBy(path, holder);
  let renewedAt = clock.now();
  const beat = setInterval(() => {
    if (!isOurs()) return;
    renew(path);
    renewedAt = clock.now();
  }, staleAfter / 4);
  beat.unref();
  return {
    // A process that was stopped for a while finds that another thought it dead.
    isHeld: () => Math.abs(clock.now() - renewedAt) < staleAfter / 2 || isOurs(),
    release: () => {
      clearInterval(beat);
      release(path, holder);
    },
  };
}

/** A lock that is held for longer than a moment. */
export interface HeldLock {
  /** False where another process has taken it over. */
  isHeld(): boolean;
  release(): void;
}

/** Between two attempts, in milliseconds. */
const longestPause = 10;

const staleAfter = 10_000;
/** Whoever takes a lock signs it at once, unless it is killed in between. */
const staleUnsignedAfter = 1_000;

function renew(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch {
    // Somebody has removed it by hand.
  }
}

function acquire(path: string, holder: LockOwner): boolean {
  const file = openNew(path);
  if (file === undefined) return false;
  try {
    writeSync(file, signatureBy(holder));
  } catch (error) {
    // A lock that nobody signed would keep others out until it is old.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  // It may have taken so long that another process thought this one dead.
  return isSignedBy(path, holder);
}

/** Makes the file, and its directory where that is missing; nothing where the file is there. */
function openNew(path: string, isMade = false): number | undefined {
  try {
    return openSync(path, 'wx', 0o600);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return undefined;
    if (isMade || code !== 'ENOENT') throw error;
  }
  makeDirectory(dirname(path));
  return openNew(path, true);
}

/** Gives the lock back, unless it was held for so long that another process took it over. */
function release(path: string, holder: LockOwner): void {
  if (isSignedBy(path, holder)) unlinkIfPossible(path);
}

function signatureBy({ pid, host }: LockOwner): string {
  return `${pid} ${host}`;
}

function isSignedBy(path: string, holder: LockOwner): boolean {
  return signatureOf(path) === signatureBy(holder);
}

function isStale(path: string, { host, isProcessAlive: lives }: LockOwner, now: number): boolean {
  const age = ageOf(path, now);
  if (age > staleAfter) return true;
  const signed = signatureOf(path);
  // What cannot be read, as another user's, tells nothing of its holder.
  if (signed === undefined) return false;
  if (signed === '') return age > staleUnsignedAfter;
  const [pid, where] = signed.split(' ');
  return where === host && !lives(Number(pid));
}

/** In milliseconds; none where it was given back in the meantime. */
function ageOf(path: string, now: number): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  // A time ahead of now was written before the clock was set back.
  return stats ? Math.abs(now - stats.mtimeMs) : 0;
}

/** Empty where nobody has signed yet, nothing where it is no file (a pipe would never end) or cannot be read. */
function signatureOf(path: string): string | undefined {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Removes a stale lock, one process at a time: whoever makes the directory beside it looks again first, so
 * that a lock which another process has just taken over is never removed.
 */
function takeOver(path: string, holder: LockOwner, now: number): void {
  const turn = `${path}.takeover`;
  try {
    mkdirSync(turn, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (ageOf(turn, now) > staleUnsignedAfter) rmSync(turn, { recursive: true, force: true });
    return;
  }
  try {
    if (isStale(path, holder, now)) unlinkIfPossible(path);
  } finally {
    rmSync(turn, { recursive: true, force: true });
  }
}

function unlinkIfPossible(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Given back in the meantime; or a directory, which is not petstore's, and is told of once patience is over.
  }
}

function unavailable(path: string): Failure {
  return new Failure('system', {
    code: 'lock_held',
    message: `another petstore holds ${path}`,
    hint: 'try again; if no other petstore runs, remove that file',
  });
}
