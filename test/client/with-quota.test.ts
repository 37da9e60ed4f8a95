import { expect, test } from 'vitest';
import type { HttpResponse } from '../../src/api/http.js';
import type { Outcome, Wait } from '../../src/api/outcome.js';
import { completeOutcome, lostOutcome } from '../../src/client/outcome.js';
import { type QuotaOptions, type QuotaPolicy, withQuota } from '../../src/client/with-quota.js';
import { createHalfLeave } from '../../src/quota/admit.js';
import { emptyQuotaState, type QuotaState } from '../../src/quota/quota-state.js';
import { fakeClock } from '../support/clock.js';
import { memoryQuotaStore, newResponse, settle } from '../support/test-client.js';

const now = Date.UTC(2026, 10, 21, 12);
const never = new AbortController().signal;
const request = { method: 'GET', origin: 'https://store.example', target: '/v1/pets', headers: {} };
const span = { startedAt: now, clockUncertaintyMs: 0 };
const block = { ...span, endsAt: now + 60_000, maxJitterMs: 0 };
const blocked: QuotaState = { ...emptyQuotaState, blockCount: 1, block };
const window = { ...span, limit: 60, remaining: 0, endsAt: now + 42_000 };
const exhausted: QuotaState = { ...emptyQuotaState, windows: [window] };
const windowOf = (length: number): QuotaState => ({ ...exhausted, windows: [{ ...window, endsAt: now + length }] });
const other = { ...span, id: 'x', endsAt: now + 31_000, blockCount: 0 };
const probing: QuotaState = { ...emptyQuotaState, permits: [other] };

function openQuota(state?: QuotaState, { policy = {}, response = newResponse(200), ...overrides }: OpenOptions = {}) {
  const clock = fakeClock(now);
  const store = memoryQuotaStore(state);
  const waits: string[] = [];
  const { maxWaitMs = 60_000 } = overrides;
  let ids = 0;
  const options: QuotaOptions = {
    ...{ store, clock, basePath: '/v1', timeoutMs: 30_000, maxWaitMs },
    random: () => 0.5,
    createId: () => `${++ids}`,
    onWait: ({ reason }) => {
      waits.push(reason);
      return () => void waits.push('end');
    },
    onQuota: () => {},
    ...overrides,
  };
  const sentAt: number[] = [];
  const send = withQuota(
    options,
    policy,
  )(async (sent) => {
    sentAt.push(clock.now() - now);
    return 'sent' in response
      ? lostOutcome(sent, { kind: 'network', code: 'ECONNRESET' }, response)
      : completeOutcome(sent, response);
  });
  /** Advances the clock in steps of a second, until the request has ended or so many seconds have passed. */
  const run = async (seconds = 100): Promise<Outcome | undefined> => {
    let outcome: Outcome | undefined;
    void send(request, never).then((ended) => {
      outcome = ended;
    });
    await settle();
    for (let passed = 0; !outcome && passed < seconds; passed += 1) {
      clock.advance(1_000);
      await settle();
    }
    return outcome;
  };
  return { send, run, clock, store, waits, sentAt };
}

interface OpenOptions extends Partial<QuotaOptions> {
  readonly policy?: QuotaPolicy;
  readonly response?: HttpResponse | { readonly sent: boolean };
}

/** Returns the wait that would have been too long. */
async function waitOf(sending: Promise<Outcome | undefined>): Promise<Wait> {
  const lost = (await sending)?.lost;
  if (lost?.kind !== 'held-back') throw new Error('the quota let the request pass');
  return lost.wait;
}

test.each([
  ['a block', blocked, 60_000],
  ['an exhausted window', exhausted, 42_000],
  ['a probe whose process has ended', probing, 31_000],
])('waits for the end of %s, and reports how long', async (_, state, length) => {
  const { run, sentAt, waits, clock } = openQuota(state);
  const outcome = await run();
  expect(sentAt[0]).toBeGreaterThanOrEqual(length);
  expect(sentAt[0]).toBeLessThanOrEqual(length + 1_000);
  expect(outcome?.waitedMs).toBe(sentAt[0]);
  expect(waits.at(-1)).toBe('end');
  // A machine that resumes continues at once.
  expect(Math.max(...clock.waits)).toBeLessThanOrEqual(1_000);
});

test.each<[string, QuotaState, number, boolean]>([
  ['waits for a block of the maximum length', blocked, 60_000, true],
  ['rejects a block that is a millisecond longer', blocked, 59_999, false],
  ['rejects any block if the maximum is 0', blocked, 0, false],
  ['waits for a minute that seems longer', windowOf(63_000), 60_000, true],
  ['rejects a window longer than a minute', windowOf(63_001), 60_000, false],
  ['rejects any window if the maximum is 0', windowOf(999), 0, false],
  ['waits for jitter beyond the maximum', { ...blocked, block: { ...block, maxJitterMs: 7_000 } }, 60_000, true],
  ['waits for a probe even if the maximum is 0', probing, 0, true],
])('%s', async (_, state, maxWaitMs, mayWait) => {
  const { run, waits } = openQuota(state, { maxWaitMs });
  expect(await run(0)).toEqual(mayWait ? undefined : expect.objectContaining({ sent: false, effect: 'none' }));
  expect(waits.length > 0).toBe(mayWait);
});

const dayEndsAt = now + 7_200_000;
const dayBlock: QuotaState = {
  ...blocked,
  quota: { limit: 1_000, remaining: 0, resetAt: dayEndsAt },
  block: { ...block, endsAt: dayEndsAt + 400 },
};

test.each<[string, QuotaState, Partial<Wait>]>([
  ['a block', blocked, { reason: 'block', endsAt: now + 60_000 }],
  ['an exhausted window', exhausted, { reason: 'window', endsAt: now + 42_000 }],
  [
    'the quota of the day',
    { ...exhausted, windows: [window, { ...window, limit: 1_000, endsAt: dayEndsAt }] },
    { reason: 'window', endsAt: dayEndsAt, dayLimit: 1_000 },
  ],
  ['a block until the day resets', dayBlock, { reason: 'block', endsAt: dayEndsAt + 400, dayLimit: 1_000 }],
])('holds a request back with the reason: %s', async (_, state, wait) => {
  const { run, store, sentAt } = openQuota(state, { maxWaitMs: 0 });
  expect(await waitOf(run())).toEqual({ marginMs: 0, ...wait });
  expect(store.state).toBe(state);
  expect(sentAt).toEqual([]);
});

test.each([blocked, exhausted])('never waits if the request is sent once (%#)', async (state) => {
  const { run, waits } = openQuota(state, { policy: { once: true } });
  await waitOf(run());
  expect(waits).toEqual([]);
});

test('leaves half of what remains', async () => {
  const leave = createHalfLeave();
  const { run, sentAt } = openQuota(
    { ...exhausted, windows: [{ ...window, remaining: 2 }] },
    {
      maxWaitMs: 0,
      policy: { leave },
    },
  );
  await run();
  expect((await waitOf(run())).reason).toBe('leave');
  expect(sentAt).toEqual([0]);
});

test('ends a wait if another process removes the block, and holds the request back if one extends it', async () => {
  const removed = openQuota(blocked);
  const sending = removed.run();
  removed.store.state = emptyQuotaState;
  expect(await sending).toMatchObject({ response: { status: 200 } });
  expect(removed.sentAt[0]).toBeLessThanOrEqual(2_000);
  const extended = openQuota(blocked);
  const held = waitOf(extended.run());
  extended.store.state = { ...blocked, block: { ...block, endsAt: now + 90_000 } };
  expect((await held).endsAt).toBe(now + 90_000);
});

test.each([blocked, exhausted, probing])('a cancellation ends a wait (%#)', async (state) => {
  const { send, store, waits } = openQuota(state);
  const controller = new AbortController();
  const sending = send(request, controller.signal);
  await settle();
  controller.abort();
  expect(await sending).toMatchObject({ lost: { kind: 'canceled' }, sent: false });
  expect(store.state).toBe(state);
  expect(waits.at(-1)).toBe('end');
});

test('one of two requests is the probe, and the other waits for its response', async () => {
  const { send, clock, store, sentAt } = openQuota(undefined, { maxWaitMs: 0 });
  const both = Promise.all([send(request, never), send(request, never)]);
  await settle();
  expect(sentAt).toEqual([0]);
  clock.advance(100);
  expect((await both).map(({ response }) => response?.status)).toEqual([200, 200]);
  expect(store.state.permits).toEqual([]);
});

test.each([
  [true, 4],
  [false, 5],
])('counts a request without a response if it was sent: %s', async (sent, remaining) => {
  const { run, store } = openQuota({ ...exhausted, windows: [{ ...window, remaining: 5 }] }, { response: { sent } });
  await run();
  await settle();
  expect(store.state).toMatchObject({ windows: [{ remaining }], permits: [] });
});
