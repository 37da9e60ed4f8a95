import { expect, test } from 'vitest';
import { formatDuration, formatElapsed, parseSecondsToMs } from '../../src/format/duration.js';

test.each([
  [0, '0s'],
  [1, '1s'],
  [59_001, '1m'],
  [61_000, '1m 1s'],
  [3_600_000, '1h'],
  [3_725_000, '1h 2m'],
  [90_000_000, '1d 1h'],
])('formatDuration formats %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, '0 ms'],
  [42.4, '42 ms'],
  [999, '999 ms'],
  [999.7, '1s'],
  [61_000, '1m 1s'],
])('formatElapsed formats %d ms as %s', (ms, text) => {
  expect(formatElapsed(ms)).toBe(text);
});

test.each([
  ['0', 0],
  ['30', 30_000],
  ['0.5', 500],
  ['1.25', 1_250],
  ['007', 7_000],
  ['86400', 86_400_000],
])('parseSecondsToMs parses %j to %d ms', (text, ms) => {
  expect(parseSecondsToMs(text)).toBe(ms);
});

test.each(['', ' 1', '-1', '+1', '1e3', '.5', '5.', '1,5', '0x10', 'NaN', '1e99', '86400.1', '99999', '١'])(
  'parseSecondsToMs rejects %j',
  (text) => {
    expect(parseSecondsToMs(text)).toBeUndefined();
  },
);
