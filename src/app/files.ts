import {
  closeSync,
  existsSync,
  fdatasync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { JournalFile, JournalLine, JournalStore } from '../commands/pets/import/journal.js';
import {
  type AtomicFile,
  type AtomicFileOptions,
  createAtomicFile,
  createLocks,
  type Locks,
  makeDirectory,
  writeFailure,
} from '../config/files.js';
import type { Runtime } from './runtime.js';

/** The files that a command reads and writes. */
export interface Files {
  /** Returns the absolute path of an input; undefined for a pipe, whose name does not identify its content. */
  findPath(path: string): string | undefined;
  /** Returns whether both paths name one file, directly or through links. */
  isSameFile(path: string, other: string): boolean;
  readonly journals: JournalStore;
  /** Throws a usage error if the file exists, unless `force`. */
  createFile(path: string, options: Pick<AtomicFileOptions, 'force'>): Promise<AtomicFile>;
}

/** Opens the files of a command. The journals are in `directory`. */
export function openFiles(runtime: Runtime, directory: string): Files {
  const { clock, signal } = runtime;
  return {
    findPath: (path) => (isRegularFile(path) && !descriptorPath.test(path) ? resolve(path) : undefined),
    isSameFile: (path, other) => {
      const [own, stats] = [path, other].map((name) => statSync(name, { throwIfNoEntry: false }));
      return own !== undefined && own.ino === stats?.ino && own.dev === stats.dev;
    },
    journals: openJournals(directory, createLocks(runtime), signal),
    createFile: async (path, options) => {
      const file = await createAtomicFile(path, { ...options, clock });
      return {
        ...file,
        write: async (content) => {
          signal.throwIfAborted();
          await file.write(content);
        },
      };
    },
  };
}

function openJournals(directory: string, locks: Locks, signal: AbortSignal): JournalStore {
  return {
    list: (prefix) => {
      if (!existsSync(directory)) return [];
      const names = readdirSync(directory).filter((name) => name.startsWith(prefix) && name.endsWith('.journal'));
      return names.map((name) => join(directory, name));
    },
    pathOf: (name) => join(directory, name),
    readLines,
    lock: (path) =>
      mapFailures(path, async () =>
        locks.acquire(`${existsSync(path) ? realpathSync(path) : path}.lock`, {
          activity: 'is running this import',
          signal,
        }),
      ),
    open: (path) => mapFailures(path, async () => openToAppend(path)),
  };
}

/** Paths of open files, such as `/dev/fd/63`. Even if the file is regular, another command has another one there. */
const descriptorPath = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

function isRegularFile(path: string): boolean {
  return path !== '-' && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

const chunkSize = 1024 * 1024;

/** Reads a chunk at a time, since a journal may have millions of lines. */
function* readLines(path: string): Generator<JournalLine> {
  if (!existsSync(path)) return;
  const file = openSync(path, 'r');
  try {
    const chunk = Buffer.allocUnsafe(chunkSize);
    let rest = Buffer.alloc(0);
    for (;;) {
      const length = readSync(file, chunk, 0, chunkSize, null);
      const bytes = Buffer.concat([rest, chunk.subarray(0, length)]);
      let start = 0;
      for (let end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', start)) {
        yield { text: bytes.toString('utf8', start, end), isComplete: true };
        start = end + 1;
      }
      rest = bytes.subarray(start);
      if (length === 0) break;
    }
    if (rest.length > 0) yield { text: rest.toString(), isComplete: false };
  } finally {
    closeSync(file);
  }
}

const sync = promisify(fdatasync);

function openToAppend(path: string): JournalFile {
  const isNew = !existsSync(path);
  if (isNew) makeDirectory(dirname(path));
  else cutPartialLine(path);
  const file = openSync(path, 'a', 0o600);
  if (isNew) syncDirectory(dirname(path));
  let failure: unknown;
  const run = <Result>(work: () => Result): Result => {
    // After a partial line, further lines would be misread.
    if (failure !== undefined) throw failure;
    try {
      return work();
    } catch (error) {
      failure = toFailure(error, path);
      throw failure;
    }
  };
  return {
    append: (text) =>
      run(() => {
        const bytes = Buffer.from(text);
        // A disk that is nearly full may write only a part.
        if (writeSync(file, bytes) < bytes.length) throw Object.assign(new Error(), { code: 'ENOSPC' });
      }),
    sync: () =>
      sync(file).catch((error) =>
        run(() => {
          throw error;
        }),
      ),
    close: () => closeSync(file),
  };
}

function cutPartialLine(path: string): void {
  const file = openSync(path, 'r+');
  try {
    let end = fstatSync(file).size;
    const byte = Buffer.alloc(1);
    while (end > 0 && readSync(file, byte, 0, 1, end - 1) === 1 && byte[0] !== 0x0a) end -= 1;
    ftruncateSync(file, end);
  } finally {
    closeSync(file);
  }
}

/** Makes the name of a new file survive a power cut. Windows has no such operation. */
function syncDirectory(path: string): void {
  try {
    const directory = openSync(path, 'r');
    fsyncSync(directory);
    closeSync(directory);
  } catch (error) {
    if (!['EPERM', 'EACCES', 'EISDIR', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

async function mapFailures<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw toFailure(error, path);
  }
}

/** Another journal would add pets twice, so the hint is to fix this one. */
function toFailure(error: unknown, path: string): unknown {
  return writeFailure(path, error, 'check the permissions of the directory, then run the same command again');
}
