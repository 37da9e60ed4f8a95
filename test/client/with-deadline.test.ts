import { expect, test } from 'vitest';
import type { Transport } from '../../src/api/http.js';
import { withDeadline } from '../../src/client/with-deadline.js';
import { answer } from '../support/client.js';
import { fakeClock } from '../support/clock.js';

const request = { method: 'GET', origin: 'https://store.example:8443', target: '/', headers: {} };

test('a request that lasts to its deadline ends with a failure that names the host', async () => {
  const clock = fakeClock();
  const sent = withDeadline(untilAborted, { left: 30_000, timeout: 30_000, clock })(request, never);
  clock.advance(29_999);
  clock.advance(1);
  await expect(sent).rejects.toMatchObject({
    kind: 'network',
    message: 'store.example:8443 did not answer within 30 s',
    details: { code: 'timeout', hint: '--timeout gives it longer' },
  });
  expect(clock.waits).toEqual([30_000]);
});

test('an answer in time is handed on, and the signal stays quiet after it', async () => {
  const clock = fakeClock();
  let given: AbortSignal | undefined;
  const send: Transport = async (_, signal) => {
    given = signal;
    return answer(200, '[]');
  };
  const response = await withDeadline(send, { left: 30_000, timeout: 30_000, clock })(
    request,
    never,
  );
  clock.advance(60_000);
  await Promise.resolve();
  expect(response).toEqual(answer(200, '[]'));
  expect(given?.aborted).toBe(false);
});

test('an error before the deadline is handed on as it is', async () => {
  const clock = fakeClock();
  const send: Transport = async () => {
    throw new RangeError('mine');
  };
  await expect(
    withDeadline(send, { left: 1_000, timeout: 1_000, clock })(request, never),
  ).rejects.toThrow(RangeError);
});

test("the command's own signal ends the request with its own reason", async () => {
  const controller = new AbortController();
  const sent = withDeadline(untilAborted, { left: 30_000, timeout: 30_000, clock: fakeClock() })(
    request,
    controller.signal,
  );
  controller.abort(new Error('cancelled'));
  await expect(sent).rejects.toThrow('cancelled');
});

const never = new AbortController().signal;

/** Never answers, as a service that hangs. */
const untilAborted: Transport = (_, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
