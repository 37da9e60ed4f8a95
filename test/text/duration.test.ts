import { expect, test } from 'vitest';
import { formatDuration } from '../../src/text/duration.js';

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
