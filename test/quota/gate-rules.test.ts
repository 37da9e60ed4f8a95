import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addReservation,
  applyResponse,
  countAsSent,
  findObstacle,
  releaseReservation,
  removeExpired,
} from '../../src/quota/gate-rules.js';
import { emptyLedgerEntry, type LedgerEntry, type Reservation } from '../../src/quota/ledger.js';
import type { RateLimitInfo } from '../../src/quota/rate-limit-info.js';

const now = Date.UTC(2026, 10, 21, 12);
const minute = {
  limit: 60,
  remaining: 5,
  startedAt: now,
  endsAt: now + 42_000,
  clockUncertaintyMs: 0,
};
const day = {
  limit: 1_000,
  remaining: 800,
  startedAt: now,
  endsAt: now + 40_000_000,
  clockUncertaintyMs: 0,
};
const block = { startedAt: now, endsAt: now + 60_000, clockUncertaintyMs: 0, maxJitterMs: 0 };
const known: LedgerEntry = { ...emptyLedgerEntry, windows: [minute] };

const underWay = (id: string, overrides: Partial<Reservation> = {}): Reservation => ({
  id,
  owner: '1 here',
  startedAt: now,
  endsAt: now + 31_000,
  rateLimitedStreak: 0,
  ...overrides,
});
const two = [underWay('a'), underWay('b', { endsAt: now + 20_000 })];

const told = (overrides: Partial<RateLimitInfo> = {}): RateLimitInfo => ({
  status: 200,
  isRateLimited: isRefusal(overrides),
  quota: {},
  retryAt: undefined,
  clockUncertaintyMs: 0,
  receivedAt: now,
  ...overrides,
});
const isRefusal = ({ status, retryAt }: Partial<RateLimitInfo>) =>
  status === 429 || (status === 403 && retryAt !== undefined);
const quota = (remaining: number, resetAt = minute.endsAt, limit = 60) => ({
  limit,
  remaining,
  resetAt,
});

describe('what keeps a request from being sent', () => {
  const turn = { reason: 'probe-in-flight', endsAt: now + 31_000, marginMs: 0 };

  test.each<[string, LedgerEntry, unknown]>([
    ['nothing, at first', emptyLedgerEntry, undefined],
    ['the first, which is under way', { ...emptyLedgerEntry, reservations: two }, turn],
    [
      'nothing, where no window is told of',
      { ...emptyLedgerEntry, noQuotaHeaders: true, reservations: two },
      undefined,
    ],
    ['nothing, while requests are left', { ...known, reservations: two }, undefined],
    [
      'those under way, where they may use up what is left',
      { ...known, windows: [{ ...minute, remaining: 2 }, day], reservations: two },
      turn,
    ],
    [
      'a window that is used up, and of two the later one',
      {
        ...known,
        windows: [
          { ...minute, remaining: 0 },
          { ...day, remaining: -1 },
        ],
      },
      { reason: 'window', endsAt: day.endsAt, marginMs: 0 },
    ],
    [
      'a window that may reset later, as clocks differ',
      { ...known, windows: [{ ...minute, remaining: 0, clockUncertaintyMs: 800 }] },
      { reason: 'window', endsAt: minute.endsAt, marginMs: 800 },
    ],
    [
      'a window that may not have reset yet, as clocks differ',
      {
        ...known,
        windows: [{ ...minute, remaining: 0, endsAt: now - 500, clockUncertaintyMs: 800 }],
      },
      { reason: 'window', endsAt: now - 500, marginMs: 800 },
    ],
    [
      'a reset that just was, though nothing of it is under way any more: nothing',
      { ...known, windows: [{ ...minute, remaining: 0, endsAt: now }, day] },
      undefined,
    ],
    [
      'the first after a reset, which is under way',
      { ...known, windows: [{ ...minute, endsAt: now }, day], reservations: two },
      turn,
    ],
    ['a block', { ...known, block }, { reason: 'block', endsAt: block.endsAt, marginMs: 0 }],
    [
      'a block, with a part of its spread',
      { ...known, block: { ...block, clockUncertaintyMs: 10, maxJitterMs: 1_000 } },
      { reason: 'block', endsAt: block.endsAt, marginMs: 510 },
    ],
    [
      'the first after a refusal, which is under way',
      { ...known, rateLimitedStreak: 1, reservations: two },
      turn,
    ],
    [
      'nothing, where a block is over',
      { ...known, rateLimitedStreak: 1, block: { ...block, endsAt: now } },
      undefined,
    ],
  ])('%s', (_, entry, obstacle) => {
    expect(findObstacle(entry, now, 0.5)).toEqual(obstacle);
  });
});

describe('what an answer teaches', () => {
  const asked = underWay('a');
  const learned = (entry: LedgerEntry, what: Partial<RateLimitInfo>, reservation = asked) =>
    applyResponse(addReservation(entry, reservation), reservation, told(what));

  test('what is left in a window, and when it was seen', () => {
    expect(learned(emptyLedgerEntry, { quota: quota(59) })).toEqual({
      ...emptyLedgerEntry,
      quota: quota(59),
      seenAt: now,
      windows: [{ ...minute, remaining: 59 }],
    });
  });

  test.each<[string, LedgerEntry, Partial<RateLimitInfo>, readonly unknown[]]>([
    ['less than before', known, { quota: quota(4) }, [{ ...minute, remaining: 4 }]],
    ['never more within a window', known, { quota: quota(9) }, [minute]],
    [
      'never more where the reset is read a little otherwise',
      known,
      { quota: quota(9, minute.endsAt + 5_000) },
      [{ ...minute, endsAt: minute.endsAt + 5_000 }],
    ],
    [
      'the window that follows, afresh',
      known,
      { quota: quota(59, minute.endsAt + 60_000) },
      [{ ...minute, remaining: 59, endsAt: minute.endsAt + 60_000 }],
    ],
    [
      'another window beside, and one less in this',
      known,
      { quota: quota(3, day.endsAt, 1_000) },
      [
        { ...minute, remaining: 4 },
        { ...day, remaining: 3 },
      ],
    ],
    [
      'another limit of the same window',
      known,
      { quota: quota(299, minute.endsAt, 300) },
      [{ ...minute, limit: 300, remaining: 299 }],
    ],
    [
      'a window without a limit',
      emptyLedgerEntry,
      { quota: { remaining: 3, resetAt: minute.endsAt } },
      [{ ...minute, limit: 0, remaining: 3 }],
    ],
    [
      'a limit that is told no longer, of the same window',
      known,
      { quota: { remaining: 3, resetAt: minute.endsAt } },
      [{ ...minute, limit: 0, remaining: 3 }],
    ],
    [
      'that one which was used up is open again, since this was answered',
      { ...known, windows: [{ ...day, remaining: 0 }] },
      { quota: quota(59) },
      [{ ...minute, remaining: 59 }],
    ],
    [
      'of one which was used up only after this was asked for nothing',
      { ...known, windows: [{ ...day, remaining: 0, startedAt: now + 1 }] },
      { quota: quota(59) },
      [
        { ...day, remaining: -1, startedAt: now + 1 },
        { ...minute, remaining: 59 },
      ],
    ],
    ['one less, where nothing is told', known, {}, [{ ...minute, remaining: 4 }]],
    [
      'one less, where no reset is told',
      known,
      { quota: { limit: 60, remaining: 50 } },
      [{ ...minute, remaining: 4 }],
    ],
  ])('%s', (_, entry, what, windows) => {
    expect(learned(entry, what).windows).toEqual(windows);
  });

  test('an answer to what was asked before does not bring back the window that was before', () => {
    const next = {
      ...minute,
      startedAt: now + 50_000,
      endsAt: minute.endsAt + 60_000,
      remaining: 59,
    };
    const late = told({ quota: quota(1), receivedAt: now + 51_000 });
    expect(applyResponse({ ...emptyLedgerEntry, windows: [next] }, asked, late).windows).toEqual([
      { ...next, remaining: 58 },
    ]);
  });

  test('answers in any order leave what the last counted one told', () => {
    const orders = fc.shuffledSubarray([...Array(12).keys()], { minLength: 12 });
    fc.assert(
      fc.property(
        orders,
        fc.array(fc.nat(20_000), { minLength: 12, maxLength: 12 }),
        (order, shifts) => {
          const requests = order.map((index) => underWay(String(index)));
          let entry = requests.reduce(addReservation, emptyLedgerEntry);
          let least = 60;
          for (const index of order) {
            const resetAt = minute.endsAt + (shifts[index] as number);
            entry = applyResponse(
              entry,
              underWay(String(index)),
              told({ quota: quota(59 - index, resetAt) }),
            );
            least = Math.min(least, 59 - index);
            expect(entry.windows.map(({ remaining }) => remaining)).toEqual([least]);
          }
          expect(entry.reservations).toEqual([]);
        },
      ),
    );
  });

  test('that nothing is left, though no limit is told', () => {
    const entry = learned(emptyLedgerEntry, { quota: { remaining: 0, resetAt: minute.endsAt } });
    expect(findObstacle(entry, now, 0)).toMatchObject({ reason: 'window', endsAt: minute.endsAt });
  });

  test.each([500, 502, 503, 504, 599])('nothing from %i, which may not have counted', (status) => {
    const refused = { ...known, rateLimitedStreak: 2, block: { ...block, endsAt: now - 1 } };
    for (const entry of [emptyLedgerEntry, known, refused]) {
      const asked = underWay('b', { rateLimitedStreak: entry.rateLimitedStreak });
      expect(learned(entry, { status }, asked)).toEqual(countAsSent(entry, asked));
      expect(learned(entry, { status, retryAt: now + 5_000 }, asked)).toEqual(
        countAsSent(entry, asked),
      );
    }
  });

  test('what a failing service tells of the quota all the same', () => {
    expect(
      learned(
        { ...known, rateLimitedStreak: 1 },
        { status: 503, quota: quota(2) },
        underWay('b', { rateLimitedStreak: 1 }),
      ),
    ).toMatchObject({
      windows: [{ remaining: 2 }],
      rateLimitedStreak: 0,
      quota: quota(2),
    });
  });

  test('that the service tells of no window', () => {
    expect(learned(emptyLedgerEntry, {})).toEqual({ ...emptyLedgerEntry, noQuotaHeaders: true });
  });

  test.each<[string, Partial<RateLimitInfo>, number, number]>([
    ['as long as it says, the first time', { retryAt: now + 7_000 }, 7_000, 0],
    [
      'as long as it says, though the reset is later',
      { retryAt: now + 7_000, quota: quota(0) },
      7_000,
      0,
    ],
    ['a second at least', { retryAt: now - 5_000 }, 1_000, 0],
    ['until the reset, where it names no time', { quota: quota(0) }, 42_000, 5_200],
    ['half a minute, where it names nothing', {}, 30_000, 4_000],
    ['half a minute, where the reset is past', { quota: quota(0, now - 1) }, 30_000, 4_000],
  ])('a refusal blocks %s', (_, what, length, spread) => {
    expect(learned(known, { status: 429, ...what })).toMatchObject({
      block: { startedAt: now, endsAt: now + length, maxJitterMs: spread },
      rateLimitedStreak: 1,
    });
  });

  test('a ban blocks as long as it says; another 403 does not', () => {
    const banned = learned(known, { status: 403, retryAt: now + 300_000 });
    expect(banned.block?.endsAt).toBe(now + 300_000);
    expect(learned(known, { status: 403 })).not.toHaveProperty('block');
  });

  test('refusals one after another block for twice as long each, up to an hour, and until a success', () => {
    const lengths = (what: Partial<RateLimitInfo>) => {
      let entry = known;
      return Array.from({ length: 14 }, (_, refusals) => {
        const probe = underWay('a', { rateLimitedStreak: refusals });
        entry = applyResponse(addReservation(entry, probe), probe, told({ status: 429, ...what }));
        const length = (entry.block?.endsAt ?? 0) - now;
        entry = { ...entry, block: { ...block, endsAt: now } };
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

  test('refusals of requests that were under way together count as one, and the longest block holds', () => {
    const together = ['a', 'b', 'c'].map((id) => underWay(id));
    const waits = [5_000, 9_000, 7_000];
    const entry = together.reduce(
      (before, request, index) =>
        applyResponse(
          before,
          request,
          told({ status: 429, retryAt: now + (waits[index] as number) }),
        ),
      together.reduce(addReservation, known),
    );
    expect(entry).toMatchObject({
      rateLimitedStreak: 1,
      block: { endsAt: now + 9_000 },
      reservations: [],
    });
  });

  test('a success asked for before a refusal clears nothing; one asked for after it clears all', () => {
    const refused = { ...known, rateLimitedStreak: 2, block: { ...block, endsAt: now - 1 } };
    expect(learned(refused, {})).toMatchObject({ rateLimitedStreak: 2 });
    const cleared = learned(refused, {}, underWay('b', { rateLimitedStreak: 2 }));
    expect(cleared.rateLimitedStreak).toBe(0);
    expect(cleared).not.toHaveProperty('block');
  });

  test('a block that still stands outlasts a success', () => {
    const refused = { ...known, rateLimitedStreak: 1, block };
    expect(learned(refused, {}, underWay('b', { rateLimitedStreak: 1 })).block).toEqual(block);
  });

  test('a refusal that nobody expects any more counts as one', () => {
    const late = underWay('b', { rateLimitedStreak: 3 });
    expect(learned(known, { status: 429 }, late)).toMatchObject({
      rateLimitedStreak: 1,
      block: { endsAt: now + 30_000 },
    });
  });
});

describe('requests that get no answer', () => {
  test('count as sent where they may have been', () => {
    expect(countAsSent(addReservation(known, underWay('a')), underWay('a'))).toEqual({
      ...known,
      windows: [{ ...minute, remaining: 4 }],
    });
  });

  test('count for nothing where they were not', () => {
    expect(releaseReservation(addReservation(known, underWay('a')), underWay('a'))).toEqual(known);
  });

  test('are swept where their time is over or their process has ended, and count as sent', () => {
    const entry = {
      ...known,
      reservations: [
        underWay('a', { endsAt: now }),
        underWay('b', { owner: '2 here' }),
        underWay('c'),
      ],
    };
    expect(removeExpired(entry, now, (owner) => owner === '2 here')).toEqual({
      ...known,
      windows: [{ ...minute, remaining: 3 }],
      reservations: [underWay('c')],
    });
  });

  test('are swept where they would last longer than any request', () => {
    const until = now + 86_401_000;
    const whole = underWay('a', { endsAt: until });
    const endless = underWay('b', { endsAt: until + 100_000 });
    const entry = { ...known, reservations: [whole, endless] };
    expect(removeExpired(entry, now, () => false).reservations).toEqual([whole]);
  });

  test('are left alone otherwise, so that nothing is written', () => {
    const entry = { ...known, block, reservations: two };
    expect(removeExpired(entry, now, () => false)).toBe(entry);
  });
});

describe('a clock that is set back', () => {
  test('neither shortens a block nor makes it longer than it was, however often it is set', () => {
    const steps = fc.array(
      fc.record({
        passes: fc.nat(20_000),
        set: fc.oneof(fc.constant(0), fc.integer({ min: -1e9, max: 0 })),
      }),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(steps, fc.integer({ min: 1_000, max: 100_000 }), (steps, length) => {
        let entry: LedgerEntry = {
          ...known,
          rateLimitedStreak: 1,
          block: { ...block, endsAt: now + length },
        };
        let clock = now;
        let passed = 0;
        let sinceSet = 0;
        for (const { passes, set } of steps) {
          clock += passes + set;
          passed += passes;
          sinceSet = set < 0 ? 0 : sinceSet + passes;
          entry = removeExpired(entry, clock, () => false);
          const isBlocked = findObstacle(entry, clock, 0)?.reason === 'block';
          if (passed < length) expect(isBlocked).toBe(true);
          if (sinceSet >= length) expect(isBlocked).toBe(false);
        }
      }),
    );
  });

  test('leaves windows and requests under way their length from now', () => {
    const back = now - 3_600_000;
    const swept = removeExpired({ ...known, reservations: [underWay('a')] }, back, () => false);
    expect(swept.windows).toEqual([{ ...minute, startedAt: back, endsAt: back + 42_000 }]);
    expect(swept.reservations).toEqual([underWay('a', { startedAt: back, endsAt: back + 31_000 })]);
  });

  test('loses no window at the answer to a request that was asked before it', () => {
    const back = now - 3_600_000;
    const swept = removeExpired({ ...known, windows: [minute, day] }, back, () => false);
    const entry = applyResponse(swept, underWay('a'), told({ receivedAt: back }));
    expect(entry.windows.map(({ remaining }) => remaining)).toEqual([4, 799]);
  });
});
