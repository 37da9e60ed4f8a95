import { expect, test } from 'vitest';
import { formatQuota } from '../../src/quota/rate-limit-info.js';

test.each([
  [{ limit: 60, remaining: 57, resetAt: 42_000 }, '57 of 60 requests left · resets in 42s'],
  [{ limit: 10_000, remaining: 9_999, resetAt: 42_000 }, '9,999 of 10,000 requests left · resets in 42s'],
  [{ remaining: 57, resetAt: 42_000 }, '57 requests left · resets in 42s'],
  [{ limit: 60, remaining: 0 }, '0 of 60 requests left'],
  [{ limit: 60, remaining: 1, resetAt: -5_000 }, '60 of 60 requests left · window has reset'],
  [{ limit: 60, resetAt: 42_000 }, undefined],
  [{}, undefined],
])('formats %j as %j', (quota, line) => {
  expect(formatQuota(quota, 0)).toBe(line);
});
