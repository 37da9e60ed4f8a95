import { Failure } from '../ports/failure.js';
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

function invalid(message: string, hint: string): Failure {
  return new Failure('usage', { code: 'invalid_key', message, hint });
}
