import { createReadStream } from 'node:fs';
import { type AbortSignalLike, toAbortSignal } from '../contract/abort.js';
import { Failure } from '../ports/failure.js';
import type { Input } from '../ports/terminal.js';
import { unreadable } from './unreadable.js';

/** The bytes of a file, or of standard input for `-`. Fails (usage) where they cannot be had. */
export async function readInput(
  path: string,
  limit: number,
  stdin: () => Input,
  signal: AbortSignalLike,
): Promise<Uint8Array> {
  if (path === '-') return stdin().read(limit, signal);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of createReadStream(path, { signal: toAbortSignal(signal) })) {
      chunks.push(chunk as Uint8Array);
      size += (chunk as Uint8Array).length;
      if (size > limit) throw unreadable(path, `it holds more than ${limit} bytes`);
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof Failure) throw error;
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw unreadable(path, code);
  }
  return Buffer.concat(chunks);
}
