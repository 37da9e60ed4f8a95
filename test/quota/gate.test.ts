import { expect, test } from 'vitest';
import { createLimitHint, type GateOptions, openGate } from '../../src/quota/gate.js';
import { emptyLedgerEntry, type LedgerEntry } from '../../src/quota/ledger.js';
import { failureOf } from '../support/client.js';
import { fakeClock } from '../support/clock.js';
import { memoryLedger, settle } from '../support/ledger.js';

const now = Date.UTC(2026, 10, 21, 12);
const never = new AbortController().signal;
const block = { startedAt: now, endsAt: now + 60_000, clockUncertaintyMs: 0, maxJitterMs: 0 };
const blocked: LedgerEntry = { ...emptyLedgerEntry, rateLimitedStreak: 1, block };
const window = {
  limit: 60,
  remaining: 0,
  startedAt: now,
  endsAt: now + 42_000,
  clockUncertaintyMs: 0,
};
const used: LedgerEntry = { ...emptyLedgerEntry, windows: [window] };
const odd: LedgerEntry = { ...used, windows: [{ ...window, endsAt: window.endsAt + 999 }] };
const others = {
  id: 'x',
  owner: '2 here',
  startedAt: now,
  endsAt: now + 31_000,
  rateLimitedStreak: 0,
};
const told = {
  status: 200,
  isRateLimited: false,
  quota: {},
  retryAt: undefined,
  clockUncertaintyMs: 0,
  receivedAt: now,
};

function newGate(entry?: LedgerEntry, options: Partial<GateOptions> = {}) {
  const clock = fakeClock(now);
  const ledger = memoryLedger(entry);
  const waits: string[] = [];
  const gate = openGate({
    ledger,
    account: 'a',
    clock,
    random: () => 0.5,
    maxWaitMs: 60_000,
    limitHint: createLimitHint(undefined, options.maxWaitMs ?? 60_000),
    onWait: ({ reason }) => {
      waits.push(reason);
      return async () => void waits.push('over');
    },
    ...options,
  });
  /** Whether a request got in after so many milliseconds, a slice after the other. */
  const enterAfter = async (slices: readonly number[], signal = never) => {
    let isIn = false;
    void gate.enter(signal, 30_000).then(
      () => {
        isIn = true;
      },
      () => {},
    );
    await settle();
    const seen: boolean[] = [isIn];
    for (const slice of slices) {
      clock.advance(slice);
      await settle();
      seen.push(isIn);
    }
    return seen;
  };
  return { gate, clock, ledger, waits, enterAfter };
}

test('a request is counted before it is sent, for as long as it may last', async () => {
  const { gate, ledger } = newGate();
  await gate.enter(never, 30_000);
  expect(ledger.entry.reservations).toMatchObject([
    { owner: '1 here', startedAt: now, endsAt: now + 30_000, rateLimitedStreak: 0 },
  ]);
});

test.each([
  ['a refusal', blocked, 60_000],
  ['a window that is used up', used, 42_000],
])('nobody gets in before the time that %s told, and then at once', async (_, entry, length) => {
  const { enterAfter, waits } = newGate(entry);
  const slices = Array.from({ length: length / 1_000 - 1 }, () => 1_000);
  const seen = await enterAfter([...slices, 999, 1, 1]);
  expect(seen.indexOf(true)).toBeGreaterThanOrEqual(seen.length - 2);
  expect(seen.at(-1)).toBe(true);
  expect(waits).toEqual([entry === blocked ? 'block' : 'window', 'over']);
});

test('a wait is slept in slices of a second, so that a machine that slept sees the time at once', async () => {
  const { enterAfter, clock } = newGate(blocked);
  expect(await enterAfter([60_001])).toEqual([false, true]);
  expect(Math.max(...clock.waits)).toBeLessThanOrEqual(1_000);
});

test('who waits for a spread block waits its own part of the spread, and not in a busy loop', async () => {
  const spread = { ...blocked, block: { ...block, endsAt: now + 1_000, maxJitterMs: 8_000 } };
  const { enterAfter, clock } = newGate(spread);
  const seen = await enterAfter([1_001, 1_000, 1_000, 1_000, 1_000]);
  expect(seen).toEqual([false, false, false, false, false, true]);
  expect(clock.waits.length).toBeLessThan(10);
});

test.each<[string, LedgerEntry, number, boolean]>([
  ['a block of its length', blocked, 60_000, true],
  ['a block a millisecond longer', blocked, 59_999, false],
  ['any block where it is 0', blocked, 0, false],
  ['a window told in whole seconds, which may be a part of one longer', odd, 42_000, true],
  ['a window longer than that', used, 41_999, false],
  ['any window where it is 0', used, 0, false],
  ['a spread beyond it', { ...blocked, block: { ...block, maxJitterMs: 7_000 } }, 60_000, true],
])('the longest wait bounds %s', async (_, entry, maxWait, waits) => {
  const { gate, clock } = newGate(entry, { maxWaitMs: maxWait });
  const controller = new AbortController();
  const entering = gate.enter(controller.signal, 30_000).catch((error) => error);
  await settle();
  controller.abort(new Error('still waiting'));
  const error = await entering;
  expect(error).toMatchObject(waits ? { message: 'still waiting' } : { kind: 'rate-limited' });
  expect(clock.waits.length > 0).toBe(waits);
});

test.each<[string, LedgerEntry, string, number, string | undefined]>([
  [
    'a block',
    blocked,
    'the service has refused requests for now; nothing was sent',
    60_000,
    '--max-wait 60 waits for it',
  ],
  [
    'a used window',
    used,
    'no requests are left; nothing was sent',
    42_000,
    '--max-wait 42 waits for it',
  ],
  [
    'a block of more than a day',
    { ...blocked, block: { ...block, endsAt: now + 86_400_001 } },
    'the service has refused requests for now; nothing was sent',
    86_400_001,
    undefined,
  ],
])('who may not wait for %s is told how long it is', async (_, entry, message, wait, hint) => {
  const { gate, ledger } = newGate(entry, { maxWaitMs: 0 });
  expect(await failureOf(gate.enter(never, 30_000))).toMatchObject({
    kind: 'rate-limited',
    message,
    details: { code: 'rate_limited', retryAt: now + wait, hint },
  });
  expect(ledger.entry).toBe(entry);
});

test('the sandbox names its own way out', async () => {
  const limitHint = createLimitHint('another plan', 0);
  const { gate } = newGate(blocked, { maxWaitMs: 0, limitHint });
  const { hint } = (await failureOf(gate.enter(never, 1))).details;
  expect(hint).toBe('another plan; --max-wait 60 waits for it');
});

test('who asks once asks whatever was left, but not while the service refuses', async () => {
  expect(await newGate(used).gate.enter(never, 1, true)).toBeDefined();
  expect(await failureOf(newGate(blocked).gate.enter(never, 1, true))).toMatchObject({
    kind: 'rate-limited',
  });
});

test('the answer to another petstore is waited for as long as a request may last', async () => {
  const stuck = { ...emptyLedgerEntry, reservations: [others] };
  const { gate, clock } = newGate(stuck);
  const failing = failureOf(gate.enter(never, 5_000));
  for (let second = 0; second < 6; second += 1) {
    clock.advance(1_000);
    await settle();
  }
  expect(await failing).toMatchObject({ kind: 'network', details: { code: 'timeout' } });
});

test('a wait ends when another process forgets what stood in the ledger', async () => {
  const { ledger, clock, enterAfter } = newGate(blocked);
  expect(await enterAfter([1_000])).toEqual([false, false]);
  ledger.entry = emptyLedgerEntry;
  clock.advance(1_001);
  await settle();
  expect(ledger.entry.reservations).toHaveLength(1);
});

test('a wait that another process learns to be longer than may be waited ends with a failure', async () => {
  const { gate, ledger, clock } = newGate(blocked);
  const entering = failureOf(gate.enter(never, 30_000));
  await settle();
  ledger.entry = { ...blocked, block: { ...block, endsAt: now + 90_000 } };
  clock.advance(1_001);
  expect((await entering).details.retryAt).toBe(now + 90_000);
});

test.each([blocked, used, { ...emptyLedgerEntry, reservations: [others] }])(
  'an abort ends a wait at once, with its reason',
  async (entry) => {
    const { gate, ledger, waits } = newGate(entry);
    const controller = new AbortController();
    const entering = gate.enter(controller.signal, 30_000);
    await settle();
    controller.abort(new Error('enough'));
    await expect(entering).rejects.toThrow('enough');
    expect(ledger.entry).toBe(entry);
    expect(waits.at(-1)).toBe('over');
  },
);

test('nobody gets in who was aborted before', async () => {
  const { gate, ledger } = newGate();
  await expect(gate.enter(AbortSignal.abort(new Error('no')), 1)).rejects.toThrow('no');
  expect(ledger.entry).toBe(emptyLedgerEntry);
});

test('the first of all is waited for, until its answer is there, however short the longest wait', async () => {
  const { gate, clock, ledger } = newGate(undefined, { maxWaitMs: 0 });
  const first = await gate.enter(never, 30_000);
  const second = gate.enter(never, 30_000);
  await settle();
  expect(ledger.entry.reservations).toHaveLength(1);
  await first.recordResponse(told);
  clock.advance(100);
  await second;
  expect(ledger.entry.reservations).toHaveLength(1);
});

test.each(['ends', 'is past its time'])(
  'a turn is over when the process that has it %s',
  async (how) => {
    const { gate, clock, ledger, waits } = newGate({ ...emptyLedgerEntry, reservations: [others] });
    const entering = gate.enter(never, 60_000);
    await settle();
    if (how === 'ends') ledger.ended.add('2 here');
    clock.advance(how === 'ends' ? 100 : 31_000);
    await entering;
    expect(ledger.entry.reservations).toMatchObject([{ owner: '1 here' }]);
    expect(waits).toEqual(['probe-in-flight', 'over']);
  },
);

test('an answer that refuses tells until when nothing is sent', async () => {
  const { gate } = newGate();
  const pass = await gate.enter(never, 30_000);
  const refused = { ...told, status: 429, isRateLimited: true, retryAt: now + 7_000 };
  expect(await pass.recordResponse(refused)).toBe(now + 7_000);
});

test('another answer tells of no such time', async () => {
  const { gate } = newGate();
  expect(await (await gate.enter(never, 30_000)).recordResponse(told)).toBeUndefined();
});

test.each([
  [true, 4],
  [false, 5],
])('a request without an answer counts where it was sent: %s', async (sent, remaining) => {
  const { gate, ledger } = newGate({ ...used, windows: [{ ...window, remaining: 5 }] });
  await (await gate.enter(never, 30_000)).recordNoResponse(sent);
  expect(ledger.entry).toMatchObject({ windows: [{ remaining }], reservations: [] });
});

test('what was told is settled in its turn', async () => {
  const { gate, ledger } = newGate();
  const pass = await gate.enter(never, 30_000);
  void pass.recordResponse(told);
  await gate.flush();
  expect(ledger.entry.noQuotaHeaders).toBe(true);
});
