import {
  linkSync,
  mkdirSync,
  promises,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  utimes,
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

export type HeldLock = Awaited<ReturnType<typeof acquireLock>>;

interface LockOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** What the holder does, for the message of the failure. */
  readonly activity?: string;
}

/**
 * Waits for the lock of a file: a file beside it with a random token that only one process can create (`O_EXCL`, open(2),
 * also on NFS). Its holder renews it every second. A lock that is older than 3 s is stale, and the next process takes it over.
 * Throws a `Failure` (system) after 5 s, or the reason of an aborted wait.
 */
export async function acquireLock(file: string, { clock, signal, activity }: LockOptions) {
  const path = `${file}.lock`;
  const token = createToken();
  const deadline = clock.now() + waitMs;
  makeDirectory(dirname(path));
  for (let attempts = 1; !createLock(path, token); attempts += 1) {
    if (clock.now() >= deadline) {
      const message = `another petstore process ${activity ?? `holds the lock ${path}`}`;
      const hint = ['wait for that process, then retry', sameCommand];
      throw new Failure('system', { code: 'lock_held', message, hint });
    }
    removeIfStale(path, token, clock.now());
    await clock.sleep(Math.random() * Math.min(maxPauseMs, attempts * pauseGrowthMs), signal);
  }
  /** False if another process has taken the lock over, because this one was suspended. */
  const isHeld = () => readToken(path) === token;
  const renew = () => {
    // The user may delete the file at any time.
    if (isHeld()) utimes(path, new Date(), new Date(), () => {});
  };
  const timer = setInterval(renew, renewAfterMs).unref();
  return {
    isHeld,
    release: () => {
      clearInterval(timer);
      if (isHeld()) rmSync(path, { force: true });
    },
  };
}

/** Runs `work` under the lock of a file. */
export async function withLock<Result>(
  file: string,
  options: LockOptions,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const lock = await acquireLock(file, options);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Replaces a private file, whose lock the caller holds, so that no reader sees half of it. */
export async function replaceFile(path: string, content: string, clock: Clock): Promise<void> {
  const temporary = `${path}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600 });
  await renameFile(temporary, path, clock);
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

/**
 * Creates a file that appears under its name complete or not at all: a temporary file in the same directory. On commit it
 * is synced and linked to its name; linking fails if another process has created that file meanwhile, unless `force`.
 * Devices and pipes are written to directly.
 */
export async function createAtomicFile(path: string, force: boolean, clock: Clock) {
  const attempt = <Result>(work: () => Promise<Result>) =>
    withWriteFailures(path, work, 'choose another file, or check that you can write to its directory');
  const existing = await promises.stat(path).catch(() => undefined);
  const isDirect = existing !== undefined && !existing.isFile();
  if (existing && !isDirect && !force) throw fileExists(path);
  const temporary = isDirect ? path : join(dirname(path), `.${basename(path)}.${createToken()}.tmp`);
  const file = await attempt(() =>
    promises.open(temporary, isDirect ? 'w' : 'wx', existing ? existing.mode & 0o777 : 0o644),
  );
  return {
    write: (content: string | Uint8Array) => attempt(() => file.writeFile(content)),
    /** Gives the file its name. */
    commit: () =>
      attempt(async () => {
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
      }),
    /** Deletes the file at once, unless it was committed. */
    discard: () => {
      // First, since the process may be ending.
      if (!isDirect) rmSync(temporary, { force: true });
      // Fails if the commit has closed it.
      return file.close().catch(() => {});
    },
  };
}

/** Returns the result of `work`, which writes a file. Throws what `writeFailure` returns. */
export async function withWriteFailures<Result>(
  path: string,
  work: () => Result | Promise<Result>,
  hint?: string,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw writeFailure(path, error, hint);
  }
}

/** Returns the failure (system) to write a file or to create a directory; a `Failure` unchanged. */
export function writeFailure(path: string, cause: unknown, hint = defaultWriteHint): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (cause instanceof Failure || code === undefined) return cause;
  return new Failure('system', {
    code: 'cannot_write',
    message: `cannot write ${path} (${writeReasons.get(code) ?? code})`,
    hint: code === 'ENOSPC' ? 'free some disk space' : hint,
    cause,
  });
}

const writeReasons = new Map([
  ['ENOENT', 'no such directory'],
  ['EISDIR', 'is a directory'],
]);

const defaultWriteHint = 'check the permissions of the directory, or set PETSTORE_CONFIG_DIR to another directory';

function fileExists(path: string): Failure {
  return usageError('file_exists', `${path} already exists`, 'choose another name, or pass --force');
}

/** Creates a directory and its missing parents with mode 0700. Throws a failure (system) if it cannot. */
export function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw writeFailure(path, error);
  }
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
