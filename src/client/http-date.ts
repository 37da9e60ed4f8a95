/**
 * A date in the preferred form of HTTP (RFC 9110 §5.6.7), in milliseconds since the Unix epoch; `undefined`
 * for anything else.
 */
export function parseHttpDate(header: string | undefined): number | undefined {
  const text = header?.trim() ?? '';
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text))
    return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
