const weekdays = ['Mon', 'Tues', 'Wednes', 'Thurs', 'Fri', 'Satur', 'Sun'].map(
  (name) => `${name}day`,
);
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** IMF-fixdate, RFC 850, asctime. Names are checked later: compiling them into the expressions takes 1 % of `pets list`. */
const formats = [
  /^(?<weekday>\w{3}), (?<day>\d\d) (?<month>\w{3}) (?<year>\d{4}) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) GMT$/,
  /^(?<weekday>\w{6,}), (?<day>\d\d)-(?<month>\w{3})-(?<year>\d\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) GMT$/,
  /^(?<weekday>\w{3}) (?<month>\w{3}) (?<day>[ \d]\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d) (?<year>\d{4})$/,
];

/**
 * Parses a date in any of the three formats of HTTP (RFC 9110 §5.6.7). Returns milliseconds since the Unix epoch, or
 * undefined if the date is invalid. A year of two digits is at most 50 years after `now`.
 */
export function parseHttpDate(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  for (const format of formats) {
    const groups = format.exec(text)?.groups;
    if (groups) return toTime(groups, now);
  }
  return undefined;
}

function toTime(groups: Readonly<Record<string, string>>, now: number): number | undefined {
  const [day, hour, minute, second] = ['day', 'hour', 'minute', 'second'].map((name) =>
    Number(groups[name]),
  ) as [number, number, number, number];
  const monthIndex = months.indexOf(groups.month ?? '');
  const year = groups.year ?? '';
  const date = new Date(0);
  date.setUTCFullYear(
    year.length === 2 ? expandYear(Number(year), now) : Number(year),
    monthIndex,
    day,
  );
  const { weekday = '' } = groups;
  const isWeekday = weekdays.some((name) => name === weekday || name.slice(0, 3) === weekday);
  const isInMonth = date.getUTCMonth() === monthIndex && date.getUTCDate() === day;
  // The second 60 is a leap second.
  if (!isWeekday || !isInMonth || hour > 23 || minute > 59 || second > 60) return undefined;
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
}

function expandYear(digits: number, now: number): number {
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + digits;
  return year > thisYear + 50 ? year - 100 : year;
}
