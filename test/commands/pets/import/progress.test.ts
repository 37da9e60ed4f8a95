import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Quota } from '../../../../src/api/rate-limit-headers.js';
import type { AppContext } from '../../../../src/app/context.js';
import { estimateTimeMs, findMaxRequests, startProgress } from '../../../../src/commands/pets/import/progress.js';
import { fakeClock } from '../../../support/clock.js';

const second = 1_000;
const dayQuota = { limit: 20, remaining: 0, resetAt: 5 * 3600 * second };
const minuteQuota = { limit: 60, remaining: 10, resetAt: 30 * second };

const minute = 60 * second;
const hour = 60 * minute;

test.each<[string, number, Quota | undefined, number | undefined]>([
  ['undefined without a quota', 5, undefined, undefined],
  ['undefined without a limit', 5, { remaining: 3, resetAt: second }, undefined],
  ['undefined without a reset time', 5, { limit: 60, remaining: 3 }, undefined],
  ['zero if the quota suffices', 10, minuteQuota, 0],
  ['the time until the reset for one more window', 70, minuteQuota, 30 * second],
  ['a minute more for each further window', 71, minuteQuota, minute + 30 * second],
  ['until the reset if nothing is known to be left', 1, { limit: 50, resetAt: 9_000 }, 9 * second],
  ['a whole window if the last one has ended', 51, { limit: 50, resetAt: 0 }, minute],
  ['hours until the reset, and a day for each further window', 31, dayQuota, 29 * hour],
  ['a day if the plan has a smaller daily limit', 1_001, minuteQuota, 24 * hour],
])('the estimate is %s', (_, requests, quota, duration) => {
  expect(estimateTimeMs(requests, quota, 0)).toBe(duration);
});

test.each<[string, Quota | undefined, number, number]>([
  ['infinite without a quota', undefined, 0, Number.POSITIVE_INFINITY],
  ['the rest of a window if no wait is allowed', minuteQuota, 0, 10],
  ['the rest of a window that resets too late', minuteQuota, 29_000, 10],
  ['one more window if only the first wait is short', minuteQuota, 30_000, 70],
  ['the daily limit of the plan if minutes are short', minuteQuota, minute, 1_000],
  ['infinite for minutes of an unknown plan', { ...minuteQuota, limit: 50 }, minute, Number.POSITIVE_INFINITY],
  ['the rest of the day', { ...dayQuota, remaining: 3 }, minute, 3],
  ['infinite if a day is short', { ...dayQuota, remaining: 3 }, 24 * hour, Number.POSITIVE_INFINITY],
  ['a whole window if the last one has ended', { limit: 50, resetAt: 0 }, 0, 50],
])('the number of requests before a wait that is too long is %s', (_, quota, maxWaitMs, requests) => {
  expect(findMaxRequests(quota, 0, maxWaitMs)).toBe(requests);
});

test.each<[string, number, number, number]>([
  ['that of the requests if the quota suffices', 10, 700, 7 * second],
  ['that of the requests of the last window after its start', 70, 100, 36 * second],
  ['that of all requests if the service is slower than the quota', 70, 5_000, 350 * second],
])('the estimate for a service with a known speed is %s', (_, requests, msPerRequest, duration) => {
  expect(estimateTimeMs(requests, minuteQuota, 0, msPerRequest)).toBe(duration);
});

describe('the progress shows', () => {
  const start = 1_000_000;

  /** Starts the progress of 100 rows. `show` resolves to the text after `ms` milliseconds. */
  async function openProgress(quota: Quota) {
    const clock = fakeClock(start);
    let shown: readonly string[] = [];
    const update = (_: number, parts: readonly string[]) => {
      shown = parts;
    };
    const terminal = { progressBar: async () => ({ isVisible: true, update, stop: () => {} }) };
    const context = { clock, settings: { maxWaitMs: minute }, terminal } as unknown as AppContext;
    const progress = await startProgress(context, 100, () => quota);
    const show = async (ms: number) => {
      shown = [];
      clock.advance(ms);
      await vi.waitFor(() => expect(shown).not.toEqual([]), { timeout: 30_000 });
      return shown;
    };
    onTestFinished(progress.stop);
    return { ...progress, clock, show };
  }

  async function describeProgress(quota: Quota): Promise<readonly string[]> {
    const progress = await openProgress(quota);
    progress.update(20, 0);
    return progress.show(250);
  }

  test('the rate if the quota suffices', async () => {
    const quota = { limit: 1_000, remaining: 900, resetAt: start + minute };
    expect(await describeProgress(quota)).toEqual(['80 rows/s', '1s left', '900 requests left']);
  });

  test('no rate if waits lie ahead, which take the time', async () => {
    const quota = { limit: 60, remaining: 40, resetAt: start + 30_250 };
    expect(await describeProgress(quota)).toEqual(['31s left', '40 requests left']);
  });

  test('the time that a slow service takes, although the quota would allow more', async () => {
    const progress = await openProgress({ limit: 60, remaining: 40, resetAt: start + minute });
    progress.update(20, 0);
    expect(await progress.show(30 * second)).toEqual(['2m left', '40 requests left']);
  });

  test('the rate without the time of waits', async () => {
    const progress = await openProgress({ limit: 1_000, remaining: 900, resetAt: start + 2 * minute });
    progress.update(20, 0);
    progress.clock.advance(second);
    const stops = [progress.startWait(start + minute), progress.startWait(start + minute)];
    expect(await progress.show(29 * second)).toEqual(['waiting 30s for the quota', '4s left', '900 requests left']);
    progress.clock.advance(30 * second);
    for (const stop of stops) stop();
    progress.update(40, 0);
    expect(await progress.show(second)).toEqual(['20 rows/s', '3s left', '900 requests left']);
  });

  test('no time left if the import stops before a wait that is too long', async () => {
    const quota = { limit: 100, remaining: 10, resetAt: start + 24 * hour };
    expect(await describeProgress(quota)).toEqual(['10 requests left']);
  });

  test('at least one second of a wait', async () => {
    const progress = await openProgress({ limit: 60, remaining: 0, resetAt: start + 250 });
    progress.startWait(start + 250);
    expect((await progress.show(250))[0]).toBe('waiting 1s for the quota');
  });
});
