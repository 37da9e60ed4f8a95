import { getHeader, type HttpHeaders } from '../api/http.js';
import { parseHttpDate } from '../api/http-date.js';
import { formatDaysUntil } from '../format/duration.js';

/**
 * Describes `Deprecation` (RFC 9745: `@` and a Unix time) and `Sunset` (RFC 8594: a date) in one sentence. Returns
 * nothing if neither is present; ignores malformed values. `now` is in milliseconds since the Unix epoch.
 */
export function formatDeprecationNotice(headers: HttpHeaders, now: number): string | undefined {
  const since = parseDeprecation(getHeader(headers, 'deprecation'));
  const sunset = parseHttpDate(getHeader(headers, 'sunset'), now);
  if (since === undefined && sunset === undefined) return undefined;
  const deprecated =
    since === undefined || since <= now
      ? 'the service marks this operation as deprecated'
      : `the service deprecates this operation on ${formatUtcDate(since)}`;
  if (sunset === undefined) return deprecated;
  const removal =
    sunset > now
      ? `it will be removed on ${formatUtcDate(sunset)}, ${formatDaysUntil(sunset - now)}`
      : `it was to be removed on ${formatUtcDate(sunset)}`;
  return `${deprecated}; ${removal}`;
}

/** Returns the date in `Sunset`, if it is valid: `2030-12-05`. */
export function formatSunsetDate(headers: HttpHeaders, now: number): string | undefined {
  const sunset = parseHttpDate(getHeader(headers, 'sunset'), now);
  return sunset === undefined ? undefined : formatUtcDate(sunset);
}

/** The latest time that a `Date` can hold. */
const maxUnixSeconds = 8_640_000_000_000;

function parseDeprecation(header: string | undefined): number | undefined {
  const seconds = /^@(\d{1,13})$/.exec(header?.trim() ?? '')?.[1];
  if (seconds === undefined || Number(seconds) > maxUnixSeconds) return undefined;
  return Number(seconds) * 1000;
}

/** Formats milliseconds since the Unix epoch as a UTC date: `2030-12-05`. */
export function formatUtcDate(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
