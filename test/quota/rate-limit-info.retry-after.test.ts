import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRetryAfter } from '../../src/quota/rate-limit-info.js';

const now = Date.UTC(2026, 10, 21, 12);
const parse = (header: string | readonly string[] | undefined, context = {}) =>
  parseRetryAfter({ 'retry-after': header }, { now, ...context });

test.each([
  ['0', now],
  ['60', now + 60_000],
  [' 60 ', now + 60_000],
  ['007', now + 7_000],
  ['999', now + 999_000],
  ['86400', now + 86_400_000],
  ['Sat, 21 Nov 2026 12:00:42 GMT', now + 42_000],
  ['Saturday, 21-Nov-26 12:00:42 GMT', now + 42_000],
  ['Sat Nov 21 12:00:42 2026', now + 42_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', now - 3_600_000],
])('parses %j', (header, at) => {
  expect(parse(header)).toBe(at);
});

test.each([
  undefined,
  '',
  '-5',
  '+5',
  '1.5',
  '1e3',
  '0x10',
  'abc',
  'Infinity',
  '1 2',
  '١٢',
  '2026-11-21T12:00:42Z',
  'Sat, 21 Nov 2026 12:00:42',
  'Sat, 21 Nov 2026 99:00:42 GMT',
])('ignores %j', (header) => {
  expect(parse(header)).toBeUndefined();
});

test.each([
  ['in one line', '120, 60', 120],
  ['in one line, one invalid', 'abc, 60', 60],
  ['in two lines', ['60', '120'], 120],
  ['a date and seconds', 'Sat, 21 Nov 2026 12:01:00 GMT, 30', 60],
  ['seconds and a date', '90, Saturday, 21-Nov-26 12:01:00 GMT', 90],
  ['two dates', ['Sat, 21 Nov 2026 12:01:00 GMT', 'Sat Nov 21 12:00:30 2026'], 60],
])('takes the latest of several values %s', (_, header, seconds) => {
  expect(parse(header)).toBe(now + seconds * 1000);
});

const inTwoMinutes = now + 120_000;

test.each([
  ['milliseconds, if they end at the reset', '120000', inTwoMinutes, inTwoMinutes],
  ['milliseconds, if they end close to the reset', '121500', inTwoMinutes, now + 121_500],
  ['seconds, if no unit matches the reset', '123000', inTwoMinutes, now + 123_000_000],
  ['seconds, if both units match the reset', '1000', now + 1_000_000, now + 1_000_000],
  ['seconds before the reset', '90', inTwoMinutes, now + 90_000],
  ['seconds without a reset', '120000', undefined, now + 120_000_000],
  ['an epoch in seconds', '1767225600', undefined, 1_767_225_600_000],
  ['an epoch in milliseconds', '1767225600000', undefined, 1_767_225_600_000],
])('reads %s (%s)', (_, header, resetAt, at) => {
  expect(parse(header, { resetAt })).toBe(at);
});

test('reads a number as milliseconds only if they end at the reset', () => {
  const number = fc.oneof(
    fc.integer({ min: 0, max: 90_000_000 }),
    fc.integer({ min: now / 1000 - 60, max: now / 1000 + 90_000 }),
    fc.integer({ min: now - 60_000, max: now + 90_000_000 }),
  );
  fc.assert(
    fc.property(number, fc.integer({ min: -60_000, max: 90_000_000 }), (number, ahead) => {
      const resetAt = now + ahead;
      const isReset = (time: number) => Math.abs(time - resetAt) <= 2_000;
      const isEpoch = number >= 1e9;
      const at = parse(String(number), { resetAt });
      if (isEpoch) expect(at).toBe(number >= 1e12 ? number : number * 1000);
      else if (number >= 1_000 && !isReset(now + number * 1000) && isReset(now + number)) {
        expect(at).toBe(now + number);
      } else expect(at).toBe(now + number * 1000);
    }),
    { numRuns: 1_000 },
  );
});

const skewMs = 3_600_000;

test.each([
  ['converts a date', 'Sat, 21 Nov 2026 13:00:42 GMT'],
  ['converts an epoch', String((now + skewMs) / 1000 + 42)],
  ['converts an epoch in milliseconds', String(now + skewMs + 42_000)],
  ['does not convert seconds', '42'],
])('%s by the clock skew', (_, header) => {
  expect(parse(header, { skewMs })).toBe(now + 42_000);
});

test('returns only valid times, for any header', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 400 });
  const parts = fc.constantFrom('Sat', ',', ' ', '21', 'Nov', '9999', '12:00:42', 'GMT', '-', '60');
  const headers = fc.oneof(
    fc.string(),
    digits,
    fc.array(fc.oneof(fc.string(), digits)),
    fc.array(parts, { maxLength: 12 }).map((list) => list.join('')),
  );
  const skews = fc.integer({ min: -3e14, max: 3e14 });
  fc.assert(
    fc.property(headers, skews, fc.option(fc.nat(now * 2)), (header, skewMs, resetAt) => {
      const at = parse(header, { skewMs, resetAt: resetAt ?? undefined });
      if (at !== undefined) expect(Number.isNaN(new Date(at).getTime())).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});
