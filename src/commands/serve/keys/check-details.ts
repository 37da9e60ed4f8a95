import { usageError } from '../../../failure.js';
import type { Expiry } from '../flags.js';
import { looksLikeKey } from './list.js';

/** Throws a usage error for a label that does not fit on one line or that contains an API key. */
export function checkLabel(label: string | undefined): void {
  if (label === undefined) return;
  if (looksLikeKey(label))
    throw usageError(
      'invalid_flag',
      '--label must not contain an API key',
      'pass a name for the API key, such as --label ci',
    );
  if (/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,100}$/u.test(label) && /\S/.test(label)) return;
  throw usageError(
    'invalid_flag',
    '--label must be 1 to 100 characters, not all blank, without control characters',
    'pass a name for the API key, such as --label ci',
  );
}

/** Throws a usage error if an API key would expire in the past. */
export function checkExpiry(expires: Expiry | undefined, now: number): void {
  if (typeof expires !== 'number' || expires > now) return;
  throw usageError(
    'invalid_flag',
    `--expires must be in the future; the API key would have expired at ${new Date(expires).toISOString()}`,
    'pass a later date or time, or run petstore serve keys revoke to delete an API key',
  );
}
