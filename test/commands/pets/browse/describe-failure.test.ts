import { expect, test } from 'vitest';
import { describeFailure } from '../../../../src/commands/pets/browse/describe-failure.js';
import { retryHint } from '../../../../src/failure.js';

test('a failure counts down to its retry, and stays without it after that time', async () => {
  const details = { code: 'rate_limited', message: 'no requests are left', retryAt: 50_000 } as const;
  const format = describeFailure({ ...details, outcome: 'nothing was sent', hint: 'press End' });
  expect([0, 5_500, 50_000].map(format)).toEqual([
    'no requests are left; nothing was sent; retry in 50s (press End)',
    'no requests are left; nothing was sent; retry in 45s (press End)',
    'no requests are left; nothing was sent (press End)',
  ]);
});

test.each([undefined, retryHint])('the hint of the screen replaces the hint %j', async (hint) => {
  const format = describeFailure({ code: 'outcome_unknown', message: 'no answer', hint }, 'press Ctrl-R');
  expect(format(0)).toBe('no answer (press Ctrl-R)');
});
