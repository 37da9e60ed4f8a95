import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure, unreadableInputError } from '../../../failure.js';

/** A file that can be read more than once; standard input is kept aside for that. */
export interface ReplayableInput {
  /** For messages: its path, or `standard input`. */
  readonly name: string;
  /** The whole of it, from its start. Fails (usage) where it cannot be read, or has changed since it was opened. */
  read(): AsyncIterable<Uint8Array>;
  /** SHA-256 in hexadecimal digits, of what was read whole once. */
  readonly digest: string;
  close(): Promise<void>;
}

/** What standard input is called. */
export const stdinName = 'standard input';

/**
 * Opens a file to read it more than once. What can be read once only (a pipe, standard input for `-`) is first
 * copied into a private file in `directory`, which nobody sees and no end of the process leaves behind.
 */
export async function openSource(
  path: string,
  {
    directory,
    makeDirectory,
    id,
    stdin,
    signal,
  }: {
    directory: string;
    makeDirectory: (path: string) => void;
    id: string;
    stdin: () => AsyncIterable<Uint8Array>;
    signal: AbortSignal;
  },
): Promise<ReplayableInput> {
  const name = path === '-' ? stdinName : path;
  try {
    if (path === '-')
      return over(await keepAside(stdin(), directory, makeDirectory, id), name, signal);
    const file = await open(path, 'r');
    const stats = await file.stat();
    if (stats.isFile()) return over(file, name, signal);
    if (stats.isDirectory()) {
      await file.close();
      throw Object.assign(new Error(), { code: 'EISDIR' });
    }
    return over(
      await keepAside(file.createReadStream({ signal }), directory, makeDirectory, id),
      name,
      signal,
    );
  } catch (error) {
    throw readFailure(error, name, signal);
  }
}

async function keepAside(
  chunks: AsyncIterable<Uint8Array>,
  directory: string,
  makeDirectory: (path: string) => void,
  id: string,
): Promise<FileHandle> {
  const path = join(directory, `input-${id}.tmp`);
  const file = await keeping(path, async () => {
    makeDirectory(directory);
    // Left by a process of that id which ended at a bad moment.
    await rm(path, { force: true });
    return open(path, 'wx+', 0o600);
  });
  // Without a name it goes with the process, however that ends; Windows keeps the name of what is open.
  await rm(path, { force: true }).catch(() => {});
  try {
    for await (const chunk of chunks) await keeping(path, () => file.writeFile(chunk));
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

/** What fails here is no fault of the input. */
async function keeping<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Failure('system', {
      code: 'unwritable_copy',
      message: `a copy of the input cannot be kept in ${path} (${(error as NodeJS.ErrnoException).code})`,
      hint: 'import a file, which needs no copy, or make room on the disk',
      cause: error,
    });
  }
}

function over(file: FileHandle, name: string, signal: AbortSignal): ReplayableInput {
  let digest: string | undefined;
  let first: { size: number; mtimeMs: number } | undefined;
  return {
    name,
    async *read() {
      try {
        first ??= await file.stat();
        const { size, mtimeMs } = first;
        const hash = createHash('sha256');
        let position = 0;
        for (;;) {
          signal.throwIfAborted();
          const buffer = Buffer.allocUnsafe(chunkSize);
          const { bytesRead } = await file.read(buffer, 0, chunkSize, position);
          const now = await file.stat();
          if (now.size !== size || now.mtimeMs !== mtimeMs) throw changed(name);
          if (bytesRead === 0) break;
          position += bytesRead;
          const chunk = buffer.subarray(0, bytesRead);
          if (digest === undefined) hash.update(chunk);
          yield chunk;
        }
        digest ??= hash.digest('hex');
      } catch (error) {
        throw readFailure(error, name, signal);
      }
    },
    get digest() {
      if (digest === undefined) throw new Error(`${name} was not read whole yet`);
      return digest;
    },
    close: () => file.close(),
  };
}

const chunkSize = 8_192;

function changed(name: string): Failure {
  return new Failure('usage', {
    code: 'changed_input',
    message: `${name} was changed while it was read`,
    hint: 'once it is as it was, the same command goes on; a changed file is another import',
  });
}

function readFailure(error: unknown, name: string, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof Failure || code === undefined) return error;
  return unreadableInputError(name, code);
}
