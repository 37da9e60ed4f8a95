import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  countLost,
  findObstacle,
  giveBack,
  learn,
  reserve,
  sweep,
} from '../../src/quota/gate-rules.js';
import { type LedgerEntry, type Reservation, unknownEntry } from '../../src/quota/ledger.js';
import type { Told } from '../../src/quota/rate-limit-info.js';

const now = Date.UTC(2026, 10, 21, 12);
const minute = { limit: 60, remaining: 5, since: now, until: now + 42_000, doubt: 0 };
const day = { limit: 1_000, remaining: 800, since: now, until: now + 40_000_000, doubt: 0 };
const block = { since: now, until: now + 60_000, doubt: 0, spread: 0 };
const known: LedgerEntry = { ...unknownEntry, windows: [minute] };

const underWay = (id: string, overrides: Partial<Reservation> = {}): Reservation => ({
  id,
  owner: '1 here',
  since: now,
  until: now + 31_000,
  refusals: 0,
  ...overrides,
});
const two = [underWay('a'), underWay('b', { until: now + 20_000 })];

const told = (overrides: Partial<Told> = {}): Told => ({
  status: 200,
  isRefusal: isRefusal(overrides),
  quota: {},
  retryAt: undefined,
  doubt: 0,
  now,
  ...overrides,
});
const isRefusal = ({ status, retryAt }: Partial<Told>) =>
  status === 429 || (status === 403 && retryAt !== undefined);
const quota = (remaining: number, resetAt = minute.until, limit = 60) => ({
  limit,
  remaining,
  resetAt,
});

describe('what keeps a request from being sent', () => {
  const turn = { reason: 'turn', until: now + 31_000, margin: 0 };

  test.each<[string, LedgerEntry, unknown]>([
    ['nothing, at first', unknownEntry, undefined],
    ['the first, which is under way', { ...unknownEntry, reservations: two }, turn],
    [
      'nothing, where no window is told of',
      { ...unknownEntry, silent: true, reservations: two },
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
      { reason: 'window', until: day.until, margin: 0 },
    ],
    [
      'a window that may reset later, as clocks differ',
      { ...known, windows: [{ ...minute, remaining: 0, doubt: 800 }] },
      { reason: 'window', until: minute.until, margin: 800 },
    ],
    [
      'a window that may not have reset yet, as clocks differ',
      { ...known, windows: [{ ...minute, remaining: 0, until: now - 500, doubt: 800 }] },
      { reason: 'window', until: now - 500, margin: 800 },
    ],
    [
      'a reset that just was, though nothing of it is under way any more: nothing',
      { ...known, windows: [{ ...minute, remaining: 0, until: now }, day] },
      undefined,
    ],
    [
      'the first after a reset, which is under way',
      { ...known, windows: [{ ...minute, until: now }, day], reservations: two },
      turn,
    ],
    ['a block', { ...known, block }, { reason: 'block', until: block.until, margin: 0 }],
    [
      'a block, with a part of its spread',
      { ...known, block: { ...block, doubt: 10, spread: 1_000 } },
      { reason: 'block', until: block.until, margin: 510 },
    ],
    [
      'the first after a refusal, which is under way',
      { ...known, refusals: 1, reservations: two },
      turn,
    ],
    [
      'nothing, where a block is over',
      { ...known, refusals: 1, block: { ...block, until: now } },
      undefined,
    ],
  ])('%s', (_, entry, obstacle) => {
    expect(findObstacle(entry, now, 0.5)).toEqual(obstacle);
  });
});

describe('what an answer teaches', () => {
  const asked = underWay('a');
  const learned = (entry: LedgerEntry, what: Partial<Told>, reservation = asked) =>
    learn(reserve(entry, reservation), reservation, told(what));

  test('what is left in a window, and when it was seen', () => {
    expect(learned(unknownEntry, { quota: quota(59) })).toEqual({
      ...unknownEntry,
      quota: quota(59),
      seenAt: now,
      windows: [{ ...minute, remaining: 59 }],
    });
  });

  test.each<[string, LedgerEntry, Partial<Told>, readonly unknown[]]>([
    ['less than before', known, { quota: quota(4) }, [{ ...minute, remaining: 4 }]],
    ['never more within a window', known, { quota: quota(9) }, [minute]],
    [
      'never more where the reset is read a little otherwise',
      known,
      { quota: quota(9, minute.until + 5_000) },
      [{ ...minute, until: minute.until + 5_000 }],
    ],
    [
      'the window that follows, afresh',
      known,
      { quota: quota(59, minute.until + 60_000) },
      [{ ...minute, remaining: 59, until: minute.until + 60_000 }],
    ],
    [
      'another window beside, and one less in this',
      known,
      { quota: quota(3, day.until, 1_000) },
      [
        { ...minute, remaining: 4 },
        { ...day, remaining: 3 },
      ],
    ],
    [
      'another limit of the same window',
      known,
      { quota: quota(299, minute.until, 300) },
      [{ ...minute, limit: 300, remaining: 299 }],
    ],
    [
      'a window without a limit',
      unknownEntry,
      { quota: { remaining: 3, resetAt: minute.until } },
      [{ ...minute, limit: 0, remaining: 3 }],
    ],
    [
      'a limit that is told no longer, of the same window',
      known,
      { quota: { remaining: 3, resetAt: minute.until } },
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
      { ...known, windows: [{ ...day, remaining: 0, since: now + 1 }] },
      { quota: quota(59) },
      [
        { ...day, remaining: -1, since: now + 1 },
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
    const next = { ...minute, since: now + 50_000, until: minute.until + 60_000, remaining: 59 };
    const late = told({ quota: quota(1), now: now + 51_000 });
    expect(learn({ ...unknownEntry, windows: [next] }, asked, late).windows).toEqual([
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
          let entry = requests.reduce(reserve, unknownEntry);
          let least = 60;
          for (const index of order) {
            const resetAt = minute.until + (shifts[index] as number);
            entry = learn(
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
    const entry = learned(unknownEntry, { quota: { remaining: 0, resetAt: minute.until } });
    expect(findObstacle(entry, now, 0)).toMatchObject({ reason: 'window', until: minute.until });
  });

  test.each([500, 502, 503, 504, 599])('nothing from %i, which may not have counted', (status) => {
    const refused = { ...known, refusals: 2, block: { ...block, until: now - 1 } };
    for (const entry of [unknownEntry, known, refused]) {
      const asked = underWay('b', { refusals: entry.refusals });
      expect(learned(entry, { status }, asked)).toEqual(countLost(entry, asked));
      expect(learned(entry, { status, retryAt: now + 5_000 }, asked)).toEqual(
        countLost(entry, asked),
      );
    }
  });

  test('what a failing service tells of the quota all the same', () => {
    expect(
      learned(
        { ...known, refusals: 1 },
        { status: 503, quota: quota(2) },
        underWay('b', { refusals: 1 }),
      ),
    ).toMatchObject({
      windows: [{ remaining: 2 }],
      refusals: 0,
      quota: quota(2),
    });
  });

  test('that the service tells of no window', () => {
    expect(learned(unknownEntry, {})).toEqual({ ...unknownEntry, silent: true });
  });

  test.each<[string, Partial<Told>, number, number]>([
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
      block: { since: now, until: now + length, spread },
      refusals: 1,
    });
  });

  test('a ban blocks as long as it says; another 403 does not', () => {
    const banned = learned(known, { status: 403, retryAt: now + 300_000 });
    expect(banned.block?.until).toBe(now + 300_000);
    expect(learned(known, { status: 403 })).not.toHaveProperty('block');
  });

  test('refusals one after another block for twice as long each, up to an hour, and until a success', () => {
    const lengths = (what: Partial<Told>) => {
      let entry = known;
      return Array.from({ length: 14 }, (_, refusals) => {
        const probe = underWay('a', { refusals });
        entry = learn(reserve(entry, probe), probe, told({ status: 429, ...what }));
        const length = (entry.block?.until ?? 0) - now;
        entry = { ...entry, block: { ...block, until: now } };
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
        learn(before, request, told({ status: 429, retryAt: now + (waits[index] as number) })),
      together.reduce(reserve, known),
    );
    expect(entry).toMatchObject({ refusals: 1, block: { until: now + 9_000 }, reservations: [] });
  });

  test('a success asked for before a refusal clears nothing; one asked for after it clears all', () => {
    const refused = { ...known, refusals: 2, block: { ...block, until: now - 1 } };
    expect(learned(refused, {})).toMatchObject({ refusals: 2 });
    const cleared = learned(refused, {}, underWay('b', { refusals: 2 }));
    expect(cleared.refusals).toBe(0);
    expect(cleared).not.toHaveProperty('block');
  });

  test('a block that still stands outlasts a success', () => {
    const refused = { ...known, refusals: 1, block };
    expect(learned(refused, {}, underWay('b', { refusals: 1 })).block).toEqual(block);
  });

  test('a refusal that nobody expects any more counts as one', () => {
    const late = underWay('b', { refusals: 3 });
    expect(learned(known, { status: 429 }, late)).toMatchObject({
      refusals: 1,
      block: { until: now + 30_000 },
    });
  });
});

describe('requests that get no answer', () => {
  test('count as sent where they may have been', () => {
    expect(countLost(reserve(known, underWay('a')), underWay('a'))).toEqual({
      ...known,
      windows: [{ ...minute, remaining: 4 }],
    });
  });

  test('count for nothing where they were not', () => {
    expect(giveBack(reserve(known, underWay('a')), underWay('a'))).toEqual(known);
  });

  test('are swept where their time is over or their process has ended, and count as sent', () => {
    const entry = {
      ...known,
      reservations: [
        underWay('a', { until: now }),
        underWay('b', { owner: '2 here' }),
        underWay('c'),
      ],
    };
    expect(sweep(entry, now, (owner) => owner === '2 here')).toEqual({
      ...known,
      windows: [{ ...minute, remaining: 3 }],
      reservations: [underWay('c')],
    });
  });

  test('are swept where they would last longer than any request', () => {
    const until = now + 86_401_000;
    const whole = underWay('a', { until });
    const endless = underWay('b', { until: until + 100_000 });
    const entry = { ...known, reservations: [whole, endless] };
    expect(sweep(entry, now, () => false).reservations).toEqual([whole]);
  });

  test('are left alone otherwise, so that nothing is written', () => {
    const entry = { ...known, block, reservations: two };
    expect(sweep(entry, now, () => false)).toBe(entry);
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
          refusals: 1,
          block: { ...block, until: now + length },
        };
        let clock = now;
        let passed = 0;
        let sinceSet = 0;
        for (const { passes, set } of steps) {
          clock += passes + set;
          passed += passes;
          sinceSet = set < 0 ? 0 : sinceSet + passes;
          entry = sweep(entry, clock, () => false);
          const isBlocked = findObstacle(entry, clock, 0)?.reason === 'block';
          if (passed < length) expect(isBlocked).toBe(true);
          if (sinceSet >= length) expect(isBlocked).toBe(false);
        }
      }),
    );
  });

  test('leaves windows and requests under way their length from now', () => {
    const back = now - 3_600_000;
    const swept = sweep({ ...known, reservations: [underWay('a')] }, back, () => false);
    expect(swept.windows).toEqual([{ ...minute, since: back, until: back + 42_000 }]);
    expect(swept.reservations).toEqual([underWay('a', { since: back, until: back + 31_000 })]);
  });

  test('loses no window at the answer to a request that was asked before it', () => {
    const back = now - 3_600_000;
    const swept = sweep({ ...known, windows: [minute, day] }, back, () => false);
    const entry = learn(swept, underWay('a'), told({ now: back }));
    expect(entry.windows.map(({ remaining }) => remaining)).toEqual([4, 799]);
  });
});
