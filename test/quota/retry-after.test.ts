import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRetryAfter } from '../../src/quota/retry-after.js';

const now = Date.UTC(2026, 10, 21, 12);
const read = (header: string | readonly string[], moment = {}) =>
  parseRetryAfter({ 'retry-after': header }, { now, ...moment });

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
])('%j is a time', (header, at) => {
  expect(read(header)).toBe(at);
});

test.each([
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
])('%j is no time', (header) => {
  expect(read(header)).toBeUndefined();
});

test('no header is no time', () => {
  expect(parseRetryAfter({}, { now })).toBeUndefined();
});

test.each([
  ['in one line', '120, 60', 120],
  ['in one line, with nonsense', 'abc, 60', 60],
  ['in two lines', ['60', '120'], 120],
  ['a date and seconds', 'Sat, 21 Nov 2026 12:01:00 GMT, 30', 60],
  ['seconds and a date', '90, Saturday, 21-Nov-26 12:01:00 GMT', 90],
  ['two dates', ['Sat, 21 Nov 2026 12:01:00 GMT', 'Sat Nov 21 12:00:30 2026'], 60],
])('of several values the latest holds: %s', (_, header, seconds) => {
  expect(read(header)).toBe(now + seconds * 1000);
});

describe('a number without a unit', () => {
  const resetAt = now + 120_000;

  test.each([
    ['120000', 'milliseconds', resetAt],
    [String(resetAt), 'an epoch in milliseconds', resetAt],
    [String(resetAt / 1000), 'an epoch in seconds', resetAt],
    ['121500', 'milliseconds, close to the reset', now + 121_500],
    ['123000', 'seconds, since it is not the reset', now + 123_000_000],
    ['90', 'seconds, whatever the reset (a ban)', now + 90_000],
  ])('%s with a reset in 120 s is %s', (header, _, at) => {
    expect(read(header, { resetAt })).toBe(at);
  });

  test('is seconds where both seconds and milliseconds could be the reset', () => {
    expect(read('1000', { resetAt: now + 1_000_000 })).toBe(now + 1_000_000);
  });

  test.each([
    ['1767225600', 1_767_225_600_000],
    ['1767225600000', 1_767_225_600_000],
    ['120000', now + 120_000_000],
  ])('%s without a reset is known by its size', (header, at) => {
    expect(read(header)).toBe(at);
  });

  test('is milliseconds or an epoch exactly where that is the reset', () => {
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
        const at = read(String(number), { resetAt });
        if (isEpoch) expect(at).toBe(number >= 1e12 ? number : number * 1000);
        else if (number >= 1_000 && !isReset(now + number * 1000) && isReset(now + number)) {
          expect(at).toBe(now + number);
        } else expect(at).toBe(now + number * 1000);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('on a clock that differs', () => {
  const skew = 3_600_000;

  test.each([
    ['a date is of the service', 'Sat, 21 Nov 2026 13:00:42 GMT', now + 42_000],
    ['an epoch is of the service', String((now + skew) / 1000 + 42), now + 42_000],
    ['an epoch in milliseconds too', String(now + skew + 42_000), now + 42_000],
    ['seconds are seconds', '42', now + 42_000],
  ])('%s', (_, header, at) => {
    expect(read(header, { skew })).toBe(at);
  });
});

test('any number of seconds below a thousand is added to now', () => {
  const resets = fc.option(fc.integer({ min: now - 60_000, max: now + 90_000_000 }), {
    nil: undefined,
  });
  fc.assert(
    fc.property(fc.nat(999), resets, (seconds, resetAt) => {
      expect(read(String(seconds), { resetAt })).toBe(now + seconds * 1000);
    }),
  );
});

test('never throws, and names only times that a date can hold', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: 400 });
  const parts = fc.constantFrom('Sat', ',', ' ', '21', 'Nov', '9999', '12:00:42', 'GMT', '-', '60');
  const headers = fc.oneof(
    fc.string(),
    digits,
    fc.array(fc.oneof(fc.string(), digits)),
    fc.array(parts, { maxLength: 12 }).map((words) => words.join('')),
  );
  const skews = fc.integer({ min: -3e14, max: 3e14 });
  fc.assert(
    fc.property(headers, skews, fc.option(fc.nat(now * 2)), (header, skew, resetAt) => {
      const at = read(header, { skew, resetAt: resetAt ?? undefined });
      if (at !== undefined) expect(Number.isNaN(new Date(at).getTime())).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});
