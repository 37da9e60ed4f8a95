import { expect, test } from 'vitest';
import { systemClock } from '../../src/local/clock.js';

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
