import { expect, test } from 'vitest';
import { formatDuration, formatLocalTime, formatRelativeTime } from '../../src/format/duration.js';

test.each([
  [0, '0s'],
  [59_001, '1m'],
  [61_000, '1m 1s'],
  [3_600_000, '1h'],
  [3_725_000, '1h 2m'],
  [90_000_000, '1d 1h'],
])('formatDuration formats %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, 'now'],
  [999, 'now'],
  [185_000, 'in 3m 5s'],
  [-1_001, '2s ago'],
  [-7_800_000, '2h 10m ago'],
])('formatRelativeTime formats a distance of %d ms as %s', (distance, text) => {
  const now = Date.UTC(2026, 0, 2);
  expect(formatRelativeTime(new Date(now + distance).toISOString(), now)).toBe(text);
});

test('formatLocalTime has a date on another day only', () => {
  const now = new Date(2026, 0, 2, 3, 4, 5).getTime();
  expect(formatLocalTime(now, now + 1_000)).toBe('03:04:05');
  expect(formatLocalTime(now, now + 86_400_000)).toBe('2026-01-02 03:04:05');
});
