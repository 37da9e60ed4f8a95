import {
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { acquireLock, createAtomicFile, makeDirectory, withWriteFailures, writeFailure } from '../config/files.js';
import type { Runtime } from './runtime.js';

/** The directory of the journals, and access to a journal anywhere. Its methods throw `Failure` only. */
export type JournalDirectory = ReturnType<typeof openFiles>['journals'];

/** A file that lines are appended to. */
export type AppendOnlyFile = ReturnType<typeof openToAppend>;

/** Opens the files that a command reads and writes. The journals are in `directory`. */
export function openFiles({ clock, signal }: Pick<Runtime, 'clock' | 'signal'>, directory: string) {
  return {
    /** Returns the absolute path of an input; undefined for a pipe, whose name does not identify its content. */
    findPath: (path: string) => (isRegularFile(path) && !descriptorPath.test(path) ? resolve(path) : undefined),
    /** Returns whether both paths name one file, directly or through links. */
    isSameFile: (path: string, other: string) =>
      [path, other].every(existsSync) && realpathSync(path) === realpathSync(other),
    /** Throws a usage error if the file exists, unless `force`. */
    createFile: (path: string, { force }: { readonly force: boolean }) => createAtomicFile(path, force, clock),
    journals: {
      /** Returns the paths of the journals whose names start with a prefix. */
      list: (prefix: string): readonly string[] => {
        const names = existsSync(directory) ? readdirSync(directory) : [];
        const journals = names.filter((name) => name.startsWith(prefix) && name.endsWith('.journal'));
        return journals.map((name) => join(directory, name));
      },
      /** Returns the path of the journal with a name. */
      pathOf: (name: string) => join(directory, name),
      readLines,
      /** Locks a journal. Throws a failure (system) if another process holds it. */
      lock: (path: string) => {
        const target = existsSync(path) ? realpathSync(path) : path;
        const options = { clock, signal, activity: 'is running this import' };
        return withWriteFailures(path, () => acquireLock(target, options), journalHint);
      },
      /** Opens or creates a file to append lines to it. Cuts off what follows `size` bytes: a line that a crash left incomplete. */
      open: (path: string, size: number) => withWriteFailures(path, () => openToAppend(path, size), journalHint),
    },
  };
}

/** Paths of open files, such as `/dev/fd/63`. Even if the file is regular, another command has another one there. */
const descriptorPath = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

function isRegularFile(path: string): boolean {
  return path !== '-' && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

const chunkSize = 1024 * 1024;

/**
 * Yields the lines of a file with their line feeds, which a last line may lack; none if there is no such file. Reads a
 * chunk at a time, since a file may have millions of lines.
 */
function* readLines(path: string): Iterable<string> {
  if (!existsSync(path)) return;
  const file = openSync(path, 'r');
  try {
    const chunk = Buffer.allocUnsafe(chunkSize);
    let rest = Buffer.alloc(0);
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      const bytes = Buffer.concat([rest, chunk.subarray(0, length)]);
      let start = 0;
      for (let end = bytes.indexOf('\n') + 1; end > 0; end = bytes.indexOf('\n', start) + 1) {
        yield bytes.toString('utf8', start, end);
        start = end;
      }
      rest = bytes.subarray(start);
    }
    if (rest.length > 0) yield rest.toString();
  } finally {
    closeSync(file);
  }
}

const sync = promisify(fdatasync);

function openToAppend(path: string, size: number) {
  const isNew = !existsSync(path);
  if (isNew) makeDirectory(dirname(path));
  else truncateSync(path, size);
  const file = openSync(path, 'a', 0o600);
  if (isNew) syncDirectory(dirname(path));
  let failure: unknown;
  return {
    /** Writes at once, so that the text survives the process. After a failure, each call fails. */
    append: (text: string) => {
      // After a partial line, further lines would be misread.
      if (failure !== undefined) throw failure;
      const bytes = Buffer.from(text);
      try {
        // A disk that is nearly full may write only a part.
        if (writeSync(file, bytes) < bytes.length) throw Object.assign(new Error(), { code: 'ENOSPC' });
      } catch (error) {
        failure = writeFailure(path, error, journalHint);
        throw failure;
      }
    },
    /** Resolves once all text survives a power cut. */
    sync: () => withWriteFailures(path, () => sync(file), journalHint),
    close: () => closeSync(file),
  };
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

/** Another journal would add pets twice, so the hint is to fix this one. */
const journalHint = 'check the permissions of the directory, then run the same command again';
