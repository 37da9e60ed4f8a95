import { closeSync, constants, openSync, readSync } from 'node:fs';
import { Failure, usage } from '../ports/failure.js';
import { Secret } from '../ports/secret.js';

/**
 * Checks the shape of an API key as it was typed, pasted or piped: white space around it is taken off,
 * and what is left must be a bearer token (RFC 6750 §2.1). The message never repeats it. `source` names
 * where it came from.
 */
export function parseKey(text: string, source: string): Secret {
  const key = text.trim();
  if (key === '') {
    throw new Failure('auth', { code: 'no_key', message: `${source} holds no API key` });
  }
  if (/^bearer\s/i.test(key)) {
    throw invalid(`${source} starts with "Bearer"`, 'give the API key alone, without "Bearer"');
  }
  if (key.length > 1_000 || !/^[A-Za-z0-9._~+/-]+=*$/.test(key)) {
    throw invalid(
      `${source} is no API key: it must be 1 to 1000 letters, digits and -._~+/ in one line`,
      'copy the key again, without anything around it',
    );
  }
  return new Secret(key);
}

/** Reads a key from a file; `source` names the flag or variable that told the path. */
export function keyFromFile(path: string, source: string): Secret {
  const start = Buffer.alloc(longestFile + 1);
  let length: number;
  try {
    // Neither a file without end nor a pipe without a writer keeps petstore waiting.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      length = readSync(file, start);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw usage(
      'unreadable_key_file',
      `the file of ${source} cannot be read (${(error as NodeJS.ErrnoException).code})`,
      'check its path and its permissions',
    );
  }
  return parseKey(start.toString('utf8', 0, length), `the file of ${source}`);
}

const longestFile = 4_096;

function invalid(message: string, hint: string): Failure {
  return new Failure('usage', { code: 'invalid_key', message, hint });
}
