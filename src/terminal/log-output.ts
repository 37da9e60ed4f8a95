import { constants, openSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

export interface LogOptions {
  /** Returns the line that replaces lines that were dropped. */
  readonly formatDropped: (count: number) => string;
}

interface LogTarget extends LogOptions {
  /** Calls the function when the process ends: the last lines are not written yet. */
  readonly atExit: (flush: () => void) => void;
  /** Opens the stream of Node.js on the descriptor, which never blocks on a socket. */
  readonly openStream: () => Writable;
}

/** About five thousand lines. */
const maxPendingBytes = 1_048_576;
const retryMs = 20;

/**
 * Returns a function that writes a line to a descriptor, or drops the line if the reader lags behind. Writing to a full
 * pipe or a stopped terminal would stop the server, so the descriptor is opened again without blocking, which leaves the
 * mode of the one that other processes share. A socket cannot be opened again, and gets the stream of Node.js.
 */
export function openLogOutput(
  descriptor: number,
  { formatDropped, atExit, openStream }: LogTarget,
): (line: string) => void {
  const target = reopen(descriptor);
  const stream = target === undefined ? openStream().on('error', () => {}) : undefined;
  let pending: Uint8Array = new Uint8Array();
  const countPendingBytes = () => stream?.writableLength ?? pending.length;
  let lines = '';
  let droppedCount = 0;
  let isFlushDue = false;
  const flush = () => {
    isFlushDue = false;
    if (droppedCount > 0 && countPendingBytes() < maxPendingBytes / 2) {
      lines += `${formatDropped(droppedCount)}\n`;
      droppedCount = 0;
    }
    if (stream && lines !== '') stream.write(lines);
    else if (lines !== '') pending = Buffer.concat([pending, Buffer.from(lines)]);
    lines = '';
    try {
      while (pending.length > 0) pending = pending.subarray(writeSync(target as number, pending));
    } catch (error) {
      // A closed pipe takes no more lines.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') pending = new Uint8Array();
    }
    if (pending.length > 0 || droppedCount > 0) {
      isFlushDue = true;
      setTimeout(flush, retryMs).unref();
    }
  };
  atExit(flush);
  return (line) => {
    if (droppedCount > 0 || countPendingBytes() + lines.length > maxPendingBytes) droppedCount += 1;
    else lines += `${line}\n`;
    // One write per turn: a write for each request adds 10 % to the CPU time of a list.
    if (!isFlushDue) setImmediate(flush);
    isFlushDue = true;
  };
}

/** Opens a pipe, file or terminal again. A socket, or a system without /proc, does not allow that. */
function reopen(descriptor: number): number | undefined {
  try {
    const { O_WRONLY, O_APPEND, O_NONBLOCK, O_NOCTTY } = constants;
    return openSync(`/proc/self/fd/${descriptor}`, O_WRONLY | O_APPEND | O_NONBLOCK | O_NOCTTY);
  } catch {
    return undefined;
  }
}
