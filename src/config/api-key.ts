import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { Failure, usageError } from '../failure.js';
import { toUtf8 } from '../format/decode-text.js';
import { checkOthersCannotWrite } from './files.js';
import { Secret } from './secret.js';

/**
 * Returns the API key in a text that was typed, pasted or piped, without surrounding white space. Throws unless
 * it is a bearer token (RFC 6750 §2.1). The message names `source` and never contains the text. `emptyHint` is the hint for
 * an empty text.
 */
export function parseApiKey(text: string, source: string, emptyHint?: string): Secret {
  const key = text.trim();
  if (key === '') {
    throw new Failure('auth', { code: 'no_key', message: `${source} does not contain an API key`, hint: emptyHint });
  }
  if (key.length <= 1_000 && /^[A-Za-z0-9._~+/-]+=*$/.test(key)) return new Secret(key);
  if (/^bearer\s/i.test(key)) {
    const message = `${source} starts with "Bearer"`;
    throw usageError('invalid_key', message, 'remove "Bearer" from the API key');
  }
  throw usageError(
    'invalid_key',
    `${source} is not an API key: expected 1 to 1000 letters, digits and -._~+/ on one line`,
    'copy the API key again, without quotes or spaces',
  );
}

/**
 * Returns the API key in a file of at most 4,096 bytes, which others must not be able to write. `source` names the flag or
 * variable with the path; on Windows, which has no file modes, `userId` is undefined.
 */
export function readApiKeyFile(path: string, source: string, userId: number | undefined): Secret {
  const subject = `the file in ${source}`;
  const hasModes = userId !== undefined;
  return parseApiKey(readKeyFile(path, source, hasModes), subject, 'write the API key to the file');
}

function readKeyFile(path: string, source: string, hasModes: boolean): string {
  try {
    const content = readStart(path, (stats) => {
      if (hasModes && stats.isFile()) checkOthersCannotWrite(stats, `the file in ${source}`);
    });
    if (content !== undefined) return content;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw usageError(
      'unreadable_input',
      `cannot read the file in ${source} (${(error as NodeJS.ErrnoException).code})`,
      'check the path and the file permissions',
    );
  }
  throw usageError('unreadable_input', `the file in ${source} has more than 4,096 bytes`, 'check the path');
}

/** Returns undefined if there are more than 4,096 bytes: the path may be an endless device. */
function readStart(path: string, check: (stats: Stats) => void): string | undefined {
  const buffer = Buffer.alloc(4_097);
  const file = openSync(path, 'r');
  try {
    check(fstatSync(file));
    let length = 0;
    while (length < buffer.length) {
      const bytesRead = readSync(file, buffer, length, buffer.length - length, null);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length === buffer.length) return undefined;
    // Windows programs write UTF-16 with a byte order mark, such as the operator `>` of PowerShell 5.1.
    return Buffer.from(toUtf8(buffer.subarray(0, length))).toString('utf8');
  } finally {
    closeSync(file);
  }
}
