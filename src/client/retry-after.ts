import { parseHttpDate } from './http-date.js';

/**
 * When to try again, in milliseconds since the Unix epoch, from a `Retry-After` header (RFC 9110 §10.2.3):
 * whole seconds, or a date in the preferred form. `undefined` for anything else.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^[0-9]{1,12}$/.test(text)) return now + Number(text) * 1000;
  return parseHttpDate(text);
}
