import { expect, test } from 'vitest';
import { formatStatusLine } from '../../src/quota/status-line.js';

test.each([
  [
    { limit: 60, remaining: 57, resetAt: 42_000 },
    'sandbox · 57 of 60 requests left · resets in 42s',
  ],
  [{ remaining: 57, resetAt: 42_000 }, 'sandbox · 57 requests left · resets in 42s'],
  [{ limit: 60, remaining: 0 }, 'sandbox · 0 of 60 requests left'],
  [
    { limit: 60, remaining: 1, resetAt: -5_000 },
    'sandbox · 1 of 60 requests left before the reset',
  ],
  [{ limit: 60, resetAt: 42_000 }, undefined],
  [{}, undefined],
])('formats %j as %j', (quota, line) => {
  expect(formatStatusLine('sandbox', quota, 0)).toBe(line);
});
