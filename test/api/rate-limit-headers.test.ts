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

describe('reading the quota from headers', () => {
  test('reads limit, remaining and reset', () => {
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

  test('finds nothing where there are no headers', () => {
    expect(parseQuotaHeaders({}, now)).toEqual({});
  });

  test('takes no more requests left than the limit allows', () => {
    const headers = { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '61' };
    expect(parseQuotaHeaders(headers, now)).toEqual({ limit: 60, remaining: 60 });
  });

  test('takes the requests left as they are where no limit is told', () => {
    expect(parseQuotaHeaders({ 'x-ratelimit-remaining': '61' }, now)).toEqual({ remaining: 61 });
  });

  test('allows white space around a number', () => {
    expect(parseQuotaHeaders({ 'x-ratelimit-limit': ' 60 ' }, now)).toEqual({ limit: 60 });
  });

  test.each(['-1', '-3', ' -0 ', '-999999999999999'])(
    'takes less than nothing left (%j) for nothing, and any other such header for nonsense',
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
  ])('leaves out a header that is no whole number: %j', (value) => {
    const headers = {
      'x-ratelimit-limit': value,
      'x-ratelimit-remaining': value,
      'x-ratelimit-reset': value,
    };
    expect(parseQuotaHeaders(headers, now)).toEqual({});
  });

  test('leaves out a header that came twice', () => {
    expect(parseQuotaHeaders({ 'x-ratelimit-limit': ['60', '60'] }, now)).toEqual({});
  });

  test.each([
    ['a minute past', -60, true],
    ['more than a minute past', -61, false],
    ['25 hours ahead', 90_000, true],
    ['more than 25 hours ahead', 90_001, false],
  ])('a reset %s (%i s) is believed: %s', (_, seconds, believed) => {
    const quota = parseQuotaHeaders({ 'x-ratelimit-reset': String(now / 1000 + seconds) }, now);
    expect(quota).toEqual(believed ? { resetAt: now + seconds * 1000 } : {});
  });

  test.each([
    ['in milliseconds', String(now + 42_000)],
    ['as the seconds that are left', '42'],
    ['in 1970', '0'],
  ])('ignores a reset told %s', (_, value) => {
    expect(parseQuotaHeaders({ 'x-ratelimit-reset': value }, now)).toEqual({});
  });

  test.each([
    ['ahead', 3_600_000, 3_642, 42],
    ['behind', -3_600_000, -3_558, 42],
    ['wrong in its date alone', 3_600_000, 42, 42],
  ])('puts a reset on our clock where that of the service is %s', (_, skew, told, seconds) => {
    const quota = parseQuotaHeaders({ 'x-ratelimit-reset': String(now / 1000 + told) }, now, skew);
    expect(quota).toEqual({ resetAt: now + seconds * 1000 });
  });

  test('believes no reset that makes sense on neither clock', () => {
    const headers = { 'x-ratelimit-reset': String(now / 1000 - 3_600) };
    expect(parseQuotaHeaders(headers, now, 86_400_000)).toEqual({});
  });

  test('never fails and never reads a number that is not whole, whatever the headers', () => {
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

describe('writing the quota as headers', () => {
  test('writes the three headers', () => {
    expect(formatQuotaHeaders({ limit: 60, remaining: 0, resetAt: now })).toEqual({
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(now / 1000),
    });
  });

  test('tells a reset between two seconds as the later one', () => {
    const headers = formatQuotaHeaders({ limit: 60, remaining: 0, resetAt: now + 1 });
    expect(headers['x-ratelimit-reset']).toBe(String(now / 1000 + 1));
  });

  test('writes what reading gives back, with the reset less than a second later', () => {
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
  ['one that tells nothing', { ...window, remaining: 3 }, {}, {}],
])('what is left after %s', (_, before, told, expected) => {
  expect(mergeQuota(before, told)).toEqual(expected);
});

test.each([
  [-1, 'minute'],
  [90_000, 'minute'],
  [90_001, 'day'],
])('a reset that is %i ms ahead is that of a %s', (ahead, kind) => {
  expect(classifyWindow(now + ahead, now)).toBe(kind);
});
