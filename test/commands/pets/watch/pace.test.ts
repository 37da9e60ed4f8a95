import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calculatePause } from '../../../../src/commands/pets/watch/pace.js';
import { createHalfLeave } from '../../../../src/quota/admit.js';
import type { RateLimitWindow } from '../../../../src/quota/quota-state.js';

const second = 1_000;

function windowOf(remaining: number, until: number, limit = 60): RateLimitWindow {
  return { limit, remaining, startedAt: 0, endsAt: until, clockUncertaintyMs: 0 };
}

describe('the pause', () => {
  test.each<[string, readonly RateLimitWindow[], number, number]>([
    ['the period if no window is known', [], 1, 5 * second],
    ['the period if half of the window suffices', [windowOf(59, 60 * second)], 1, 5 * second],
    ['slower if half of the window is little', [windowOf(9, 60 * second)], 1, 15 * second],
    ['until the reset if nothing may be used', [windowOf(1, 60 * second)], 1, 60 * second],
    ['slower for polls of many requests', [windowOf(60, 60 * second)], 10, 20 * second],
    ['set by the slowest window', [windowOf(59, 60 * second), windowOf(200, 20_000 * second, 1_000)], 1, 200 * second],
    ['the period after a window has ended', [windowOf(0, 0)], 1, 5 * second],
  ])('is %s', (_, windows, spent, pause) => {
    expect(calculatePause(windows, { now: 0, requests: spent, periodMs: 5 * second, leave: createHalfLeave() })).toBe(
      pause,
    );
  });

  test('uses at most half of any window', () => {
    const numbers = fc.record({
      remaining: fc.integer({ min: 0, max: 2_000 }),
      length: fc.integer({ min: 1, max: 86_400 }).map((seconds) => seconds * second),
      spent: fc.integer({ min: 1, max: 20 }),
      period: fc.integer({ min: 1, max: 600 }).map((seconds) => seconds * second),
      others: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(numbers, ({ remaining, length, spent, period, others }) => {
        let now = 0;
        let left = remaining;
        let used = 0;
        const leave = createHalfLeave();
        for (;;) {
          const windows = [windowOf(left, length, 5_000)];
          now += calculatePause(windows, { now, requests: spent, periodMs: period, leave });
          if (now >= length) break;
          used += spent;
          left = Math.max(0, left - spent - others);
        }
        expect(used).toBeLessThanOrEqual(remaining / 2);
      }),
      { numRuns: 300 },
    );
  });
});
