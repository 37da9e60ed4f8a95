/**
 * A date in any of the three forms of HTTP (RFC 9110 §5.6.7), in milliseconds since the Unix epoch;
 * `undefined` for anything else. `now` tells the century of a year with two digits: one that would lie more
 * than 50 years ahead is past.
 */
export function parseHttpDate(header: string | undefined, now: number): number | undefined {
  const text = header?.trim();
  if (!text) return undefined;
  for (const { form, names, read } of forms) {
    const found = form.exec(text);
    if (found && names.includes(found[1] as string)) return timeOf(read(found), now);
  }
  return undefined;
}

interface Parts {
  readonly date: string | undefined;
  readonly month: string | undefined;
  readonly year: string | undefined;
  /** `08:49:37` */
  readonly time: string | undefined;
}

const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const longDays = ['Mon', 'Tues', 'Wednes', 'Thurs', 'Fri', 'Satur', 'Sun'].map(
  (name) => `${name}day`,
);
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const dayFirst = ([, , date, month, year, time]: RegExpExecArray): Parts => ({
  date,
  month,
  year,
  time,
});

/** The names are looked up: expressions that hold them take longer to make than all else about an answer. */
const forms: readonly {
  readonly form: RegExp;
  readonly names: readonly string[];
  readonly read: (found: RegExpExecArray) => Parts;
}[] = [
  {
    form: /^(\w+), (\d\d) (\w+) (\d{4}) ([\d:]{8}) GMT$/,
    names: days,
    read: dayFirst,
  },
  {
    form: /^(\w+), (\d\d)-(\w+)-(\d\d) ([\d:]{8}) GMT$/,
    names: longDays,
    read: dayFirst,
  },
  {
    form: /^(\w+) (\w+) ([ \d]\d) ([\d:]{8}) (\d{4})$/,
    names: days,
    read: ([, , month, date, time, year]) => ({ date, month, year, time }),
  },
];

function timeOf(parts: Parts, now: number): number | undefined {
  const index = months.indexOf(parts.month ?? '');
  const clock = /^(\d\d):(\d\d):(\d\d)$/.exec(parts.time ?? '');
  if (index === -1 || !clock) return undefined;
  const [hour, minute, second] = clock.slice(1).map(Number) as [number, number, number];
  const date = Number(parts.date);
  const year = parts.year?.length === 2 ? fullYear(Number(parts.year), now) : Number(parts.year);
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
