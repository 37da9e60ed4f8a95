/**
 * Parses a date in any of the three formats of HTTP (RFC 9110 §5.6.7). Returns milliseconds since the Unix epoch, or
 * undefined if the date is invalid. A year of two digits is at most 50 years after `now`.
 */
export function parseHttpDate(header: string | undefined, now: number): number | undefined {
  const text = toFixdate(header?.trim() ?? '', now);
  const time = Date.parse(text);
  if (Number.isNaN(time)) return undefined;
  // Date.parse accepts other texts, too, and reads 31 February as 3 March. A wrong weekday does no harm.
  return new Date(time).toUTCString().slice(3) === text.slice(3) ? time : undefined;
}

/** Rewrites a date in the RFC 850 or asctime format as IMF-fixdate. Returns other text unchanged. */
function toFixdate(text: string, now: number): string {
  const rfc850 = /^(\w{3})\w*day, (\d\d)-(\w{3})-(\d\d) (\S+) GMT$/.exec(text);
  if (rfc850) {
    const [, weekday, day, month, year, time] = rfc850;
    return `${weekday}, ${day} ${month} ${expandYear(Number(year), now)} ${time} GMT`;
  }
  const asctime = /^(\w{3}) (\w{3}) ([ \d]\d) (\S+) (\d{4})$/.exec(text);
  if (!asctime) return text;
  const [, weekday, month, day = '', time, year] = asctime;
  return `${weekday}, ${day.replace(' ', '0')} ${month} ${year} ${time} GMT`;
}

function expandYear(digits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + digits;
  return year > thisYear + 50 ? year - 100 : year;
}
