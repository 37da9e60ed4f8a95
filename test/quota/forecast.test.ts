import { expect, test } from 'vitest';
import { forecast, type QuotaWindow } from '../../src/quota/forecast.js';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const ofMinute = { limit: 60, remaining: 10, endsAt: 30 * second };
const ofDay = { limit: 20, remaining: 0, endsAt: 5 * hour };
const infinite = Number.POSITIVE_INFINITY;

test.each<[string, number, readonly QuotaWindow[], number]>([
  ['zero if the quota suffices', 10, [ofMinute], 0],
  ['the time until the reset for one more window', 70, [ofMinute], 30 * second],
  ['a minute more for each further window', 71, [ofMinute], minute + 30 * second],
  ['no wait for a window that has ended', 50, [{ limit: 50, remaining: 0, endsAt: 0 }], 0],
  ['hours until the reset, and a day for each further window', 31, [ofDay], 29 * hour],
  ['that of the slowest window', 5, [ofMinute, ofDay], 5 * hour],
  ['a day if the plan has a smaller daily limit', 1_001, [ofMinute], 24 * hour],
  ['the time until the end of a pause', 5, [{ limit: infinite, remaining: 0, endsAt: 9_000 }], 9 * second],
])('the time that an import waits for the quota is %s', (_, requests, windows, timeMs) => {
  expect(forecast(requests, windows, { now: 0, maxWaitMs: minute }).timeMs).toBe(timeMs);
});

test.each<[string, readonly QuotaWindow[], number, number]>([
  ['infinite without a known window', [], 0, infinite],
  ['the rest of a window if no wait is allowed', [ofMinute], 0, 10],
  ['the rest of a window that resets too late', [ofMinute], 20_000, 10],
  ['one more window if only the first wait is short', [ofMinute], 30_000, 70],
  ['the daily limit of the plan if minutes are short', [ofMinute], minute, 1_000],
  ['infinite for minutes of an unknown plan', [{ ...ofMinute, limit: 50 }], minute, infinite],
  ['the rest of the day', [{ ...ofDay, remaining: 3 }], minute, 3],
  ['infinite if a day is short', [{ ...ofDay, remaining: 3 }], 24 * hour, infinite],
])('the number of rows before a wait that is too long is %s', (_, windows, maxWaitMs, maxRows) => {
  expect(forecast(1, windows, { now: 0, maxWaitMs }).maxRows).toBe(maxRows);
});
