import { assert, integer, nat, property, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HttpHeaders } from '../../src/api/http.js';
import {
  classifyWindow,
  formatQuotaHeaders,
  mergeQuota,
  parseQuotaHeaders,
  type Quota,
} from '../../src/api/rate-limit-headers.js';

const now = Date.UTC(2026, 10, 21, 12);
const headersOf = (limit: string, remaining: string, reset: string) => ({
  'x-ratelimit-limit': limit,
  'x-ratelimit-remaining': remaining,
  'x-ratelimit-reset': reset,
});

describe('parseQuotaHeaders', () => {
  test.each<[string, HttpHeaders, Quota]>([
    [
      'limit, remaining and reset',
      headersOf('60', '57', String(now / 1000 + 42)),
      { limit: 60, remaining: 57, resetAt: now + 42_000 },
    ],
    ['no headers', {}, {}],
    ['a remaining count above the limit', headersOf('60', '61', ''), { limit: 60, remaining: 60 }],
    ['a remaining count without a limit', headersOf('', '61', ''), { remaining: 61 }],
    ['a header that was sent twice', { 'x-ratelimit-limit': ['60', '60'] }, {}],
  ])('parses %s', (_, headers, quota) => {
    expect(parseQuotaHeaders(headers, now)).toEqual(quota);
  });

  test.each(['-1', ' -0 '])('reads a negative remaining count (%j) as 0, and ignores the other headers', (value) => {
    expect(parseQuotaHeaders(headersOf(value, value, value), now)).toEqual({ remaining: 0 });
  });

  const malformed = '- --1 -1.5 -1e3 +1 1.5 1e3 0x10 abc NaN Infinity ٦٠ 1234567890123456';

  test.each(['', '-1, 5', '60, 60', ...malformed.split(' ')])(
    'ignores a header that is not an integer: %j',
    (value) => {
      expect(parseQuotaHeaders(headersOf(value, value, value), now)).toEqual({});
    },
  );

  test.each([
    ['a minute past', -60, true],
    ['more than a minute past', -61, false],
    ['25 hours ahead', 90_000, true],
    ['more than 25 hours ahead', 90_001, false],
  ])('accepts a reset %s (%i s): %s', (_, seconds, isAccepted) => {
    const quota = parseQuotaHeaders({ 'x-ratelimit-reset': String(now / 1000 + seconds) }, now);
    expect(quota).toEqual(isAccepted ? { resetAt: now + seconds * 1000 } : {});
  });

  test.each([
    ['as the seconds that are left', '42'],
    ['in 1970', '0'],
  ])('ignores a reset %s', (_, value) => {
    expect(parseQuotaHeaders(headersOf('', '', value), now)).toEqual({});
  });

  test.each([
    ['ahead', 3_600_000, 3_642, 42],
    ['behind', -3_600_000, -3_558, 42],
    ['wrong only in its date', 3_600_000, 42, 42],
  ])('converts a reset to our clock if that of the service is %s', (_, skew, reported, seconds) => {
    const headers = headersOf('', '', String(now / 1000 + reported));
    expect(parseQuotaHeaders(headers, now, skew)).toEqual({ resetAt: now + seconds * 1000 });
  });
});

describe('formatQuotaHeaders', () => {
  test('formats headers that parse to the same quota, with the reset rounded up to a second', () => {
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

const first = { limit: 5, resetAt: 60_000, remaining: 4 };
const later = { ...first, remaining: 1 };
const nextWindow = { ...first, resetAt: 120_000 };
const otherLimit = { ...first, limit: 50, remaining: 9 };

test.each<[string, Quota | undefined, Quota, Quota]>([
  ['the first quota', undefined, first, first],
  ['a lower count', first, later, later],
  ['the known count over a higher one', later, first, later],
  ['the next window', later, nextWindow, nextWindow],
  ['another limit', later, otherLimit, otherLimit],
  ['no quota if none is reported', later, {}, {}],
])('mergeQuota returns %s', (_, before, reported, expected) => {
  expect(mergeQuota(before, reported)).toEqual(expected);
});

test.each([
  [-1, 'minute'],
  [90_000, 'minute'],
  [90_001, 'day'],
])('classifies a window that resets in %i ms as a %s', (ahead, kind) => {
  expect(classifyWindow(now + ahead, now)).toBe(kind);
});
