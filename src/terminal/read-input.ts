import { createReadStream } from 'node:fs';
import { Failure, unreadableInputError } from '../failure.js';
import type { Input } from './terminal-types.js';

/** The bytes of a file, or of standard input for `-`. Fails (usage) where they cannot be had. */
export async function readInput(
  path: string,
  limit: number,
  stdin: () => Input,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (path === '-') return stdin().read(limit, signal);
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of createReadStream(path, { signal: signal })) {
      chunks.push(chunk as Uint8Array);
      size += (chunk as Uint8Array).length;
      if (size > limit) throw unreadableInputError(path, `it holds more than ${limit} bytes`);
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof Failure) throw error;
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    throw unreadableInputError(path, code);
  }
  return Buffer.concat(chunks);
}
