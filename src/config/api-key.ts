import { closeSync, openSync, readSync } from 'node:fs';
import { Failure, usageError } from '../failure.js';
import { Secret } from './secret.js';

/**
 * Checks the shape of an API key as it was typed, pasted or piped: white space around it is taken off,
 * and what is left must be a bearer token (RFC 6750 §2.1). The message never repeats it. `source` names
 * where it came from.
 */
export function parseApiKey(text: string, source: string): Secret {
  const key = text.trim();
  if (key === '') {
    throw new Failure('auth', { code: 'no_key', message: `${source} holds no API key` });
  }
  if (key.length <= 1_000 && /^[A-Za-z0-9._~+/-]+=*$/.test(key)) return new Secret(key);
  if (/^bearer\s/i.test(key)) {
    throw invalidApiKey(
      `${source} starts with "Bearer"`,
      'give the API key alone, without "Bearer"',
    );
  }
  throw invalidApiKey(
    `${source} is no API key: it must be 1 to 1000 letters, digits and -._~+/ in one line`,
    'copy the key again, without anything around it',
  );
}

/** Reads a key from a file; `source` names the flag or variable that told the path. */
export function readApiKeyFile(path: string, source: string): Secret {
  const start = Buffer.alloc(maxFileBytes + 1);
  let length: number;
  try {
    const file = openSync(path, 'r');
    try {
      length = readUpTo(file, start);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw usageError(
      'unreadable_key_file',
      `the file of ${source} cannot be read (${(error as NodeJS.ErrnoException).code})`,
      'check its path and its permissions',
    );
  }
  return parseApiKey(start.toString('utf8', 0, length), `the file of ${source}`);
}

/** Reads to the end, or until the buffer is full: a file without end does not keep petstore waiting. */
function readUpTo(file: number, buffer: Buffer): number {
  let length = 0;
  while (length < buffer.length) {
    const read = readSync(file, buffer, length, buffer.length - length, null);
    if (read === 0) break;
    length += read;
  }
  return length;
}

const maxFileBytes = 4_096;

function invalidApiKey(message: string, hint: string): Failure {
  return usageError('invalid_key', message, hint);
}
