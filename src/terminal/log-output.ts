import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

/** A destination of log lines that never waits for its reader. */
export interface LogOutput {
  /** Writes a line, or drops it if the reader has not read the lines before it. */
  writeLine(line: string): void;
}

/** Where bytes wait for the reader. */
interface LogBuffer {
  readonly pendingBytes: () => number;
  readonly append: (text: string) => void;
}

/**
 * Returns a log output on a descriptor. Writing to a full pipe would stop the process, and so would its exit while a
 * thread writes. So a pipe or terminal is opened again without blocking, which leaves the mode of the descriptor that
 * other processes share. A socket cannot be opened again, and gets the stream of Node.js, which never blocks on it.
 */
export function openLogOutput(
  descriptor: number,
  { platform, openStream }: { readonly platform: NodeJS.Platform; readonly openStream: () => Writable },
): LogOutput {
  const nonBlocking = platform === 'linux' ? reopen(descriptor) : undefined;
  const { pendingBytes, append } = nonBlocking === undefined ? bufferInStream(openStream()) : bufferOwn(nonBlocking);
  let droppedCount = 0;
  return {
    writeLine: (line) => {
      if (pendingBytes() >= maxPendingBytes) {
        droppedCount += 1;
        return;
      }
      if (droppedCount > 0) append(`dropped ${droppedCount} log lines, because nothing read them in time\n`);
      droppedCount = 0;
      append(`${line}\n`);
    },
  };
}

const maxPendingBytes = 65_536;
const retryMs = 50;

function bufferInStream(stream: Writable): LogBuffer {
  stream.on('error', () => {});
  return { pendingBytes: () => stream.writableLength, append: (text) => void stream.write(text) };
}

function bufferOwn(descriptor: number): LogBuffer {
  let pending = Buffer.alloc(0);
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    try {
      while (pending.length > 0) pending = pending.subarray(writeSync(descriptor, pending));
    } catch (error) {
      // A closed pipe takes no more lines.
      isClosed = (error as NodeJS.ErrnoException).code !== 'EAGAIN';
      if (!isClosed) timer = setTimeout(flush, retryMs).unref();
    }
  };
  return {
    pendingBytes: () => pending.length,
    append: (text) => {
      if (isClosed) return;
      pending = Buffer.concat([pending, Buffer.from(text)]);
      if (!timer) flush();
    },
  };
}

/** Opens a pipe or terminal again, without blocking; returns `undefined` for files and sockets, which need or allow none. */
function reopen(descriptor: number): number | undefined {
  try {
    if (fstatSync(descriptor).isFile()) return undefined;
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return undefined;
  }
}
