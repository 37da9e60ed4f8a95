/**
 * When to try again, in milliseconds since the Unix epoch, from a `Retry-After` header (RFC 9110 §10.2.3):
 * whole seconds, or a date in the preferred form. `undefined` for anything else.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^[0-9]{1,12}$/.test(text)) return now + Number(text) * 1000;
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text))
    return undefined;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date;
}
