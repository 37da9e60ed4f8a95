import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measureClockSkew, parseRateLimitInfo } from '../../src/quota/rate-limit-info.js';

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

test('recognizes milliseconds in Retry-After by the reset', () => {
  const headers = { 'x-ratelimit-reset': String(now / 1000 + 120), 'retry-after': '120000' };
  expect(parseRateLimitInfo({ status: 429, headers }, now, now).retryAt).toBe(now + 120_000);
});

test.each([
  [429, {}, true],
  [403, { 'retry-after': '600' }, true],
  [403, { 'retry-after': 'soon' }, false],
  [403, {}, false],
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
  ['an invalid date', { date: 'yesterday' }, 0, 0],
  ['two dates', { date: [dated(now).date, dated(now).date] }, 0, 0],
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
