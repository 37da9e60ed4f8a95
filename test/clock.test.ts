import { expect, test, vi } from 'vitest';
import { systemClock, withTimeout } from '../src/clock.js';
import { fakeClock } from './support/clock.js';

test('work that is in time is waited for, and its timer given up', async () => {
  const clock = fakeClock();
  const sleep = vi.spyOn(clock, 'sleep');
  const late = vi.fn();
  expect(await withTimeout(Promise.resolve('done'), 1_000, clock, late)).toBe('done');
  expect(sleep.mock.calls[0]?.[1]?.aborted).toBe(true);
  expect(late).not.toHaveBeenCalled();
});

test('work that fails in time fails', async () => {
  const failing = Promise.reject(new Error('no'));
  await expect(withTimeout(failing, 1_000, fakeClock(), () => 'late')).rejects.toThrow('no');
});

test.each([
  ['comes to', () => 'late', 'late'],
  ['comes to later', async () => 'late', 'late'],
])('of work that takes longer that holds which the other %s', async (_, late, result) => {
  const clock = fakeClock();
  const waiting = withTimeout(new Promise<string>(() => {}), 1_000, clock, late);
  clock.advance(1_000);
  expect(await waiting).toBe(result);
});

test('and what the other throws', async () => {
  const clock = fakeClock();
  const waiting = withTimeout(new Promise(() => {}), 1_000, clock, () => {
    throw new Error('too late');
  });
  clock.advance(1_000);
  await expect(waiting).rejects.toThrow('too late');
});

test('a sleep ends when its time is over', async () => {
  const start = systemClock.now();
  await systemClock.sleep(20);
  expect(systemClock.now() - start).toBeGreaterThanOrEqual(19);
});

test('a sleep ends at once when it is aborted, before or meanwhile', async () => {
  await expect(systemClock.sleep(60_000, AbortSignal.abort('early'))).rejects.toBe('early');
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort('late');
  await expect(sleeping).rejects.toBe('late');
});

test('a wait of years does not end at once', async () => {
  const controller = new AbortController();
  const century = systemClock.sleep(3e12, controller.signal);
  const first = await Promise.race([century.then(() => 'century'), systemClock.sleep(20)]);
  expect(first).toBeUndefined();
  controller.abort('enough');
  await expect(century).rejects.toBe('enough');
});
