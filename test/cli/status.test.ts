import { expect, test } from 'vitest';
import { formatDuration, statusLine } from '../../src/cli/status.js';

test.each([
  [
    { limit: 60, remaining: 57, resetAt: 42_000 },
    'sandbox · 57 of 60 requests left · resets in 42s',
  ],
  [{ remaining: 57, resetAt: 42_000 }, 'sandbox · 57 requests left · resets in 42s'],
  [{ limit: 60, remaining: 0 }, 'sandbox · 0 of 60 requests left'],
  [{ limit: 60, remaining: 1, resetAt: -5_000 }, 'sandbox · 1 of 60 requests left · resets in 0s'],
  [{ limit: 60, resetAt: 42_000 }, undefined],
  [{}, undefined],
])('%j is told as %j', (quota, line) => {
  expect(statusLine('sandbox', quota, 0)).toBe(line);
});

test.each([
  [0, '0s'],
  [1, '1s'],
  [59_001, '1m'],
  [61_000, '1m 1s'],
  [3_600_000, '1h'],
  [3_725_000, '1h 2m'],
  [90_000_000, '1d 1h'],
])('%d ms is %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});
