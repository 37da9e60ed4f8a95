import { readFileSync, statSync } from 'node:fs';
import { Failure, usageError } from '../failure.js';
import { toUtf8 } from '../format/decode-text.js';
import { checkOthersCannotWrite } from './files.js';
import { Secret } from './secret.js';

/**
 * Returns the API key in a text that was typed, pasted or piped, without surrounding white space. Throws unless
 * it is a bearer token (RFC 6750 §2.1). The message names `source` and never contains the text.
 */
export function parseApiKey(text: string, source: string): Secret {
  const key = text.trim();
  if (key === '') throw new Failure('auth', { code: 'no_key', message: `${source} does not contain an API key` });
  if (key.length <= 1_000 && /^[A-Za-z0-9._~+/-]+=*$/.test(key)) return new Secret(key);
  throw usageError(
    'invalid_key',
    `${source} is not an API key: expected 1 to 1000 letters, digits and -._~+/ on one line`,
    'copy the API key again, without "Bearer", quotes or spaces',
  );
}

/**
 * Returns the API key in a file, which others must not be able to write. `source` names the flag or variable with the path;
 * on Windows, which has no file modes, `userId` is undefined.
 */
export function readApiKeyFile(path: string, source: string, userId: number | undefined): Secret {
  const subject = `the file in ${source}`;
  try {
    const stats = statSync(path);
    // Devices such as terminals are writable by a group.
    if (userId !== undefined && stats.isFile()) checkOthersCannotWrite(stats, subject);
    // Windows programs write UTF-16 with a byte order mark, such as the operator `>` of PowerShell 5.1.
    const text = new TextDecoder().decode(toUtf8(readFileSync(path)));
    return parseApiKey(text, subject);
  } catch (error) {
    if (error instanceof Failure) throw error;
    const message = `cannot read ${subject} (${(error as NodeJS.ErrnoException).code})`;
    throw usageError('unreadable_input', message, 'check the path and the file permissions');
  }
}
