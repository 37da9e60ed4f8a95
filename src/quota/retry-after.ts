import type { Headers } from '../api/http.js';
import { parseHttpDate } from '../api/http-date.js';

/** What a time without a unit, or of another clock, is read by; all in milliseconds. */
export interface Moment {
  /** When the answer came, since the Unix epoch, by our clock. */
  readonly now: number;
  /** How far the service's clock is ahead of ours. */
  readonly skew?: number;
  /** By how much later a time by the service's clock may be. */
  readonly doubt?: number;
  /** When the window resets, by our clock. */
  readonly resetAt?: number | undefined;
}

/**
 * When to try again, in milliseconds since the Unix epoch by our clock, from `Retry-After` (RFC 9110
 * §10.2.3): seconds, or a date in any form of HTTP. The interface leaves the unit open (8.2, 5), so a large
 * number that is the reset in milliseconds, or as an epoch, is read as that. Of several values the latest
 * holds; nonsense is `undefined`. A date may lie in the past.
 */
export function parseRetryAfter(headers: Headers, moment: Moment): number | undefined {
  const header = headers['retry-after'] ?? [];
  const lines = typeof header === 'string' ? [header] : header;
  const times = lines.flatMap(valuesOf).flatMap((value) => timeOf(value, moment) ?? []);
  return times.length === 0 ? undefined : Math.min(latestTime, Math.max(...times));
}

/** The latest time that a date can hold. */
const latestTime = 8_640_000_000_000_000;

/** The values of a line: a comma stands between two, and after the weekday of a date. */
function valuesOf(line: string): readonly string[] {
  return line.split(/(?<!day|Mon|Tue|Wed|Thu|Fri|Sat|Sun),/).map((value) => value.trim());
}

function timeOf(value: string, moment: Moment): number | undefined {
  const { now, skew = 0, doubt = 0 } = moment;
  if (/^[0-9]+$/.test(value)) return timeOfNumber(Number(value), moment);
  const date = parseHttpDate(value, now + skew);
  return date === undefined ? undefined : date - skew + doubt;
}

function timeOfNumber(number: number, { now, skew = 0, doubt = 0, resetAt }: Moment): number {
  const seconds = now + number * 1000;
  const isReset = (time: number) => resetAt !== undefined && Math.abs(time - resetAt) <= 2_000;
  if (number < 1_000 || isReset(seconds)) return seconds;
  const [inMilliseconds, asSeconds, asMilliseconds] = [
    now + number,
    number * 1000 - skew,
    number - skew,
  ];
  if (isReset(inMilliseconds)) return inMilliseconds;
  const isEpoch = (least: number) => number >= least && number < least * 10;
  if (isReset(asSeconds) || isEpoch(firstEpoch)) return asSeconds + doubt;
  if (isReset(asMilliseconds) || isEpoch(firstEpoch * 1000)) return asMilliseconds + doubt;
  return seconds;
}

/** From here on seconds are a time of this century, from September 2001 to November 2286, and not a wait. */
const firstEpoch = 1_000_000_000;
