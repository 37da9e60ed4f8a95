import { assert, integer, nat, property, record, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  classifyWindow,
  formatQuotaHeaders,
  mergeQuota,
  parseQuotaHeaders,
  type Quota,
} from '../../src/api/rate-limit-headers.js';

const now = Date.UTC(2026, 10, 21, 12);
const soon = String(now / 1000 + 42);

describe('parseQuotaHeaders', () => {
  test('parses limit, remaining and reset', () => {
    const headers = {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '57',
      'x-ratelimit-reset': soon,
    };
    expect(parseQuotaHeaders(headers, now)).toEqual({
      limit: 60,
      remaining: 57,
      resetAt: now + 42_000,
    });
  });

  test('returns nothing without headers', () => {
    expect(parseQuotaHeaders({}, now)).toEqual({});
  });

  test('lowers a remaining count above the limit', () => {
    const headers = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '61' };
    expect(parseQuotaHeaders(headers, now)).toEqual({ limit: 60, remaining: 60 });
  });

  test('keeps the remaining count without a limit', () => {
    expect(parseQuotaHeaders({ 'x-ratelimit-remaining': '61' }, now)).toEqual({ remaining: 61 });
  });

  test('allows whitespace around a number', () => {
    expect(parseQuotaHeaders({ 'x-ratelimit-limit': ' 60 ' }, now)).toEqual({ limit: 60 });
  });

  test.each(['-1', '-3', ' -0 ', '-999999999999999'])(
    'reads a negative remaining count (%j) as 0, and ignores the other headers',
    (value) => {
      const headers = {
        'x-ratelimit-limit': value,
        'x-ratelimit-remaining': value,
        'x-ratelimit-reset': value,
      };
      expect(parseQuotaHeaders(headers, now)).toEqual({ remaining: 0 });
    },
  );

  test.each([
    '',
    '-',
    '--1',
    '-1.5',
    '-1e3',
    '-1, 5',
    '+1',
    '1.5',
    '1e3',
    '0x10',
    'abc',
    'NaN',
    'Infinity',
    '60, 60',
    '٦٠',
    '1234567890123456',
  ])('ignores a header that is not an integer: %j', (value) => {
    const headers = {
      'x-ratelimit-limit': value,
      'x-ratelimit-remaining': value,
      'x-ratelimit-reset': value,
    };
    expect(parseQuotaHeaders(headers, now)).toEqual({});
  });

  test('ignores a header that was sent twice', () => {
    expect(parseQuotaHeaders({ 'x-ratelimit-limit': ['60', '60'] }, now)).toEqual({});
  });

  test.each([
    ['a minute past', -60, true],
    ['more than a minute past', -61, false],
    ['25 hours ahead', 90_000, true],
    ['more than 25 hours ahead', 90_001, false],
  ])('accepts a reset %s (%i s): %s', (_, seconds, believed) => {
    const quota = parseQuotaHeaders({ 'x-ratelimit-reset': String(now / 1000 + seconds) }, now);
    expect(quota).toEqual(believed ? { resetAt: now + seconds * 1000 } : {});
  });

  test.each([
    ['in milliseconds', String(now + 42_000)],
    ['as the seconds that are left', '42'],
    ['in 1970', '0'],
  ])('ignores a reset %s', (_, value) => {
    expect(parseQuotaHeaders({ 'x-ratelimit-reset': value }, now)).toEqual({});
  });

  test.each([
    ['ahead', 3_600_000, 3_642, 42],
    ['behind', -3_600_000, -3_558, 42],
    ['wrong in its date alone', 3_600_000, 42, 42],
  ])('converts a reset to our clock if that of the service is %s', (_, skew, reported, seconds) => {
    const quota = parseQuotaHeaders(
      { 'x-ratelimit-reset': String(now / 1000 + reported) },
      now,
      skew,
    );
    expect(quota).toEqual({ resetAt: now + seconds * 1000 });
  });

  test('ignores a reset that is implausible by both clocks', () => {
    const headers = { 'x-ratelimit-reset': String(now / 1000 - 3_600) };
    expect(parseQuotaHeaders(headers, now, 86_400_000)).toEqual({});
  });

  test('returns only integers, for any headers', () => {
    assert(
      property(string(), string(), string(), (limit, remaining, reset) => {
        const quota = parseQuotaHeaders(
          {
            'x-ratelimit-limit': limit,
            'x-ratelimit-remaining': remaining,
            'x-ratelimit-reset': reset,
          },
          now,
        );
        expect(Object.values(quota).every(Number.isSafeInteger)).toBe(true);
      }),
    );
  });
});

describe('formatQuotaHeaders', () => {
  test('rounds the reset up to a second', () => {
    const headers = formatQuotaHeaders({ limit: 60, remaining: 0, resetAt: now + 1 });
    expect(headers['x-ratelimit-reset']).toBe(String(now / 1000 + 1));
  });

  test('formats what parsing returns, with the reset less than a second later', () => {
    const quotas = record({
      limit: nat(1_000_000),
      remaining: nat(1_000_000),
      resetAt: integer({ min: now, max: now + 86_400_000 }),
    });
    assert(
      property(quotas, (quota) => {
        const { limit, remaining, resetAt } = parseQuotaHeaders(formatQuotaHeaders(quota), now);
        expect({ limit, remaining }).toEqual({
          limit: quota.limit,
          remaining: Math.min(quota.remaining, quota.limit),
        });
        expect(resetAt).toBe(Math.ceil(quota.resetAt / 1000) * 1000);
      }),
    );
  });
});

const window = { limit: 5, resetAt: 60_000 };

test.each<[string, Quota | undefined, Quota, Quota]>([
  ['the first', undefined, { ...window, remaining: 4 }, { ...window, remaining: 4 }],
  [
    'the next',
    { ...window, remaining: 4 },
    { ...window, remaining: 3 },
    { ...window, remaining: 3 },
  ],
  [
    'one that another overtook',
    { ...window, remaining: 0 },
    { ...window, remaining: 1 },
    { ...window, remaining: 0 },
  ],
  [
    'one of the next window',
    { ...window, remaining: 0 },
    { limit: 5, resetAt: 120_000, remaining: 4 },
    { limit: 5, resetAt: 120_000, remaining: 4 },
  ],
  [
    'one of another limit',
    { ...window, remaining: 0 },
    { ...window, limit: 50, remaining: 9 },
    { ...window, limit: 50, remaining: 9 },
  ],
  ['one without quota', { ...window, remaining: 3 }, {}, {}],
])('mergeQuota after %s', (_, before, reported, expected) => {
  expect(mergeQuota(before, reported)).toEqual(expected);
});

test.each([
  [-1, 'minute'],
  [90_000, 'minute'],
  [90_001, 'day'],
])('classifies a reset in %i ms as that of a %s', (ahead, kind) => {
  expect(classifyWindow(now + ahead, now)).toBe(kind);
});
