/**
 * A date in any of the three forms of HTTP (RFC 9110 §5.6.7), in milliseconds since the Unix epoch;
 * `undefined` for anything else. `now` tells the century of a year with two digits: one that would lie more
 * than 50 years ahead is past.
 */
export function parseHttpDate(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  for (const form of forms) {
    const found = form.exec(text)?.groups;
    if (found) return timeOf(found, now);
  }
  return undefined;
}

const day = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const longDay = '(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day';
const month = '(?<month>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
const time = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';

const forms = [
  new RegExp(`^${day}, (?<day>\\d{2}) ${month} (?<year>\\d{4}) ${time} GMT$`),
  new RegExp(`^${longDay}, (?<day>\\d{2})-${month}-(?<year>\\d{2}) ${time} GMT$`),
  new RegExp(`^${day} ${month} (?<day>[ \\d]\\d) ${time} (?<year>\\d{4})$`),
];

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function timeOf(found: Readonly<Record<string, string>>, now: number): number | undefined {
  const [date, hour, minute, second] = [found.day, found.hour, found.minute, found.second].map(
    Number,
  ) as [number, number, number, number];
  const index = months.indexOf(found.month as string);
  const year = found.year?.length === 2 ? fullYear(Number(found.year), now) : Number(found.year);
  const start = new Date(0);
  start.setUTCFullYear(year, index, date);
  // A day that the month does not have; a leap second is one (RFC 9110 §5.6.7).
  const wrong = start.getUTCMonth() !== index || start.getUTCDate() !== date || date === 0;
  if (wrong || hour > 23 || minute > 59 || second > 60) return undefined;
  return start.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
}

function fullYear(digits: number, now: number): number {
  const present = new Date(now).getUTCFullYear();
  const year = present - (present % 100) + digits;
  return year > present + 50 ? year - 100 : year;
}
