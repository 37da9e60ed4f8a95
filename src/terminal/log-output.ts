import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

/** A destination of log lines that never waits for its reader. */
export interface LogOutput {
  /** Writes a line at the end of this turn of the event loop, or drops it if the reader lags behind. */
  writeLine(line: string): void;
}

export interface LogOptions {
  /** Returns the line that replaces lines that were dropped. */
  readonly formatDropped: (count: number) => string;
}

/** A log output that the exit of the process flushes. */
interface BufferedLogOutput extends LogOutput {
  /** Writes at once what the reader takes without a wait. */
  flush(): void;
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
  {
    platform,
    openStream,
    formatDropped,
  }: LogOptions & { readonly platform: NodeJS.Platform; readonly openStream: () => Writable },
): BufferedLogOutput {
  const nonBlocking = platform === 'linux' ? reopen(descriptor) : undefined;
  const { pendingBytes, append } = nonBlocking === undefined ? bufferInStream(openStream()) : bufferOwn(nonBlocking);
  // One write per turn: a write for each request adds 10 % to the CPU time of a list.
  let lines = '';
  let timer: NodeJS.Immediate | undefined;
  let droppedCount = 0;
  const flush = () => {
    clearImmediate(timer);
    timer = undefined;
    if (droppedCount > 0 && pendingBytes() <= resumeBytes) {
      lines += `${formatDropped(droppedCount)}\n`;
      droppedCount = 0;
    }
    if (lines !== '') append(lines);
    lines = '';
  };
  const checkReader = () => {
    flush();
    if (droppedCount > 0) setTimeout(checkReader, retryMs).unref();
  };
  return {
    writeLine: (line) => {
      if (droppedCount === 0 && pendingBytes() + lines.length < maxPendingBytes) {
        lines += `${line}\n`;
        timer ??= setImmediate(flush);
        return;
      }
      droppedCount += 1;
      if (droppedCount === 1) setImmediate(checkReader);
    },
    flush,
  };
}

/** About five thousand lines. */
const maxPendingBytes = 1_048_576;
/** Lines are dropped until the reader has read half: otherwise each line would follow a report of dropped ones. */
const resumeBytes = maxPendingBytes / 2;
const retryMs = 10;

function bufferInStream(stream: Writable): LogBuffer {
  stream.on('error', () => {});
  return { pendingBytes: () => stream.writableLength, append: (text) => void stream.write(text) };
}

function bufferOwn(descriptor: number): LogBuffer {
  const pending: Buffer[] = [];
  let pendingBytes = 0;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  const writeNext = (chunk: Buffer) => {
    const written = writeSync(descriptor, chunk);
    pendingBytes -= written;
    if (written === chunk.length) pending.shift();
    else pending[0] = chunk.subarray(written);
  };
  const flush = () => {
    timer = undefined;
    try {
      for (let chunk = pending[0]; chunk; chunk = pending[0]) writeNext(chunk);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') {
        timer = setTimeout(flush, retryMs).unref();
        return;
      }
      // A closed pipe takes no more lines.
      isClosed = true;
      pending.length = 0;
      pendingBytes = 0;
    }
  };
  return {
    pendingBytes: () => pendingBytes,
    append: (text) => {
      if (isClosed) return;
      const chunk = Buffer.from(text);
      pending.push(chunk);
      pendingBytes += chunk.length;
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
