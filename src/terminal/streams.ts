import { fstatSync, statSync, writeSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { Failure } from '../failure.js';
import type { Input, Output } from './terminal-types.js';

/** A stream to a terminal, as Node.js has it; off a terminal `isTTY` and `columns` are missing. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export interface OutputOptions {
  /** Columns by decree (`COLUMNS`), for a terminal. */
  readonly columns?: number | undefined;
  /** Trouble with a result fails (system); trouble with a notice does not. */
  readonly essential?: boolean;
  readonly filter?: (text: string) => string;
}

/**
 * An output on a file descriptor. A pipe or a file is written to directly, since Node.js's streams cost a
 * short command as much as all else that it does; terminals, and pipes that do not block, get the stream.
 */
export function openDescriptor(
  descriptor: number,
  stream: () => OutputStream,
  options: OutputOptions = {},
): Output {
  if (mayBeTerminal(descriptor)) return openOutput(stream(), options);
  let fallback: Write | undefined;
  return guarded(options, {
    isTerminal: false,
    columns: () => undefined,
    write: async (bytes) => {
      if (fallback) return fallback(bytes);
      let rest = bytes;
      try {
        while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
        fallback = writerOf(stream());
        await fallback(rest);
      }
    },
  });
}

/** An output on a stream; resolves each write once the stream has taken it. */
export function openOutput(stream: OutputStream, options: OutputOptions = {}): Output {
  return guarded(options, {
    isTerminal: stream.isTTY === true,
    columns: () => (stream.isTTY ? (options.columns ?? (stream.columns || 80)) : undefined),
    write: writerOf(stream),
  });
}

/** Reads a stream to its end. */
export function openInput(stream: Readable & { readonly isTTY?: boolean }): Input {
  const chunks = async function* (signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const stop = () => stream.destroy(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const chunk of stream) yield chunk as Uint8Array;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw unreadable((error as NodeJS.ErrnoException).code ?? 'unknown reason');
    } finally {
      signal.removeEventListener('abort', stop);
    }
  };
  return {
    isTerminal: stream.isTTY === true,
    chunks,
    read: async (limit, signal) => {
      const read: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of chunks(signal)) {
        read.push(chunk);
        size += chunk.length;
        if (size > limit) throw unreadable(`it holds more than ${limit} bytes`);
      }
      return Buffer.concat(read);
    },
  };
}

type Write = (bytes: Uint8Array) => Promise<void>;

/** A reader that is gone closes the output quietly; other trouble is told once, if it matters. */
function guarded(
  { essential = true, filter = (text) => text }: OutputOptions,
  {
    isTerminal,
    columns,
    write,
  }: {
    readonly isTerminal: boolean;
    readonly columns: () => number | undefined;
    readonly write: Write;
  },
): Output {
  let closed = false;
  return {
    isTerminal,
    get columns() {
      return columns();
    },
    get closed() {
      return closed;
    },
    write: async (content) => {
      if (closed || content.length === 0) return;
      try {
        await write(typeof content === 'string' ? Buffer.from(filter(content)) : content);
      } catch (error) {
        closed = true;
        const { code } = error as NodeJS.ErrnoException;
        if (essential && code !== 'EPIPE' && code !== 'ECONNRESET') throw unwritable(code);
      }
    },
  };
}

function writerOf(stream: OutputStream): Write {
  let trouble: Error | undefined;
  stream.on('error', (error) => {
    trouble ??= error;
  });
  return (bytes) =>
    new Promise((resolve, reject) => {
      // A stream that died while nothing was written says only that it is destroyed, not why.
      stream.write(bytes, (error) => (error ? reject(trouble ?? error) : resolve()));
    });
}

/** Only a character device can be a terminal; asking the terminal library itself is what costs. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    return stats.isCharacterDevice() && !isNull(stats.rdev);
  } catch {
    return false;
  }
}

/** Scripts send what they do not want there, and it is the one other device that is common where it has that name. */
function isNull(device: number): boolean {
  try {
    return statSync('/dev/null').rdev === device;
  } catch {
    return false;
  }
}

function unwritable(code = 'unknown reason'): Failure {
  return new Failure('system', {
    code: 'unwritable_output',
    message: `the result cannot be written (${code})`,
    hint: code === 'ENOSPC' ? 'make room on the disk' : undefined,
  });
}

function unreadable(reason: string): Failure {
  return new Failure('usage', {
    code: 'unreadable_input',
    message: `standard input cannot be read: ${reason}`,
  });
}
