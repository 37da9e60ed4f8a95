import { dayMs } from '../../../clock.js';
import { usageError } from '../../../failure.js';

/** Matches an API key, or most of one, in the server's format. */
export const keyPattern = /pets_[0-9a-z]{20}/i;

/** Throws a usage error for a label that does not fit on one line or that contains an API key. */
export function checkLabel(label = 'none'): void {
  const isOneLine = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,100}$/u.test(label) && /\S/.test(label);
  if (isOneLine && !keyPattern.test(label)) return;
  throw usageError(
    'invalid_flag',
    '--label must be 1 to 100 characters, not all blank, without control characters and without an API key',
    'pass a name for the API key, such as --label ci',
  );
}

/**
 * Parses when an API key expires, in milliseconds since the Unix epoch; undefined for `never`. An API key is valid through
 * the whole of a date. Throws a usage error for a time in the past.
 */
export function parseExpiry(text: string, now: number): number | undefined {
  if (text === 'never') return undefined;
  const time = parseIsoTime(text);
  if (!time) {
    throw usageError(
      'invalid_flag',
      `--expires must be a date, an RFC 3339 time or never, not "${text}"`,
      'pass a value such as --expires 2030-12-31 or --expires 2030-12-31T18:00:00Z',
    );
  }
  const expiresAt = time.isDay ? time.start + dayMs : time.start;
  if (expiresAt > now) return expiresAt;
  throw usageError(
    'invalid_flag',
    `--expires must be in the future; the API key would have expired at ${new Date(expiresAt).toISOString()}`,
    'pass a later date or time, or run petstore serve keys revoke to delete an API key',
  );
}

/** Parses the time during which both API keys of a rotation are valid, such as `30s` or `24h`, into milliseconds. */
export function parseOverlap(text: string): number {
  const [, count, unit = ''] = /^([0-9]{1,6})([smhd])$/.exec(text) ?? [];
  const unitMs = durationUnits[unit];
  if (unitMs !== undefined) return Number(count) * unitMs;
  throw usageError(
    'invalid_flag',
    `--overlap must be a number with the unit s, m, h or d, not "${text}"`,
    'pass a value such as --overlap 24h, or --overlap 0s to expire the old API key at once',
  );
}

/** In milliseconds. */
const durationUnits: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: dayMs };

/**
 * Parses an ISO 8601 date or time, UTC by default. Returns its start in milliseconds since the Unix epoch, and whether it
 * is a date; `undefined` for any other text and for times before the epoch.
 */
export function parseIsoTime(text: string): { readonly start: number; readonly isDay: boolean } | undefined {
  const [, day = '', time, zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(Z|[+-]\d{2}:\d{2})?$/.exec(text) ?? [];
  const start = Date.parse(`${day}${time ?? 'T00:00'}${zone}`);
  // Date.parse reads 31 February as 3 March.
  const isValidDay = new Date(Date.parse(`${day}T00:00Z`) || 0).toISOString().startsWith(day);
  return start >= 0 && isValidDay ? { start, isDay: time === undefined } : undefined;
}
