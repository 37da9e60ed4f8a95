import { rmSync } from 'node:fs';
import { link, lstat, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../clock.js';
import { Failure, usageError } from '../failure.js';
import { retryWhileOpen } from './retry-while-open.js';

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
  /** The PID of this process. */
  readonly pid: number;
  readonly clock: Clock;
  readonly isProcessAlive: (pid: number) => boolean;
}

/**
 * Creates a temporary file in the target's directory. On commit it is synced and linked to its name; linking
 * fails if another process has created that file meanwhile. Devices and pipes are written to directly.
 */
export async function createAtomicFile(
  path: string,
  { force, pid, isProcessAlive, clock }: AtomicFileOptions,
): Promise<AtomicFile> {
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory())
    throw usageError('cannot_write', `cannot write ${path}: is a directory`, 'pass the name of a file');
  if (existing && !existing.isFile()) return openDirectly(path);
  // A symbolic link may point to no file.
  if (!force && (existing ?? (await lstat(path).catch(() => undefined)))) throw fileExists(path);
  // Replaces the file that a symbolic link points to, not the link.
  const target = existing ? await withFailures(path, realpath(path)) : path;
  await removeLeftovers(target, (other) => other !== pid && isProcessAlive(other));
  const temporary = join(dirname(target), temporaryName(target, pid));
  const file = await withFailures(path, open(temporary, 'wx', existing ? existing.mode & 0o777 : 0o644));
  const commit = async () => {
    await file.sync();
    await file.close();
    if (force) return replaceFile(temporary, target, clock);
    await link(temporary, target).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') throw fileExists(path);
      // Some file systems do not support links.
      await rename(temporary, target);
    });
    await rm(temporary, { force: true });
  };
  return {
    write: (content) => withFailures(path, file.writeFile(content)),
    commit: () => withFailures(path, commit()),
    discard: async () => {
      // Fails if the commit has closed it.
      await file.close().catch(() => {});
      await rm(temporary, { force: true }).catch(() => {});
    },
    discardSync: () => rmSync(temporary, { force: true }),
  };
}

/** Gives the file the name of another, which is replaced. */
async function replaceFile(path: string, target: string, clock: Clock): Promise<void> {
  const replace = () => rename(path, target);
  await replace().catch((error) => retryWhileOpen(error, replace, clock));
}

/** Deletes the temporary files that killed processes have left. */
async function removeLeftovers(target: string, isInUse: (pid: number) => boolean): Promise<void> {
  const directory = dirname(target);
  for (const name of await readdir(directory).catch(() => [])) {
    const pid = Number(/\.(\d+)\.tmp$/.exec(name)?.[1]);
    if (name !== temporaryName(target, pid) || isInUse(pid)) continue;
    await rm(join(directory, name), { force: true }).catch(() => {});
  }
}

function temporaryName(target: string, pid: number): string {
  return `.${basename(target)}.${pid}.tmp`;
}

async function openDirectly(path: string): Promise<AtomicFile> {
  const file = await withFailures(path, open(path, 'w'));
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
    throw new Failure('system', {
      code: 'cannot_write',
      message: `cannot write ${path}${describeCode(code)}`,
      hint: hintFor(error),
    });
  });
}

function describeCode(code: string): string {
  if (code === 'ENOENT') return ': no such directory';
  return code === 'ENOTDIR' ? ': part of the path is not a directory' : ` (${code})`;
}

function hintFor(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOSPC') return 'free some disk space';
  if (error.code === 'ENOENT') return 'create the directory, or choose another file name';
  if (error.code === 'ENOTDIR') return 'choose another file name';
  const check = 'check that you can write to the directory';
  const isOpen = error.code === 'EPERM' || error.code === 'EBUSY';
  return isOpen ? 'close other programs that have the file open, then retry' : check;
}

function fileExists(path: string): Failure {
  const hint = 'choose another name, or pass --force';
  return usageError('file_exists', `${path} already exists`, hint);
}
