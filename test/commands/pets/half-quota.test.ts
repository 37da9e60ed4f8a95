import { expect, test } from 'vitest';
import { limitToHalfQuota } from '../../../src/commands/pets/half-quota.js';
import { fakeClock } from '../../support/clock.js';
import { waitUntil } from '../../support/imports.js';
import { failureOf } from '../../support/test-client.js';

/** Opens a limit on a window that resets in 40 seconds, and sends through it. */
function open(maxWaitMs: number) {
  const clock = fakeClock();
  const start = clock.now();
  let remaining = 5;
  let endsAt = start + 40_000;
  const waits: number[] = [];
  const findWindows = async () => [{ limit: 6, remaining, startedAt: start, endsAt, clockUncertaintyMs: 0 }];
  const enter = limitToHalfQuota({ clock, findWindows, maxWaitMs });
  const send = async () => {
    await enter(new AbortController().signal, (until) => {
      waits.push(until - start);
      return () => {};
    });
    remaining -= 1;
  };
  const use = (count: number) => {
    remaining -= count;
  };
  const reset = () => {
    remaining = 6;
    endsAt += 60_000;
  };
  return { clock, send, use, reset, waits };
}

test('background requests use half of what remains, then wait until the window resets', async () => {
  const { clock, send, reset, waits } = open(60_000);
  await send();
  await send();
  const third = send();
  await waitUntil(() => waits.length > 0);
  expect(waits).toEqual([40_000]);
  reset();
  clock.advance(40_001);
  await third;
});

test('a wait that would exceed the maximum fails', async () => {
  const { send } = open(30_000);
  await send();
  await send();
  const failure = await failureOf(send());
  expect(failure).toMatchObject({ kind: 'rate-limited', message: 'half of the remaining quota is used' });
});

test.each([0, 30_000])('if no request is left, the request itself fails (maximum wait %d)', async (maxWaitMs) => {
  const { send, use, waits } = open(maxWaitMs);
  use(5);
  await send();
  expect(waits).toEqual([]);
});

test('background requests do not wait for a window that has ended, even if its clock is uncertain', async () => {
  const clock = fakeClock();
  const ended = { limit: 6, remaining: 0, startedAt: clock.now() - 60_000, endsAt: clock.now() };
  const findWindows = async () => [{ ...ended, clockUncertaintyMs: 2_000 }];
  const enter = limitToHalfQuota({ clock, findWindows, maxWaitMs: 0 });
  await enter(new AbortController().signal, () => () => {});
});
