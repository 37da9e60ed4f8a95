import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Quota } from '../../src/api/rate-limit-headers.js';
import { admit, createHalfLeave } from '../../src/quota/admit.js';
import { emptyQuotaState, type Permit, type QuotaState, type RateLimitWindow } from '../../src/quota/quota-state.js';
import type { RateLimitInfo } from '../../src/quota/rate-limit-info.js';
import { settle } from '../../src/quota/settle.js';

const now = Date.UTC(2026, 10, 21, 12);
const span = { startedAt: now, clockUncertaintyMs: 0 };
const minuteWith = (remaining: number, overrides: Partial<RateLimitWindow> = {}) => ({
  ...{ ...span, limit: 60, remaining, endsAt: now + 42_000 },
  ...overrides,
});
const dayWith = (remaining: number, overrides: Partial<RateLimitWindow> = {}) => ({
  ...{ ...span, limit: 1_000, remaining, endsAt: now + 40_000_000 },
  ...overrides,
});
const minute = minuteWith(5);
const day = dayWith(800);
const block = { startedAt: now, endsAt: now + 60_000, clockUncertaintyMs: 0, maxJitterMs: 0 };
const known: QuotaState = { ...emptyQuotaState, windows: [minute] };

const inFlight = (id: string, overrides: Partial<Permit> = {}): Permit => ({
  id,
  startedAt: now,
  endsAt: now + 31_000,
  blockCount: 0,
  ...overrides,
});
function addPermit(state: QuotaState, permit: Permit): QuotaState {
  return { ...state, permits: [...state.permits, permit] };
}

const two = [inFlight('a'), inFlight('b', { endsAt: now + 20_000 })];

const info = (overrides: Partial<RateLimitInfo> = {}): RateLimitInfo => ({
  status: 200,
  isRateLimited: overrides.status === 429,
  quota: {},
  retryAt: undefined,
  clockUncertaintyMs: 0,
  receivedAt: now,
  ...overrides,
});
const quota = (remaining: number, resetAt = minute.endsAt, limit = 60) => ({
  limit,
  remaining,
  resetAt,
});

describe('admit', () => {
  const permits = two;
  const probeInFlight = ['probe-in-flight', now + 31_000, 0] as const;
  const uncertain = minuteWith(0, { endsAt: now, clockUncertaintyMs: 800 });
  const uncertainEnd = ['window', now, 800] as const;
  const dayEnd = ['window', day.endsAt, 0] as const;
  const ended = minuteWith(5, { endsAt: now });
  const uncertainBlock = { ...block, clockUncertaintyMs: 10, maxJitterMs: 1_000 };

  test.each<[string, Partial<QuotaState>, (readonly [string, number, number])?]>([
    ['the probe in flight for an unknown account', { windows: [], permits }, probeInFlight],
    ['nothing without rate-limit headers', { windows: [], noQuotaHeaders: true, permits }],
    ['the requests that may exhaust a window', { windows: [minuteWith(2), day], permits }, probeInFlight],
    ['the exhausted window that ends last', { windows: [minuteWith(0), dayWith(-1)] }, dayEnd],
    ['an exhausted window within its clock uncertainty', { windows: [uncertain] }, uncertainEnd],
    ['nothing after a reset', { windows: [minuteWith(0, { endsAt: now }), day] }],
    ['the probe in flight after a reset', { windows: [ended, day], permits }, probeInFlight],
    ['a block', { block }, ['block', block.endsAt, 0]],
    ['clock uncertainty and jitter', { block: uncertainBlock }, ['block', block.endsAt, 510]],
    ['the probe after a rate-limited response', { blockCount: 1, permits }, probeInFlight],
    ['nothing after a block', { blockCount: 1, block: { ...block, endsAt: now } }],
  ])('waits for %s', (_, state, expected) => {
    const { wait } = admit({ ...known, ...state }, now, { jitter: 0.5 });
    expect(wait && [wait.reason, wait.endsAt, wait.marginMs]).toEqual(expected);
  });

  test('gives a permit that expires, and counts it', () => {
    const { state, permit } = admit({ ...known, blockCount: 3 }, now, { id: 'a', durationMs: 30_000.5 });
    expect(permit).toEqual({ id: 'a', startedAt: now, endsAt: now + 30_001, blockCount: 3 });
    expect(state.permits).toEqual([permit]);
  });

  test('leaves half of each window, fixed when it is first seen', () => {
    const leave = createHalfLeave();
    const waitAt = (remaining: number, window = minute) =>
      admit({ ...known, windows: [{ ...window, remaining }, day] }, now, { leave }).wait?.reason;
    expect([5, 4, 3, 0].map((remaining) => waitAt(remaining))).toEqual([undefined, undefined, 'leave', 'window']);
    expect(waitAt(4, { ...minute, endsAt: minute.endsAt + 60_000 })).toBeUndefined();
    expect(waitAt(2, { ...minute, endsAt: minute.endsAt + 60_000 })).toBe('leave');
    const reserved = admit({ ...known, windows: [minuteWith(2)], permits: two }, now, { leave: createHalfLeave() });
    expect(reserved.wait?.reason).toBe('probe-in-flight');
  });
});

describe('settle', () => {
  const request = inFlight('a');
  const applied = (state: QuotaState, what: Partial<RateLimitInfo>, permit = request) =>
    settle(addPermit(state, permit), permit, info(what));

  test('stores the quota and its window', () => {
    const stored = { quota: quota(59), seenAt: now, windows: [minuteWith(59)] };
    const after = applied(emptyQuotaState, { quota: quota(59) });
    expect(after).toEqual({ ...emptyQuotaState, ...stored });
  });

  const { endsAt } = minute;
  const noLimit = { remaining: 3, resetAt: endsAt };
  const later = { startedAt: now + 1 };
  const usedUp = dayWith(0, later);
  const next = { endsAt: endsAt + 60_000 };

  test.each<[string, readonly RateLimitWindow[], Quota, readonly RateLimitWindow[]]>([
    ['stores a lower count', [minute], quota(4), [minuteWith(4)]],
    ['ignores a higher count within a window', [minute], quota(9), [minute]],
    ['replaces a window by the next one', [minute], quota(59, next.endsAt), [minuteWith(59, next)]],
    ['adds another window', [minute], quota(3, day.endsAt, 1_000), [minuteWith(4), dayWith(3)]],
    ['stores another limit', [minute], quota(299, endsAt, 300), [minuteWith(299, { limit: 300 })]],
    ['stores a window without a limit', [], noLimit, [minuteWith(3, { limit: 0 })]],
    ['removes a window exhausted before sending', [dayWith(0)], quota(59), [minuteWith(59)]],
    ['keeps one exhausted after sending', [usedUp], quota(59), [dayWith(-1, later), minuteWith(59)]],
    ['decrements the windows without headers', [minute], {}, [minuteWith(4)]],
  ])('%s', (_, windows, reported, expected) => {
    const state = { ...emptyQuotaState, windows };
    expect(applied(state, { quota: reported }).windows).toEqual(expected);
  });

  test('does not restore the previous window from a late response', () => {
    const current = { ...next, startedAt: now + 50_000 };
    const state = { ...emptyQuotaState, windows: [minuteWith(59, current)] };
    const late = info({ quota: quota(1), receivedAt: now + 51_000 });
    expect(settle(state, request, late).windows).toEqual([minuteWith(58, current)]);
  });

  test('keeps the lowest count for responses in any order', () => {
    const orders = fc.shuffledSubarray([...Array(12).keys()], { minLength: 12 });
    const shifts = fc.array(fc.nat(20_000), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(orders, shifts, (order, shiftsMs) => {
        const requests = order.map((index) => inFlight(String(index)));
        let state = requests.reduce(addPermit, emptyQuotaState);
        let lowest = 60;
        for (const index of order) {
          const resetAt = minute.endsAt + (shiftsMs[index] as number);
          const reported = quota(59 - index, resetAt);
          state = settle(state, inFlight(String(index)), info({ quota: reported }));
          lowest = Math.min(lowest, 59 - index);
          expect(state.windows.map(({ remaining }) => remaining)).toEqual([lowest]);
        }
        expect(state.permits).toEqual([]);
      }),
    );
  });

  test.each([500, 503, 599])('only counts a %i without quota as sent', (status) => {
    const limited = { ...known, blockCount: 2, block: { ...block, endsAt: now - 1 } };
    for (const state of [emptyQuotaState, known, limited]) {
      const request = inFlight('b', { blockCount: state.blockCount });
      for (const retryAt of [undefined, now + 5_000]) {
        expect(applied(state, { status, retryAt }, request)).toEqual(settle(state, request, 'lost'));
      }
    }
  });

  test('stores that the service reports no window', () => {
    expect(applied(emptyQuotaState, {})).toEqual({ ...emptyQuotaState, noQuotaHeaders: true });
  });

  test('learns nothing about the windows of an API key from a 401', () => {
    expect(applied(emptyQuotaState, { status: 401 })).toEqual(emptyQuotaState);
  });

  test.each<[string, Partial<RateLimitInfo>, number, number]>([
    ['as long as the service says, the first time', { retryAt: now + 7_000 }, 7_000, 0],
    ['for at least a second', { retryAt: now - 5_000 }, 1_000, 0],
    ['until the reset without Retry-After', { quota: quota(0) }, 42_000, 5_200],
    ['for 30 s without any header', {}, 30_000, 4_000],
  ])('blocks %s', (_, what, length, maxJitterMs) => {
    expect(applied(known, { status: 429, ...what })).toMatchObject({
      block: { startedAt: now, endsAt: now + length, maxJitterMs },
      blockCount: 1,
    });
  });

  test('doubles the block for each rate-limited response in a row, up to an hour', () => {
    const lengths = (what: Partial<RateLimitInfo>) => {
      let state = known;
      return Array.from({ length: 14 }, (_, streak) => {
        const probe = inFlight('a', { blockCount: streak });
        state = settle(addPermit(state, probe), probe, info({ status: 429, ...what }));
        const length = (state.block?.endsAt ?? 0) - now;
        state = { ...state, block: { ...block, endsAt: now } };
        return length / 1_000;
      });
    };
    expect(lengths({})).toEqual([30, 60, 120, 240, 480, 960, 1920, ...Array(7).fill(3_600)]);
    expect(lengths({ retryAt: now + 10_000 })).toEqual([
      10, 10, 10, 10, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600,
    ]);
    const week = 7 * 86_400_000;
    expect(lengths({ retryAt: now + week })).toEqual(Array(14).fill(week / 1_000));
  });

  test('counts rate-limited responses to concurrent requests once, with the longest block', () => {
    const waits = { a: 5_000, b: 9_000, c: 7_000 };
    const requests = Object.keys(waits).map((id) => inFlight(id));
    let state = requests.reduce(addPermit, known);
    for (const [id, waitMs] of Object.entries(waits)) {
      const response = info({ status: 429, retryAt: now + waitMs });
      state = settle(state, inFlight(id), response);
    }
    const expected = { blockCount: 1, block: { endsAt: now + 9_000 }, permits: [] };
    expect(state).toMatchObject(expected);
  });

  test('ends streak and block only after a success of a request sent after them', () => {
    const limited = { ...known, blockCount: 2, block: { ...block, endsAt: now - 1 } };
    expect(applied(limited, {})).toMatchObject({ blockCount: 2 });
    const cleared = applied(limited, {}, inFlight('b', { blockCount: 2 }));
    expect(cleared.blockCount).toBe(0);
    expect(cleared).not.toHaveProperty('block');
    const active = { ...limited, block };
    expect(applied(active, {}, inFlight('b', { blockCount: 2 })).block).toEqual(block);
  });
});

describe('requests without a response', () => {
  test('are counted as sent after they expire', () => {
    const state = { ...known, permits: [inFlight('a', { endsAt: now }), inFlight('c')] };
    expect(admit(state, now).state).toMatchObject({ windows: [minuteWith(4)], permits: [inFlight('c'), { id: '' }] });
  });

  test('are counted if they would last longer than a day', () => {
    const until = now + 86_401_000;
    const whole = inFlight('a', { endsAt: until });
    const endless = inFlight('b', { endsAt: until + 100_000 });
    const { state } = admit({ ...known, block, permits: [whole, endless] }, now);
    expect(state.permits).toEqual([whole]);
  });

  test('are not counted if they were not sent', () => {
    expect(settle(addPermit(known, inFlight('a')), inFlight('a'), 'unsent')).toEqual(known);
  });
});

describe('a clock that is set back', () => {
  test('neither shortens nor extends a block', () => {
    const passes = fc.nat(20_000);
    const set = fc.oneof(fc.constant(0), fc.integer({ min: -1e9, max: 0 }));
    const steps = fc.array(fc.record({ passes, set }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1_000, max: 100_000 }), (steps, length) => {
        const initial = { ...block, endsAt: now + length };
        let state: QuotaState = { ...known, blockCount: 1, block: initial };
        let clock = now;
        let passed = 0;
        let sinceSet = 0;
        for (const { passes, set } of steps) {
          clock += passes + set;
          passed += passes;
          sinceSet = set < 0 ? 0 : sinceSet + passes;
          const { state: next, wait } = admit(state, clock);
          const isBlocked = wait?.reason === 'block';
          if (wait) state = next;
          if (passed < length) expect(isBlocked).toBe(true);
          if (sinceSet >= length) expect(isBlocked).toBe(false);
        }
      }),
    );
  });

  test('does not make a short block outlast a longer one', () => {
    const future = { ...block, startedAt: now + 100_000, endsAt: now + 110_000 };
    const rateLimited = info({ status: 429, retryAt: now + 60_000 });
    expect(settle({ ...known, block: future }, inFlight('a'), rateLimited).block).toEqual(block);
  });

  test('restarts windows and requests in flight with their full length', () => {
    const back = now - 3_600_000;
    const { state: current } = admit({ ...known, block, permits: [inFlight('a')] }, back);
    expect(current.windows).toEqual([{ ...minute, startedAt: back, endsAt: back + 42_000 }]);
    expect(current.permits).toEqual([inFlight('a', { startedAt: back, endsAt: back + 31_000 })]);
  });

  test('loses no window at the next response', () => {
    const back = now - 3_600_000;
    const { state: current } = admit({ ...known, windows: [minute, day] }, back);
    const state = settle(current, inFlight('a'), info({ receivedAt: back }));
    expect(state.windows.map(({ remaining }) => remaining)).toEqual([4, 799]);
  });
});
