import { expect, test } from 'vitest';
import { mergeCounters } from '../../src/server/merge-counters.js';

test('a stored window that ends now adds nothing to the one in memory', () => {
  const now = 1_000_000n;
  const windows = (used: bigint, end: bigint) => ({
    minute_used: used,
    minute_end: end,
    day_used: used,
    day_end: end,
    banned_until: 0n,
  });
  const merged = mergeCounters(windows(5n, now), undefined, windows(2n, now + 60_000n), now);
  expect(merged).toEqual(windows(2n, now + 60_000n));
});
