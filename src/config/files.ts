import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  promises,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../clock.js';
import { Failure, usageError } from '../failure.js';

/** In milliseconds. Clocks of machines that share a file system must differ by less. */
const staleAfterMs = 3_000;
const renewAfterMs = 1_000;
const waitMs = 5_000;
/** The pauses between attempts grow up to this, since many processes that poll often slow down the owner. */
const maxPauseMs = 50;
const pauseGrowthMs = 10;

/**
 * Locks between processes. A lock is a file with a random token that only one process can create (`O_EXCL`, open(2), also on
 * NFS). Its holder renews it every second. A lock that is older than 3 s is stale, and the next process takes it over.
 */
export type Locks = ReturnType<typeof createLocks>;

export interface HeldLock {
  /** False if another process has taken the lock over, because this one was suspended. */
  isHeld(): boolean;
  release(): void;
}

interface LockOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** What the holder does, for the message of the failure. */
  readonly activity?: string;
}

export function createLocks({ clock }: { readonly clock: Clock }) {
  /** Waits for the lock. Throws a `Failure` (system) after `timeoutMs`, or the reason of an aborted wait. */
  const acquire = async (path: string, { timeoutMs = waitMs, signal, activity }: LockOptions = {}) => {
    const token = createToken();
    const deadline = clock.now() + timeoutMs;
    for (let attempts = 1; !createLock(path, token); attempts += 1) {
      if (clock.now() >= deadline) throw lockHeld(path, activity);
      removeIfStale(path, token, clock.now());
      await clock.sleep(Math.random() * Math.min(maxPauseMs, attempts * pauseGrowthMs), signal);
    }
    return keepLock(path, token, clock);
  };
  return {
    clock,
    acquire,
    /** Replaces a private file, whose lock the caller holds, so that no reader sees half of it. */
    replaceFile: (path: string, content: string) => replaceFile(path, content, clock),
    /** Runs `work` under the lock. */
    withLock: async <Result>(
      path: string,
      work: () => Result | Promise<Result>,
      options?: LockOptions,
    ): Promise<Result> => {
      const lock = await acquire(path, options);
      try {
        return await work();
      } finally {
        lock.release();
      }
    },
  };
}

function keepLock(path: string, token: string, clock: Clock): HeldLock {
  const isOwn = () => readToken(path) === token;
  let renewedAt = clock.now();
  const timer = setInterval(() => {
    if (!isOwn()) return;
    try {
      utimesSync(path, new Date(), new Date());
      renewedAt = clock.now();
    } catch {
      // The user has deleted the file.
    }
  }, renewAfterMs);
  timer.unref();
  return {
    // Reads the file only if the lock may have become stale.
    isHeld: () => Math.abs(clock.now() - renewedAt) < staleAfterMs / 2 || isOwn(),
    release: () => {
      clearInterval(timer);
      if (isOwn()) tryUnlink(path);
    },
  };
}

/** Creates the lock file, and its directory if needed. Returns false if the file exists. */
function createLock(path: string, token: string, hasDirectory = false): boolean {
  try {
    writeNewFile(path, token);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || isBeingDeleted(path, code)) return false;
    if (hasDirectory || code !== 'ENOENT') throw error;
    makeDirectory(dirname(path));
    return createLock(path, token, true);
  }
}

function writeNewFile(path: string, content: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, content);
  } catch (error) {
    // On a full disk, an empty lock would block other processes.
    tryUnlink(path);
    throw error;
  } finally {
    closeSync(file);
  }
}

/** Returns whether Windows may still be deleting the file: until then, creating it fails. */
function isBeingDeleted(path: string, code: string | undefined): boolean {
  if (!isOpenElsewhere(code)) return false;
  try {
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns nothing if there is no regular file, or if it cannot be read. */
function readToken(path: string): string | undefined {
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

function isStale(path: string, now: number): boolean {
  try {
    const stats = lstatSync(path);
    // A time in the future was written before the clock was set back.
    return stats.isFile() && Math.abs(now - stats.mtimeMs) > staleAfterMs;
  } catch {
    return false;
  }
}

/** Removes a stale lock by renaming it, which only one process can do. */
function removeIfStale(path: string, token: string, now: number): void {
  if (!isStale(path, now)) return;
  const renamed = `${path}.${token}`;
  try {
    renameSync(path, renamed);
    // Between the check and the renaming, another process has taken the lock over.
    if (!isStale(renamed, now)) linkSync(renamed, path);
  } catch {
    // Another process was faster.
  }
  tryUnlink(renamed);
}

function tryUnlink(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Another process has removed the file.
  }
}

/** Returns a name that no other process has. It is no secret. */
function createToken(): string {
  return Math.random().toString(36).slice(2);
}

function lockHeld(path: string, activity = `holds the lock ${path}`): Failure {
  return new Failure('system', {
    code: 'lock_held',
    message: `another petstore process ${activity}`,
    hint: `wait for that process, then retry; if no other petstore process is running, delete ${path}`,
  });
}

async function replaceFile(path: string, content: string, clock: Clock): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    writeFileSync(temporary, content, { mode: 0o600 });
    await renameFile(temporary, path, clock);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
}

/** Renames a file. While another process has the target open, Windows rejects that: tries again for a second. */
async function renameFile(from: string, to: string, clock: Clock): Promise<void> {
  for (const deadline = clock.now() + 1_000; ; await clock.sleep(10)) {
    try {
      return renameSync(from, to);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!isOpenElsewhere(code) || clock.now() >= deadline) throw error;
    }
  }
}

/** Returns whether an error may mean that another process has the file open. It may also mean missing permissions. */
function isOpenElsewhere(code: string | undefined): boolean {
  return code === 'EPERM' || code === 'EACCES' || code === 'EBUSY';
}

/** A file that appears under its name complete or not at all. */
export interface AtomicFile {
  write(content: string | Uint8Array): Promise<void>;
  /** Gives the file its name. */
  commit(): Promise<void>;
  /** Deletes the file, unless it was committed. */
  discard(): Promise<void>;
  /** Like `discard`, before the process ends at once. */
  discardSync(): void;
}

export interface AtomicFileOptions {
  /** Replace an existing file. */
  readonly force: boolean;
  readonly clock: Clock;
}

/**
 * Creates a temporary file in the target's directory. On commit it is synced and linked to its name; linking
 * fails if another process has created that file meanwhile. Devices and pipes are written to directly.
 */
export async function createAtomicFile(path: string, { force, clock }: AtomicFileOptions): Promise<AtomicFile> {
  const existing = await promises.stat(path).catch(() => undefined);
  if (existing?.isDirectory())
    throw usageError('cannot_write', `cannot write ${path}: is a directory`, 'pass the name of a file');
  if (existing && !existing.isFile()) return openDirectly(path);
  // A symbolic link may point to no file.
  if (!force && (existing ?? (await promises.lstat(path).catch(() => undefined)))) throw fileExists(path);
  // Replaces the file that a symbolic link points to, not the link.
  const target = existing ? await withFailures(path, promises.realpath(path)) : path;
  const temporary = join(dirname(target), `.${basename(target)}.${createToken()}.tmp`);
  const file = await withFailures(path, promises.open(temporary, 'wx', existing ? existing.mode & 0o777 : 0o644));
  const commit = async () => {
    await file.sync();
    await file.close();
    if (force) return renameFile(temporary, target, clock);
    await promises.link(temporary, target).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw fileExists(path);
      // Some file systems do not support links.
      renameSync(temporary, target);
    });
    rmSync(temporary, { force: true });
  };
  const discardSync = () => rmSync(temporary, { force: true });
  return {
    write: (content) => withFailures(path, file.writeFile(content)),
    commit: () => withFailures(path, commit()),
    discard: async () => {
      // Fails if the commit has closed it.
      await file.close().catch(() => {});
      discardSync();
    },
    discardSync,
  };
}

async function openDirectly(path: string): Promise<AtomicFile> {
  const file = await withFailures(path, promises.open(path, 'w'));
  return {
    write: (content) => withFailures(path, file.writeFile(content)),
    commit: () => withFailures(path, file.close()),
    discard: () => file.close().catch(() => {}),
    discardSync: () => {},
  };
}

function withFailures<Result>(path: string, work: Promise<Result>): Promise<Result> {
  return work.catch((error) => {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof Failure || code === undefined) throw error;
    const reason = code === 'ENOENT' ? ': no such directory' : ` (${code})`;
    const hint = writeHints[code] ?? 'choose another file, or check that you can write to its directory';
    throw new Failure('system', { code: 'cannot_write', message: `cannot write ${path}${reason}`, hint });
  });
}

const openElsewhere = 'close other programs that have the file open, then retry';
const writeHints: Readonly<Record<string, string>> = {
  ENOSPC: 'free some disk space',
  EPERM: openElsewhere,
  EBUSY: openElsewhere,
};

function fileExists(path: string): Failure {
  return usageError('file_exists', `${path} already exists`, 'choose another name, or pass --force');
}

/**
 * Creates a directory and its missing parents with mode 0700, one at a time: the `recursive` option of Node.js
 * never returns below some file systems (`/proc` on Linux).
 */
export function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may create it at the same time.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Returns the nearest parent of a path that exists, or the root. */
export function findNearestParent(path: string): string {
  const parent = dirname(path);
  return parent === path || existsSync(parent) ? parent : findNearestParent(parent);
}

/** Returns why petstore cannot write a file or create a directory, and the fix. */
export function explainUnwritable(path: string, cause: unknown): { readonly reason: string; readonly hint: string } {
  const parent = findNearestParent(path);
  const stats = statSync(parent, { throwIfNoEntry: false });
  if (stats?.isDirectory() === false) {
    return {
      reason: `because ${parent} is not a directory`,
      // A device such as /dev/null must stay.
      hint: `set PETSTORE_CONFIG_DIR to a directory${stats.isFile() ? `, or move ${parent}` : ''}`,
    };
  }
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
  return {
    reason: `(${code})`,
    hint: 'check the permissions and free space of the directory, or set PETSTORE_CONFIG_DIR',
  };
}

/** Throws a `Failure` (system) for a file with a secret that others can write: the secret may be someone else's. */
export function checkOthersCannotWrite({ mode }: Stats, subject: string): void {
  if ((mode & 0o022) !== 0) throw exposedFile(subject, 'is writable by other users');
}

export function exposedFile(subject: string, reason: string): Failure {
  const hint = 'check its content, then fix its owner and mode';
  return new Failure('system', { code: 'exposed_credentials', message: `${subject} ${reason}`, hint });
}
