import { expect, test } from 'vitest';
import { formatRelativeTime } from '../../src/format/relative-time.js';

const now = Date.UTC(2026, 10, 21, 12);

test.each([
  ['2026-11-21T12:03:05.000Z', 'in 3m 5s'],
  ['2026-11-21T12:00:00.900Z', 'now'],
  ['2026-11-21T11:59:59.900Z', 'now'],
  ['2026-11-21T11:59:01.000Z', '59s ago'],
  ['2026-11-19T10:00:00.000Z', '2d 2h ago'],
  ['soon', 'soon'],
])('shows %s as %s', (text, expected) => {
  expect(formatRelativeTime(text, now)).toBe(expected);
});
