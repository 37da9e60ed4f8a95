import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLocks } from '../../src/config/files.js';
import { formatHint } from '../../src/format/hint.js';
import { openFileQuotaStore } from '../../src/quota/file-quota-store.js';
import { createLimitHint, type GateOptions, openGate } from '../../src/quota/gate.js';
import { emptyQuotaState, type QuotaState } from '../../src/quota/quota-state.js';
import { parseRateLimitInfo } from '../../src/quota/rate-limit-info.js';
import { fakeClock } from '../support/clock.js';
import { temporaryDirectory } from '../support/petstore.js';
import { memoryQuotaStore, settle } from '../support/quota-store.js';
import { failureOf, hintOf } from '../support/test-client.js';

const now = Date.UTC(2026, 10, 21, 12);
const noSignal = new AbortController().signal;
const block = { startedAt: now, endsAt: now + 60_000, clockUncertaintyMs: 0, maxJitterMs: 0 };
const blocked: QuotaState = { ...emptyQuotaState, rateLimitedStreak: 1, block };
const span = { startedAt: now, clockUncertaintyMs: 0 };
const window = { ...span, limit: 60, remaining: 0, endsAt: now + 42_000 };
const exhausted: QuotaState = { ...emptyQuotaState, windows: [window] };
const fractional: QuotaState = {
  ...exhausted,
  windows: [{ ...window, endsAt: window.endsAt + 999 }],
};
const windowOf = (length: number): QuotaState => ({
  ...exhausted,
  windows: [{ ...window, endsAt: now + length }],
});
const jittered: QuotaState = { ...blocked, block: { ...block, maxJitterMs: 7_000 } };
const others = { ...span, id: 'x', owner: '2 here', endsAt: now + 31_000, rateLimitedStreak: 0 };
const info = parseRateLimitInfo({ status: 200, headers: {} }, now, now);

function newGate(state?: QuotaState, options: Partial<GateOptions> = {}) {
  const clock = fakeClock(now);
  const store = memoryQuotaStore(state);
  const waits: string[] = [];
  const gate = openGate({
    store,
    clock,
    label: 'staging',
    random: () => 0.5,
    maxWaitMs: 60_000,
    limitHint: createLimitHint({ maxWaitMs: options.maxWaitMs ?? 60_000 }),
    onWait: ({ reason }) => {
      waits.push(reason);
      return async () => void waits.push('end');
    },
    ...options,
  });
  /** Returns whether a request was let in at the start and after each step, in milliseconds. */
  const enterAfter = async (stepsMs: readonly number[]) => {
    let isIn = false;
    void gate.enter(noSignal, 30_000).then(() => {
      isIn = true;
    });
    const seen: boolean[] = [];
    for (const stepMs of [0, ...stepsMs]) {
      clock.advance(stepMs);
      await settle();
      seen.push(isIn);
    }
    return seen;
  };
  return { gate, clock, store, waits, enterAfter };
}

test('reserves a request for its maximum duration', async () => {
  const { gate, store } = newGate();
  await gate.enter(noSignal, 30_000);
  expect(store.state.reservations).toMatchObject([
    { owner: '1 here', startedAt: now, endsAt: now + 30_000, rateLimitedStreak: 0 },
  ]);
});

test.each([
  ['a block', blocked, 60_000],
  ['an exhausted window', exhausted, 42_000],
])('waits for the end of %s and no longer', async (_, state, length) => {
  const { enterAfter, waits } = newGate(state);
  const steps = Array.from({ length: length / 1_000 - 1 }, () => 1_000);
  const seen = await enterAfter([...steps, 999, 1, 1]);
  expect(seen.indexOf(true)).toBeGreaterThanOrEqual(seen.length - 2);
  expect(seen.at(-1)).toBe(true);
  expect(waits).toEqual([state === blocked ? 'block' : 'window', 'end']);
});

test('sleeps for at most a second, so that a resumed machine continues at once', async () => {
  const { enterAfter, clock } = newGate(blocked);
  expect(await enterAfter([60_001])).toEqual([false, true]);
  expect(Math.max(...clock.waits)).toBeLessThanOrEqual(1_000);
});

test('waits for its jitter without a busy loop', async () => {
  const state = { ...blocked, block: { ...block, endsAt: now + 1_000, maxJitterMs: 8_000 } };
  const { enterAfter, clock } = newGate(state);
  const seen = await enterAfter([1_001, 1_000, 1_000, 1_000, 1_000]);
  expect(seen).toEqual([false, false, false, false, false, true]);
  expect(clock.waits.length).toBeLessThan(10);
});

test.each<[string, QuotaState, number, boolean]>([
  ['waits for a block of the maximum length', blocked, 60_000, true],
  ['rejects a block that is a millisecond longer', blocked, 59_999, false],
  ['rejects any block if the maximum is 0', blocked, 0, false],
  ['waits for a window that is less than a second longer', fractional, 42_000, true],
  ['rejects a longer window', exhausted, 41_999, false],
  ['waits for a minute that seems longer', windowOf(63_000), 60_000, true],
  ['rejects a window longer than a minute', windowOf(63_001), 60_000, false],
  ['rejects a minute that seems longer than a lower maximum', windowOf(61_000), 59_999, false],
  ['rejects any window if the maximum is 0', exhausted, 0, false],
  ['rejects a window of less than a second if the maximum is 0', windowOf(999), 0, false],
  ['waits for jitter beyond the maximum', jittered, 60_000, true],
])('%s', async (_, state, maxWait, waits) => {
  const { gate, clock } = newGate(state, { maxWaitMs: maxWait });
  const controller = new AbortController();
  const entering = gate.enter(controller.signal, 30_000).catch((error) => error);
  await settle();
  controller.abort(new Error('still waiting'));
  const error = await entering;
  expect(error).toMatchObject(waits ? { message: 'still waiting' } : { kind: 'rate-limited' });
  expect(clock.waits.length > 0).toBe(waits);
});

test.each([
  ['a block', blocked, 'the service rate limited or banned this API key; nothing was sent', 60],
  ['an exhausted window', exhausted, 'no requests are left in this window; nothing was sent', 42],
])('throws with the retry time for %s', async (_, state, message, seconds) => {
  const { gate, store } = newGate(state, { maxWaitMs: 0 });
  const failure = await failureOf(gate.enter(noSignal, 30_000));
  expect(hintOf(failure)).toBe('pass --max-wait 60 to wait');
  expect(failure).toMatchObject({
    kind: 'rate-limited',
    message,
    details: { code: 'rate_limited', retryAt: now + seconds * 1_000 },
  });
  expect(store.state).toBe(state);
});

const dayEndsAt = now + 7_200_000;
const dayBlock: QuotaState = {
  ...blocked,
  quota: { limit: 1_000, remaining: 0, resetAt: dayEndsAt },
  block: { ...block, endsAt: dayEndsAt + 400 },
};

test.each<[string, QuotaState]>([
  ['an exhausted window', { ...exhausted, windows: [window, { ...window, limit: 1_000, endsAt: dayEndsAt }] }],
  ['a block until it resets', dayBlock],
])('names the quota of the day for %s', async (_, state) => {
  const { gate } = newGate(state);
  const failure = await failureOf(gate.enter(noSignal, 30_000));
  expect(failure).toMatchObject({
    kind: 'rate-limited',
    message: "the day's quota of staging (1,000 requests) is used up; nothing was sent",
  });
});

test('names no quota for a block that does not last until the day resets', async () => {
  const { gate } = newGate({ ...dayBlock, block: { ...block, endsAt: now + 600_000 } });
  const failure = await failureOf(gate.enter(noSignal, 30_000));
  expect(failure.message).toBe('the service rate limited or banned this API key; nothing was sent');
});

test.each([
  ['a block', blocked, 'retry in 1m'],
  ['an exhausted window', exhausted, 'retry in 42s'],
])('never waits for %s with noRetry', async (_, state, hint) => {
  const { gate, waits } = newGate(state);
  const failure = await failureOf(gate.enter(noSignal, 1, true));
  expect([failure.kind, hintOf(failure), waits]).toEqual(['rate-limited', hint, []]);
});

test('after a 401, one request still finds out the quota', async () => {
  const { gate, store } = newGate();
  const permit = await gate.enter(noSignal, 30_000);
  await permit.recordResponse({ ...info, status: 401, hasOtherQuota: true });
  expect(store.state.noQuotaHeaders).toBe(false);
});

test('waits for a probe in flight for at most the maximum duration', async () => {
  const stuck = { ...emptyQuotaState, reservations: [others] };
  const { gate, clock } = newGate(stuck);
  const failing = failureOf(gate.enter(noSignal, 5_000));
  for (let second = 0; second < 6; second += 1) {
    clock.advance(1_000);
    await settle();
  }
  expect(await failing).toMatchObject({ kind: 'network', details: { code: 'timeout' } });
});

test('ends a wait if another process removes the block', async () => {
  const { store, clock, enterAfter } = newGate(blocked);
  expect(await enterAfter([1_000])).toEqual([false, false]);
  store.state = emptyQuotaState;
  clock.advance(1_001);
  await settle();
  expect(store.state.reservations).toHaveLength(1);
});

test('throws if another process extends the block beyond the maximum', async () => {
  const { gate, store, clock } = newGate(blocked);
  const entering = failureOf(gate.enter(noSignal, 30_000));
  await settle();
  store.state = { ...blocked, block: { ...block, endsAt: now + 90_000 } };
  clock.advance(1_001);
  expect((await entering).details.retryAt).toBe(now + 90_000);
});

test.each([blocked, exhausted, { ...emptyQuotaState, reservations: [others] }])(
  'ends a wait with the reason of the abort (%#)',
  async (state) => {
    const { gate, store, waits } = newGate(state);
    const controller = new AbortController();
    const entering = gate.enter(controller.signal, 30_000);
    await settle();
    controller.abort(new Error('enough'));
    await expect(entering).rejects.toThrow('enough');
    expect(store.state).toBe(state);
    expect(waits.at(-1)).toBe('end');
  },
);

test('throws the reason of a signal that is already aborted', async () => {
  const { gate, store } = newGate();
  await expect(gate.enter(AbortSignal.abort(new Error('no')), 1)).rejects.toThrow('no');
  expect(store.state).toBe(emptyQuotaState);
});

test('an abort ends the wait for the lock of the quota state at once', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, 'a.json.lock'), '2 here');
  const clock = fakeClock(Date.now());
  const errors: unknown[] = [];
  const store = openFileQuotaStore(directory, 'a', createLocks({ clock }), (error) => errors.push(error));
  const { gate } = newGate(undefined, { store, clock });
  const controller = new AbortController();
  const entering = gate.enter(controller.signal, 30_000);
  while (clock.waits.length === 0) await endOfTurn();
  controller.abort(new Error('enough'));
  await expect(entering).rejects.toThrow('enough');
  expect(await store.find()).toBe(emptyQuotaState);
  expect(clock.waits).toHaveLength(1);
  expect(errors).toEqual([]);
});

test('releases a reservation that was stored after an abort', async () => {
  const { gate, store } = newGate();
  const controller = new AbortController();
  const { update } = store;
  store.update = (edit) => {
    controller.abort(new Error('enough'));
    return update(edit);
  };
  await expect(gate.enter(controller.signal, 30_000)).rejects.toThrow('enough');
  expect(store.state).toEqual(emptyQuotaState);
});

test('waits for the response to the probe even if the maximum wait is 0', async () => {
  const { gate, clock, store } = newGate(undefined, { maxWaitMs: 0 });
  const first = await gate.enter(noSignal, 30_000);
  const second = gate.enter(noSignal, 30_000);
  await settle();
  expect(store.state.reservations).toHaveLength(1);
  await first.recordResponse(info);
  clock.advance(100);
  await second;
  expect(store.state.reservations).toHaveLength(1);
});

test.each(['ends', 'is past its end'])('waits for a probe in flight until its process %s', async (how) => {
  const { gate, clock, store, waits } = newGate({ ...emptyQuotaState, reservations: [others] });
  const entering = gate.enter(noSignal, 60_000);
  await settle();
  if (how === 'ends') store.ended.add('2 here');
  clock.advance(how === 'ends' ? 100 : 31_000);
  await entering;
  expect(store.state.reservations).toMatchObject([{ owner: '1 here' }]);
  expect(waits).toEqual(['probe-in-flight', 'end']);
});

test('returns the end of the block after a rate-limited response', async () => {
  const { gate } = newGate();
  const permit = await gate.enter(noSignal, 30_000);
  const rateLimited = { ...info, status: 429, isRateLimited: true, retryAt: now + 7_000 };
  expect(await permit.recordResponse(rateLimited)).toBe(now + 7_000);
});

test.each([
  [true, 4],
  [false, 5],
])('counts a request without a response if it was sent: %s', async (sent, remaining) => {
  const { gate, store } = newGate({ ...exhausted, windows: [{ ...window, remaining: 5 }] });
  await (await gate.enter(noSignal, 30_000)).recordNoResponse({ wasSent: sent });
  expect(store.state).toMatchObject({ windows: [{ remaining }], reservations: [] });
});

test.each<[string, string | undefined, number, number, string | undefined]>([
  ['a short wait', undefined, 10_000, 12_000, 'pass --max-wait 60 to wait'],
  ['a longer wait', undefined, 60_000, 60_001, 'pass --max-wait 61 to wait'],
  ['the maximum wait', undefined, 60_000, 60_000, undefined],
  ['an hour', undefined, 0, 3_600_000, 'pass --max-wait 3600 to wait'],
  ['more than an hour', undefined, 0, 3_600_001, undefined],
  ['an unknown wait', undefined, 60_000, Number.NEGATIVE_INFINITY, undefined],
  ['a hint of the service', 'pay', 60_000, 7_200_000, 'pay'],
  ['a longer wait with a hint of the service', 'pay', 60_000, 61_000, 'pay, or pass --max-wait 61 to wait'],
])('suggests what to do about %s', (_, serviceHint, maxWaitMs, waitMs, hint) => {
  expect(formatLimitHint(serviceHint, maxWaitMs, waitMs)).toBe(hint);
});

test.each<[string, string | undefined, number, string | undefined]>([
  ['a wait', undefined, 42_000, 'retry in 42s'],
  ['more than an hour', undefined, 7_200_000, 'retry in 2h'],
  ['an unknown wait', undefined, Number.NEGATIVE_INFINITY, undefined],
  ['a hint of the service', 'pay', 42_000, 'pay, or retry in 42s'],
])('suggests no --max-wait to a request that never waits: %s', (_, serviceHint, waitMs, hint) => {
  expect(formatLimitHint(serviceHint, 60_000, waitMs, true)).toBe(hint);
});

function formatLimitHint(serviceHint: string | undefined, maxWaitMs: number, waitMs: number, noRetry?: boolean) {
  const options = { serviceHint: serviceHint === undefined ? undefined : [serviceHint], maxWaitMs };
  const hint = createLimitHint(options)(waitMs, { noRetry });
  return hint && formatHint(hint);
}
