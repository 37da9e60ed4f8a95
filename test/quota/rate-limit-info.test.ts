import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatQuota, measureClockSkew, parseRateLimitInfo, parseRetryAfter } from '../../src/quota/rate-limit-info.js';

const now = Date.UTC(2026, 10, 21, 12);
const dated = (time: number) => ({ date: new Date(time).toUTCString() });

test('converts quota and wait to our clock if the service is an hour ahead', () => {
  const serviceTime = now + 3_600_000;
  const headers = {
    ...dated(serviceTime),
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(serviceTime / 1000 + 42),
    'retry-after': new Date(serviceTime + 42_000).toUTCString(),
  };
  expect(parseRateLimitInfo({ status: 429, headers }, now, now)).toEqual({
    status: 429,
    isRateLimited: true,
    quota: { limit: 60, remaining: 0, resetAt: now + 42_000 },
    retryAt: now + 42_000,
    clockUncertaintyMs: 0,
    receivedAt: now,
  });
});

test.each([
  [429, {}, true],
  [403, { 'retry-after': '600' }, true],
  [403, { 'retry-after': 'soon' }, false],
  [503, { 'retry-after': '600' }, false],
  [200, { 'retry-after': '600' }, false],
])('%i with %j is rate limited: %s', (status, headers, isRateLimited) => {
  expect(parseRateLimitInfo({ status, headers }, now, now)).toMatchObject({
    isRateLimited,
    quota: {},
  });
});

test.each([
  ['the same clock', dated(now), 0, 0],
  ['the same clock, between two seconds', dated(now - 400), 0, 1_000],
  ['a clock an hour ahead', dated(now + 3_600_000), 3_600_000, 0],
  ['a clock an hour behind', dated(now - 3_600_000), -3_600_000, 0],
  ['no date', {}, 0, 0],
])('measures the clock skew of %s', (_, headers, skewMs, clockUncertaintyMs) => {
  expect(measureClockSkew(headers, now, now)).toEqual({ skewMs, clockUncertaintyMs });
});

test('never converts a time of the service to an earlier time on our clock', () => {
  const offset = fc.oneof(fc.integer({ min: -2_500, max: 2_500 }), fc.integer({ min: -1e11, max: 1e11 }));
  const latency = fc.integer({ min: 0, max: 30_000 });
  fc.assert(
    fc.property(offset, latency, latency, fc.nat(1_000), (offset, there, back, fraction) => {
      const sentAt = now + fraction;
      const headers = dated(sentAt + there + offset);
      const skew = measureClockSkew(headers, sentAt, sentAt + there + back);
      const converted = now + offset - skew.skewMs;
      expect(converted + skew.clockUncertaintyMs).toBeGreaterThanOrEqual(now);
      expect(Math.abs(converted - now)).toBeLessThanOrEqual(there + back + 1_000);
      expect(skew.clockUncertaintyMs).toBeLessThanOrEqual(there + back + 1_000);
    }),
    { numRuns: 1_000 },
  );
});

const parse = (header: string | readonly string[] | undefined, context = {}) =>
  parseRetryAfter({ 'retry-after': header }, { now, ...context });

test.each([
  ['0', now],
  ['60', now + 60_000],
  ['Sat, 21 Nov 2026 12:00:42 GMT', now + 42_000],
  ['Saturday, 21-Nov-26 12:00:42 GMT', now + 42_000],
  ['Sat Nov 21 12:00:42 2026', now + 42_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', now - 3_600_000],
])('parses %j', (header, at) => {
  expect(parse(header)).toBe(at);
});

test.each([undefined, '', '-5', '1.5', '0x10', 'abc', '١٢', '2026-11-21T12:00:42Z', 'Sat, 21 Nov 2026 99:00:42 GMT'])(
  'ignores %j',
  (header) => {
    expect(parse(header)).toBeUndefined();
  },
);

test.each([
  ['in one line', '120, 60', 120],
  ['in two lines', ['60', '120'], 120],
  ['a date and seconds', 'Sat, 21 Nov 2026 12:01:00 GMT, 30', 60],
])('takes the latest of several values %s', (_, header, seconds) => {
  expect(parse(header)).toBe(now + seconds * 1000);
});

const inTwoMinutes = now + 120_000;

test.each([
  ['milliseconds, if they end at the reset', '120000', inTwoMinutes, inTwoMinutes],
  ['seconds, if no unit matches the reset', '123000', inTwoMinutes, now + 123_000_000],
  ['seconds, if both units match the reset', '1000', now + 1_000_000, now + 1_000_000],
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

test.each([
  [{ limit: 60, remaining: 57, resetAt: 42_000 }, '57 of 60 requests left · resets in 42s'],
  [{ remaining: 57, resetAt: 42_000 }, '57 requests left · resets in 42s'],
  [{ limit: 60, remaining: 0 }, '0 of 60 requests left'],
  [{ limit: 60, remaining: 1, resetAt: -5_000 }, '60 of 60 requests left · window has reset'],
  [{ limit: 60, resetAt: 42_000 }, undefined],
])('formats %j as %j', (quota, line) => {
  expect(formatQuota(quota, 0)).toBe(line);
});
