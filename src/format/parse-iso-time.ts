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
