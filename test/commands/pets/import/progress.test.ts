import { expect, test } from 'vitest';
import type { Quota } from '../../../../src/api/rate-limit-headers.js';
import { estimateTime } from '../../../../src/commands/pets/import/progress.js';

const second = 1_000;
const dayQuota = { limit: 20, remaining: 0, resetAt: 5 * 3600 * second };
const minuteQuota = { limit: 60, remaining: 10, resetAt: 30 * second };

test.each<[string, number, Quota | undefined, string | undefined]>([
  ['undefined without a quota', 5, undefined, undefined],
  ['undefined without a limit', 5, { remaining: 3, resetAt: second }, undefined],
  ['undefined without a reset time', 5, { limit: 60, remaining: 3 }, undefined],
  ['a few seconds if the quota suffices', 10, minuteQuota, 'a few seconds'],
  ['the time until the reset for one more window', 70, minuteQuota, '30s'],
  ['a minute more for each further window', 71, minuteQuota, '1m 30s'],
  ['until the reset if nothing is known to be left', 1, { limit: 50, resetAt: 9_000 }, '9s'],
  ['a whole window if the last one has ended', 51, { limit: 50, resetAt: 0 }, '1m'],
  ['hours until the reset, and a day for each further window', 31, dayQuota, '1d 5h'],
  ['a day if the plan has a smaller daily limit', 1_001, minuteQuota, '1d'],
])('the estimate is %s', (_, requests, quota, duration) => {
  expect(estimateTime(requests, quota, 0)).toBe(duration);
});
