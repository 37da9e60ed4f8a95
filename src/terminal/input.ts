import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';

import { unreadableInputError, usageError } from '../failure.js';

/** A source of bytes: standard input. */
export interface Input {
  readonly isTerminal: boolean;
  /** Reads everything, in bytes. Throws a usage failure past `maxBytes`, and the reason of the signal. */
  read(maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  /** Reads without a limit, chunk by chunk. */
  chunks(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

export function openInput(stream: Readable & { readonly isTTY?: boolean }): Input {
  const chunks = (signal: AbortSignal) => readChunks(stream, signal, unreadableInput);
  return {
    isTerminal: stream.isTTY === true,
    chunks,
    read: (maxBytes, signal) => collectBytes(chunks(signal), maxBytes, unreadableInput),
  };
}

/** Returns the bytes of a file, or of standard input for `-`. Throws a usage failure if that is not possible. */
export async function readInput(
  path: string,
  maxBytes: number,
  openStdin: () => Input,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (path === '-') return openStdin().read(maxBytes, signal);
  const toFailure = (reason: string) => unreadableInputError(path, reason);
  return collectBytes(readChunks(createReadStream(path), signal, toFailure), maxBytes, toFailure);
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
  toFailure: (reason: string) => Error,
): Promise<Uint8Array> {
  const collected: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    collected.push(chunk);
    size += chunk.length;
    if (size > maxBytes) throw toFailure(`larger than ${maxBytes} bytes`);
  }
  return Buffer.concat(collected);
}

function unreadableInput(reason: string) {
  return usageError('unreadable_input', `cannot read standard input: ${reason}`);
}
