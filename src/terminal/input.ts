import { constants, createReadStream, openSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';

import { unreadableInputError, usageError } from '../failure.js';

/** A source of bytes: standard input. */
export interface Input {
  readonly isTerminal: boolean;
  /** Reads everything, in bytes. Throws a usage failure past `maxBytes`, and the reason of the signal. */
  read(maxBytes: number, signal: AbortSignal, tooLargeHint?: string): Promise<Uint8Array>;
}

/** Returns standard input, whose stream is opened on first use. */
export function openInput(openStream: () => Readable & { readonly isTTY?: boolean }): Input {
  return {
    get isTerminal() {
      return openStream().isTTY === true;
    },
    read: (maxBytes, signal, tooLargeHint) =>
      collectBytes(readChunks(openStream(), signal, unreadableInput), maxBytes, unreadableInput, tooLargeHint),
  };
}

/** Returns the bytes of a file, or of standard input for `-`. Throws a usage failure if that is not possible. */
export async function readInput(
  path: string,
  maxBytes: number,
  openStdin: () => Input,
  signal: AbortSignal,
  tooLargeHint?: string,
): Promise<Uint8Array> {
  if (path === '-') return openStdin().read(maxBytes, signal, tooLargeHint);
  const toFailure = (reason: string, hint?: string) => unreadableInputError(path, reason, hint);
  return collectBytes(readChunks(await openStream(path), signal, toFailure), maxBytes, toFailure, tooLargeHint);
}

/**
 * Opens a file. A read of a FIFO would block a thread of Node.js until data arrives, and with it the exit of the process, so
 * that a FIFO is opened without blocking. Bun reads no FIFO as a socket.
 */
async function openStream(path: string): Promise<Readable> {
  const isFifo = !('Bun' in globalThis) && statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
  if (!isFifo) return createReadStream(path);
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  // Loaded late: it takes 6 % of every command.
  const { Socket } = await import('node:net');
  return new Socket({ fd, readable: true, writable: false });
}

async function* readChunks(
  stream: Readable,
  signal: AbortSignal,
  toFailure: (reason: string) => Error,
): AsyncGenerator<Uint8Array> {
  const onAbort = () => stream.destroy(signal.reason as Error);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    signal.throwIfAborted();
    throw toFailure((error as NodeJS.ErrnoException).code ?? 'unknown error');
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function collectBytes(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  toFailure: (reason: string, hint?: string) => Error,
  tooLargeHint?: string,
): Promise<Uint8Array> {
  const collected: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    collected.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw toFailure(`larger than ${maxBytes} bytes`, tooLargeHint);
  }
  return Buffer.concat(collected);
}

function unreadableInput(reason: string, hint?: string) {
  return usageError('unreadable_input', `cannot read standard input: ${reason}`, hint);
}
