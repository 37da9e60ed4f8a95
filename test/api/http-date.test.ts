import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseHttpDate } from '../../src/api/http-date.js';

const now = Date.UTC(2026, 10, 21, 12);
const names = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The three formats of RFC 9110 §5.6.7, from their grammar. */
const formats = {
  'IMF-fixdate': (date: Date) => date.toUTCString(),
  'RFC 850 format': (date: Date) => {
    const [, day, month, year, time] = date.toUTCString().split(' ') as string[];
    return `${names[date.getUTCDay()]}, ${day}-${month}-${year?.slice(2)} ${time} GMT`;
  },
  'asctime format': (date: Date) => {
    const [weekday, day, month, year, time] = date.toUTCString().replace(',', '').split(' ');
    return `${weekday} ${month} ${day?.replace(/^0/, ' ')} ${time} ${year}`;
  },
};

test.each(Object.entries(formats))('parses every date in %s', (_, format) => {
  const dates = fc.date({
    min: new Date(Date.UTC(1977, 0, 1)),
    max: new Date(Date.UTC(2076, 11, 31, 23, 59, 59)),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(dates, (date) => {
      const seconds = Math.floor(date.getTime() / 1000) * 1000;
      expect(parseHttpDate(format(date), now)).toBe(seconds);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['  Sun, 06 Nov 1994 08:49:37 GMT ', Date.UTC(1994, 10, 6, 8, 49, 37)],
  ['Thu, 29 Feb 2024 00:00:00 GMT', Date.UTC(2024, 1, 29)],
  ['Thursday, 01-Jan-76 00:00:00 GMT', Date.UTC(2076, 0, 1)],
  ['Saturday, 01-Jan-77 00:00:00 GMT', Date.UTC(1977, 0, 1)],
])('parses %j', (text, time) => {
  expect(parseHttpDate(text, now)).toBe(time);
});

test.each([
  undefined,
  '',
  'Sat, 21 Nov 2026 12:00:42 UTC',
  'Saturday, 21 Nov 2026 12:00:42 GMT',
  'Sat, 31 Nov 2026 12:00:42 GMT',
  'Sun, 29 Feb 2026 12:00:42 GMT',
  'Sat, 21 Nov 2026 24:00:00 GMT',
  'Sat, 21 Nov 2026 12:00:61 GMT',
  'Sat, 21 Nov 2026 12:00:42 GMT, Sat, 21 Nov 2026 12:00:43 GMT',
  '2026-11-21T12:00:42Z',
])('rejects %j', (text) => {
  expect(parseHttpDate(text, now)).toBeUndefined();
});
