import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTold } from '../../src/quota/rate-limit-info.js';

const now = Date.UTC(2026, 10, 21, 12);

test('quota and wait are read on our clock, though that of the service is an hour ahead', () => {
  const there = now + 3_600_000;
  const headers = {
    date: new Date(there).toUTCString(),
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(there / 1000 + 42),
    'retry-after': new Date(there + 42_000).toUTCString(),
  };
  expect(readTold({ status: 429, headers }, now, now)).toEqual({
    status: 429,
    isRefusal: true,
    quota: { limit: 60, remaining: 0, resetAt: now + 42_000 },
    retryAt: now + 42_000,
    doubt: 0,
    now,
  });
});

test('milliseconds in Retry-After are known by the reset that stands beside', () => {
  const headers = { 'x-ratelimit-reset': String(now / 1000 + 120), 'retry-after': '120000' };
  expect(readTold({ status: 429, headers }, now, now).retryAt).toBe(now + 120_000);
});

test('no header tells nothing', () => {
  expect(readTold({ status: 200, headers: {} }, now, now)).toEqual({
    status: 200,
    isRefusal: false,
    quota: {},
    retryAt: undefined,
    doubt: 0,
    now,
  });
});

test.each([
  [429, {}, true],
  [403, { 'retry-after': '600' }, true],
  [403, { 'retry-after': 'soon' }, false],
  [403, {}, false],
  [503, { 'retry-after': '600' }, false],
  [200, { 'retry-after': '600' }, false],
])('%i with %j refuses all requests: %s', (status, headers, refuses) => {
  expect(readTold({ status, headers }, now, now).isRefusal).toBe(refuses);
});

test('no headers make it throw, or tell a time that no date can hold', () => {
  const text = fc.oneof(fc.string(), fc.nat().map(String), fc.bigInt({ min: 0n }).map(String));
  const headers = fc.record(
    {
      date: fc.oneof(
        text,
        fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
      ),
      'retry-after': fc.oneof(text, fc.array(text)),
      'x-ratelimit-limit': text,
      'x-ratelimit-remaining': text,
      'x-ratelimit-reset': text,
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(headers, fc.nat(30_000), (headers, latency) => {
      const { quota, retryAt = 0, doubt } = readTold({ status: 429, headers }, now, now + latency);
      for (const time of [quota.resetAt ?? 0, retryAt, doubt]) {
        expect(Number.isInteger(new Date(time).getTime())).toBe(true);
      }
    }),
    { numRuns: 1_000 },
  );
});
