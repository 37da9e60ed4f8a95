import {
  linkSync,
  mkdirSync,
  promises,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../clock.js';
import { Failure, sameCommand, usageError } from '../failure.js';

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
  readonly signal?: AbortSignal | undefined;
  /** What the holder does, for the message of the failure. */
  readonly activity?: string;
}

export function createLocks({ clock }: { readonly clock: Clock }) {
  /** Waits for the lock. Throws a `Failure` (system) after 5 s, or the reason of an aborted wait. */
  const acquire = async (path: string, { signal, activity }: LockOptions = {}) => {
    const token = createToken();
    const deadline = clock.now() + waitMs;
    makeDirectory(dirname(path));
    for (let attempts = 1; !createLock(path, token); attempts += 1) {
      if (clock.now() >= deadline) throw lockHeld(path, activity);
      removeIfStale(path, token, clock.now());
      await clock.sleep(Math.random() * Math.min(maxPauseMs, attempts * pauseGrowthMs), signal);
    }
    return keepLock(path, token);
  };
  return {
    clock,
    acquire,
    /** Replaces a private file, whose lock the caller holds, so that no reader sees half of it. */
    replaceFile: async (path: string, content: string) => {
      const temporary = `${path}.tmp`;
      writeFileSync(temporary, content, { mode: 0o600 });
      await renameFile(temporary, path, clock);
    },
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

function keepLock(path: string, token: string): HeldLock {
  const isHeld = () => readToken(path) === token;
  const timer = setInterval(() => {
    try {
      if (isHeld()) utimesSync(path, new Date(), new Date());
    } catch {
      // The user has deleted the file.
    }
  }, renewAfterMs);
  timer.unref();
  return {
    isHeld,
    release: () => {
      clearInterval(timer);
      if (isHeld()) rmSync(path, { force: true });
    },
  };
}

/** Creates the lock file. Returns false if it exists. */
function createLock(path: string, token: string): boolean {
  try {
    writeFileSync(path, token, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    // Windows answers EPERM or EBUSY while it deletes the file of the last holder.
    if (['EEXIST', 'EPERM', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

/** Returns nothing if there is no file, or if it cannot be read. */
function readToken(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function isStale(path: string, now: number): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  // A time in the future was written before the clock was set back.
  return stats !== undefined && Math.abs(now - stats.mtimeMs) > staleAfterMs;
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
  rmSync(renamed, { force: true });
}

/** Returns a name that no other process has. It need not be secret. */
function createToken(): string {
  return Math.random().toString(36).slice(2);
}

function lockHeld(path: string, activity = `holds the lock ${path}`): Failure {
  return new Failure('system', {
    code: 'lock_held',
    message: `another petstore process ${activity}`,
    hint: ['wait for that process, then retry', sameCommand],
  });
}

/** Renames a file. While another process has the target open, Windows rejects that: tries again for a second. */
async function renameFile(from: string, to: string, clock: Clock): Promise<void> {
  for (const deadline = clock.now() + 1_000; ; await clock.sleep(10)) {
    try {
      return renameSync(from, to);
    } catch (error) {
      const isOpen = ['EPERM', 'EACCES', 'EBUSY'].includes((error as NodeJS.ErrnoException).code ?? '');
      if (!isOpen || clock.now() >= deadline) throw error;
    }
  }
}

/** A file that appears under its name complete or not at all. */
export interface AtomicFile {
  write(content: string | Uint8Array): Promise<void>;
  /** Gives the file its name. */
  commit(): Promise<void>;
  /** Deletes the file at once, unless it was committed. */
  discard(): Promise<void>;
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
  const isDirect = existing !== undefined && !existing.isFile() && !existing.isDirectory();
  if (existing && !isDirect && !force) throw fileExists(path);
  const temporary = isDirect ? path : join(dirname(path), `.${basename(path)}.${createToken()}.tmp`);
  const file = await withFailures(
    path,
    promises.open(temporary, isDirect ? 'w' : 'wx', existing ? existing.mode & 0o777 : 0o644),
  );
  const publish = async () => {
    if (isDirect) return file.close();
    await file.sync();
    await file.close();
    if (force) return renameFile(temporary, path, clock);
    await promises.link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw fileExists(path);
      // Some file systems do not support links.
      renameSync(temporary, path);
    });
    rmSync(temporary, { force: true });
  };
  return {
    write: (content) => withFailures(path, file.writeFile(content)),
    commit: () => withFailures(path, publish()),
    discard: () => {
      // First, since the process may be ending.
      if (!isDirect) rmSync(temporary, { force: true });
      // Fails if the commit has closed it.
      return file.close().catch(() => {});
    },
  };
}

function withFailures<Result>(path: string, work: Promise<Result>): Promise<Result> {
  return work.catch((error) => {
    throw writeFailure(path, error, 'choose another file, or check that you can write to its directory');
  });
}

/** Returns the failure (system) to write a file or to create a directory; a `Failure` unchanged. */
export function writeFailure(path: string, cause: unknown, hint = defaultWriteHint): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (cause instanceof Failure || code === undefined) return cause;
  return new Failure('system', {
    code: 'cannot_write',
    message: `cannot write ${path} (${code === 'ENOENT' ? 'no such directory' : code})`,
    hint: code === 'ENOSPC' ? 'free some disk space' : hint,
    cause,
  });
}

const defaultWriteHint = 'check the permissions of the directory, or set PETSTORE_CONFIG_DIR to another directory';

function fileExists(path: string): Failure {
  return usageError('file_exists', `${path} already exists`, 'choose another name, or pass --force');
}

/** Creates a directory and its missing parents with mode 0700. */
export function makeDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Throws a `Failure` (system) for a file with a secret that others can write: the secret may be someone else's. */
export function checkOthersCannotWrite({ mode }: Stats, subject: string): void {
  if ((mode & 0o022) === 0) return;
  throw new Failure('system', {
    code: 'exposed_credentials',
    message: `${subject} is writable by other users`,
    hint: 'check its content, then fix its owner and mode',
  });
}
