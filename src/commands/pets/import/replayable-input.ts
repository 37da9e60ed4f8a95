import { createHash } from 'node:crypto';
import { closeSync, constants, open as openFile, openSync } from 'node:fs';
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { promisify } from 'node:util';
import { Failure, unreadableInputError } from '../../../failure.js';

/** An input that can be read more than once; standard input is spooled to a temporary file. */
export type ReplayableInput = ReturnType<typeof inputFromHandle>;

export const stdinName = 'standard input';

export interface ReplayableInputOptions {
  /** Where the input is spooled. */
  readonly directory: string;
  readonly makeDirectory: (path: string) => void;
  /** Makes the name of the temporary file unique among live processes. */
  readonly id: string;
  readonly stdin: () => AsyncIterable<Uint8Array>;
  readonly signal: AbortSignal;
}

/** Opens a file, or standard input for `-`. Spools pipes, which can be read only once, to a temporary file. */
export async function openReplayableInput(path: string, options: ReplayableInputOptions): Promise<ReplayableInput> {
  const name = path === '-' ? stdinName : path;
  try {
    const { file, isSpooled } = await openHandle(path, options);
    const isStream = isSpooled || descriptorPath.test(path);
    return inputFromHandle(file, { name, isStream }, options.signal);
  } catch (error) {
    throw toReadFailure(error, name, options.signal);
  }
}

/** Paths of open files, such as `/dev/fd/63`. Even if the file is regular, another command has another one there. */
const descriptorPath = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/(?:self|\d+)\/fd\/\d+)$/;

interface OpenInput {
  readonly file: FileHandle;
  readonly isSpooled: boolean;
}

async function openHandle(path: string, options: ReplayableInputOptions): Promise<OpenInput> {
  if (path === '-') return spoolToTempFile(options.stdin(), options);
  if ((await stat(path)).isFIFO()) return spoolToTempFile(readFifo(path, options.signal), options);
  const file = await open(path, 'r');
  const stats = await file.stat();
  if (stats.isFile()) return { file, isSpooled: false };
  if (stats.isDirectory()) {
    await file.close();
    throw Object.assign(new Error(), { code: 'EISDIR' });
  }
  return spoolToTempFile(file.createReadStream({ signal: options.signal }), options);
}

/** Reads a FIFO. A canceled command must wait neither for a writer nor for data, since both block threads of Node.js. */
async function* readFifo(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const fd = await openFifo(path, signal);
  // In an executable compiled by Bun, a socket never gets the data of a FIFO.
  const { Bun: bun } = globalThis as { readonly Bun?: { file(fd: number): Blob } };
  if (bun) yield* Readable.fromWeb(bun.file(fd).stream() as ReadableStream, { signal });
  else yield* new Socket({ fd, readable: true, writable: false, signal });
}

async function openFifo(path: string, signal: AbortSignal): Promise<number> {
  let timer: NodeJS.Timeout | undefined;
  // Opening the FIFO for writing ends a pending open. That fails until the open has started, so it is repeated.
  const endOpen = () => {
    timer = setInterval(() => {
      try {
        closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
      } catch {}
    }, 5);
  };
  signal.throwIfAborted();
  signal.addEventListener('abort', endOpen, { once: true });
  try {
    return await promisify(openFile)(path, 'r');
  } finally {
    signal.removeEventListener('abort', endOpen);
    clearInterval(timer);
  }
}

async function spoolToTempFile(
  chunks: AsyncIterable<Uint8Array>,
  { directory, makeDirectory, id }: ReplayableInputOptions,
): Promise<OpenInput> {
  const path = join(directory, `input-${id}.tmp`);
  const file = await mapSpoolErrors(path, async () => {
    makeDirectory(directory);
    // A crashed process with the same id may have left a file.
    await rm(path, { force: true });
    return open(path, 'wx+', 0o600);
  });
  // Unlinks the open file, so that no crash leaves it behind; Windows does not allow that.
  await rm(path, { force: true }).catch(() => {});
  try {
    for await (const chunk of chunks) await mapSpoolErrors(path, () => file.writeFile(chunk));
  } catch (error) {
    await file.close();
    throw error;
  }
  return { file, isSpooled: true };
}

async function mapSpoolErrors<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Failure('system', {
      code: 'cannot_write',
      message: `cannot save a copy of the input to ${path} (${(error as NodeJS.ErrnoException).code})`,
      hint: 'free some disk space, or import a regular file',
      cause: error,
    });
  }
}

interface InputDescription {
  readonly name: string;
  readonly isStream: boolean;
}

function inputFromHandle(file: FileHandle, { name, isStream }: InputDescription, signal: AbortSignal) {
  let digest: string | undefined;
  let first: { size: number; mtimeMs: number } | undefined;
  return {
    /** The path, or `standard input`. */
    name,
    /** True if the name does not identify the content: it is that of a pipe, or of a file that is open in the shell. */
    isStream,
    /** Reads from the start; throws a usage error if the input is unreadable or changed since the first read. */
    async *read() {
      try {
        first ??= await file.stat();
        const hash = createHash('sha256');
        for (let position = 0; ; ) {
          signal.throwIfAborted();
          const buffer = Buffer.allocUnsafe(chunkSize);
          const { bytesRead } = await file.read(buffer, 0, chunkSize, position);
          const { size, mtimeMs } = await file.stat();
          if (size !== first.size || mtimeMs !== first.mtimeMs) throw changedInputError(name);
          if (bytesRead === 0) break;
          position += bytesRead;
          const chunk = buffer.subarray(0, bytesRead);
          if (digest === undefined) hash.update(chunk);
          yield chunk;
        }
        digest ??= hash.digest('hex');
      } catch (error) {
        throw toReadFailure(error, name, signal);
      }
    },
    /** SHA-256 in hexadecimal digits; available after the first complete read. */
    get digest() {
      if (digest === undefined) throw new Error(`${name} has not been read completely`);
      return digest;
    },
    /** Returns whether the path names this file, directly or through links. */
    isAt: async (path: string) => {
      const [own, other] = await Promise.all([file.stat(), stat(path).catch(() => undefined)]);
      return own.ino === other?.ino && own.dev === other.dev;
    },
    close: () => file.close(),
  };
}

const chunkSize = 8_192;

function changedInputError(name: string): Failure {
  return new Failure('usage', {
    code: 'changed_input',
    message: `${name} changed during the import`,
    hint: 'restore the file and run the same command to resume, or import the changed file from the start',
  });
}

function toReadFailure(error: unknown, name: string, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof Failure || code === undefined) return error;
  return unreadableInputError(name, code);
}
