import { expect, test, vi } from 'vitest';
import { systemClock, withTimeout } from '../src/clock.js';
import { fakeClock } from './support/clock.js';

test('withTimeout returns the result of work in time and cancels the timer', async () => {
  const clock = fakeClock();
  const sleep = vi.spyOn(clock, 'sleep');
  const late = vi.fn();
  expect(await withTimeout(Promise.resolve('done'), 1_000, clock, late)).toBe('done');
  expect(sleep.mock.calls[0]?.[1]?.aborted).toBe(true);
  expect(late).not.toHaveBeenCalled();
});

test('withTimeout rejects if the work fails in time', async () => {
  const failing = Promise.reject(new Error('no'));
  await expect(withTimeout(failing, 1_000, fakeClock(), () => 'late')).rejects.toThrow('no');
});

test.each([
  ['a value', () => 'late'],
  ['a promise', async () => 'late'],
])('withTimeout resolves to %s of onTimeout', async (_, onTimeout) => {
  const clock = fakeClock();
  const waiting = withTimeout(new Promise<string>(() => {}), 1_000, clock, onTimeout);
  clock.advance(1_000);
  expect(await waiting).toBe('late');
});

test('withTimeout rejects if onTimeout throws', async () => {
  const clock = fakeClock();
  const waiting = withTimeout(new Promise(() => {}), 1_000, clock, () => {
    throw new Error('too late');
  });
  clock.advance(1_000);
  await expect(waiting).rejects.toThrow('too late');
});

test('sleep rejects immediately if it is aborted before or during the wait', async () => {
  await expect(systemClock.sleep(60_000, AbortSignal.abort('early'))).rejects.toBe('early');
  const controller = new AbortController();
  const sleeping = systemClock.sleep(60_000, controller.signal);
  controller.abort('late');
  await expect(sleeping).rejects.toBe('late');
});

test('sleep supports durations above the limit of setTimeout', async () => {
  const controller = new AbortController();
  const century = systemClock.sleep(3e12, controller.signal);
  const first = await Promise.race([century.then(() => 'century'), systemClock.sleep(20)]);
  expect(first).toBeUndefined();
  controller.abort('enough');
  await expect(century).rejects.toBe('enough');
});
