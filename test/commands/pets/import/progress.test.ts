import { expect, test } from 'vitest';
import type { Quota } from '../../../../src/api/rate-limit-headers.js';
import { estimateTime } from '../../../../src/commands/pets/import/progress.js';

const second = 1_000;
const hour = 3_600_000;
const minutely = { limit: 60, remaining: 10, resetAt: 30 * second };

test.each<[string, number, Quota | undefined, string | undefined]>([
  ['not known without a quota', 5, undefined, undefined],
  ['not known without a limit', 5, { remaining: 3, resetAt: second }, undefined],
  ['not known without a reset', 5, { limit: 60, remaining: 3 }, undefined],
  ['a moment where all fit into what is left', 10, minutely, 'a moment'],
  ['until the reset where one more window is enough', 70, minutely, '30s'],
  ['a minute more for every further window', 71, minutely, '1m 30s'],
  ['nothing left where that is not told', 1, { limit: 50, resetAt: 9 * second }, '9s'],
  ['a whole window of a minute where the last is over', 51, { limit: 50, resetAt: 0 }, '1m'],
  ['until a reset that is hours away, and days after it', 31, day(20), '1d 5h'],
  ['a day where the plan of a minute has no more for a day', 1_001, minutely, '1d'],
])('the time that an import takes is %s', (_, requests, quota, words) => {
  expect(estimateTime(requests, quota, 0)).toBe(words);
});

/** A day's limit of so many requests, with nothing left for five hours. */
function day(limit: number): Quota {
  return { limit, remaining: 0, resetAt: 5 * hour };
}
