import { link, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure, usageError } from '../failure.js';

/** A file that appears whole under its name, or not at all. */
export interface AtomicFile {
  write(content: string | Uint8Array): Promise<void>;
  /** Puts it under its name. */
  commit(): Promise<void>;
  /** Leaves nothing behind, where it was not committed. */
  discard(): Promise<void>;
}

export interface AtomicFileOptions {
  readonly force: boolean;
  /** Of this process. */
  readonly pid: number;
  readonly isProcessAlive: (id: number) => boolean;
}

/**
 * Makes a file beside its name, and gives it the name once it is whole: synced, then linked, so that a file
 * which appeared in the meantime is kept. A device or a pipe is written to as it is.
 */
export async function createAtomicFile(
  path: string,
  { force, pid: id, isProcessAlive: lives }: AtomicFileOptions,
): Promise<AtomicFile> {
  try {
    const present = await stat(path).catch(() => undefined);
    if (present && !present.isFile() && !present.isDirectory()) return await passOn(path);
    if (present?.isDirectory()) throw usageError('unwritable_output', `${path} is a directory`);
    if (present && !force) throw exists(path);
    // The file that a link leads to is replaced, not the link.
    const target = present ? await realpath(path) : path;
    await sweep(target, (other) => other !== id && lives(other));
    return await make({ target, path, force, id, mode: present ? present.mode & 0o777 : 0o644 });
  } catch (error) {
    throw unwritable(error, path);
  }
}

/** Takes away what processes that were killed have left of this file. */
async function sweep(target: string, lives: AtomicFileOptions['isProcessAlive']): Promise<void> {
  const directory = dirname(target);
  const names = await readdir(directory).catch(() => []);
  for (const name of names) {
    const id = Number(/\.(\d+)\.tmp$/.exec(name)?.[1]);
    if (name !== temporaryName(target, id) || lives(id)) continue;
    await rm(join(directory, name), { force: true }).catch(() => {});
  }
}

function temporaryName(target: string, id: number): string {
  return `.${basename(target)}.${id}.tmp`;
}

async function make({
  target,
  path,
  force,
  id,
  mode,
}: {
  /** Where `path` leads. */
  readonly target: string;
  readonly path: string;
  readonly force: boolean;
  readonly id: number;
  readonly mode: number;
}): Promise<AtomicFile> {
  const temporary = join(dirname(target), temporaryName(target, id));
  const file = await open(temporary, 'wx', mode);
  let isOpen = true;
  const close = async () => {
    if (isOpen) await file.close();
    isOpen = false;
  };
  return {
    write: (content) => guarded(path, () => file.writeFile(content)),
    commit: () =>
      guarded(path, async () => {
        await file.sync();
        await close();
        if (force) return rename(temporary, target);
        await link(temporary, target).catch(async (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') throw exists(path);
          // Some file systems have no links.
          await rename(temporary, target);
        });
        await rm(temporary, { force: true });
      }),
    discard: async () => {
      await close().catch(() => {});
      await rm(temporary, { force: true }).catch(() => {});
    },
  };
}

async function guarded(path: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw unwritable(error, path);
  }
}

async function passOn(path: string): Promise<AtomicFile> {
  const file = await open(path, 'w');
  return {
    write: (content) => guarded(path, () => file.writeFile(content)),
    commit: () => guarded(path, () => file.close()),
    discard: () => file.close().catch(() => {}),
  };
}

function exists(path: string): Failure {
  return usageError(
    'file_exists',
    `${path} is there already`,
    'choose another name, or pass --force',
  );
}

function unwritable(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof Failure || code === undefined) return error;
  return new Failure('system', {
    code: 'unwritable_output',
    message: `${path} cannot be written (${code})`,
    hint: code === 'ENOSPC' ? 'make room on the disk' : 'check its directory and its permissions',
  });
}
