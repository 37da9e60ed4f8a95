import { type Headers, headerOf } from '../api/http.js';
import { parseHttpDate } from '../api/http-date.js';
import { formatDaysUntil } from '../format/duration.js';

/**
 * What a service says of an operation's end: `Deprecation` (RFC 9745, a Unix time after `@`) and `Sunset`
 * (RFC 8594, a date), in one sentence; nothing where neither is there. What is malformed is ignored.
 * `now` in milliseconds since the Unix epoch.
 */
export function deprecationNotice(headers: Headers, now: number): string | undefined {
  const since = parseDeprecation(headerOf(headers, 'deprecation'));
  const sunset = parseHttpDate(headerOf(headers, 'sunset'), now);
  if (since === undefined && sunset === undefined) return undefined;
  const marked =
    since === undefined || since <= now
      ? 'the service marks this operation as deprecated'
      : `the service deprecates this operation on ${dateOf(since)}`;
  if (sunset === undefined) return marked;
  const end =
    sunset > now
      ? `it will be removed on ${dateOf(sunset)}, ${formatDaysUntil(sunset - now)}`
      : `it was to be removed on ${dateOf(sunset)}`;
  return `${marked}; ${end}`;
}

/** The day of `Sunset`, where it is a date. */
export function sunsetDate(headers: Headers, now: number): string | undefined {
  const sunset = parseHttpDate(headerOf(headers, 'sunset'), now);
  return sunset === undefined ? undefined : dateOf(sunset);
}

const latestSecond = 8_640_000_000_000;

function parseDeprecation(header: string | undefined): number | undefined {
  const seconds = /^@(\d{1,13})$/.exec(header?.trim() ?? '')?.[1];
  if (seconds === undefined || Number(seconds) > latestSecond) return undefined;
  return Number(seconds) * 1000;
}

/** The day of a time in milliseconds since the Unix epoch, by UTC: `2030-12-05`. */
export function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
