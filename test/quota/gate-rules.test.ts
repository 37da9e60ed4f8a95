import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyResponse } from '../../src/quota/apply-response.js';
import { countAsSent, findObstacle, removeExpired } from '../../src/quota/gate-rules.js';
import { type LedgerEntry, pickLaterBlock } from '../../src/quota/ledger.js';
import {
  block,
  day,
  dayWith,
  inFlight,
  info,
  known,
  minute,
  minuteWith,
  now,
  quota,
  two,
} from '../support/ledger-entries.js';

describe('findObstacle', () => {
  const reservations = two;
  const probeInFlight = ['probe-in-flight', now + 31_000, 0] as const;
  const uncertain = minuteWith(0, { clockUncertaintyMs: 800 });
  const uncertainEnd = ['window', minute.endsAt, 800] as const;
  const justEnded = { ...uncertain, endsAt: now - 500 };
  const pastEnd = ['window', now - 500, 800] as const;
  const dayEnd = ['window', day.endsAt, 0] as const;
  const ended = minuteWith(5, { endsAt: now });
  const uncertainBlock = { ...block, clockUncertaintyMs: 10, maxJitterMs: 1_000 };

  test.each<[string, Partial<LedgerEntry>, (readonly [string, number, number])?]>([
    ['nothing for an unknown account', { windows: [] }],
    ['the probe in flight for an unknown account', { windows: [], reservations }, probeInFlight],
    ['nothing without rate-limit headers', { windows: [], noQuotaHeaders: true, reservations }],
    ['nothing while requests remain', { reservations }],
    ['the requests that may exhaust a window', { windows: [minuteWith(2), day], reservations }, probeInFlight],
    ['the exhausted window that ends last', { windows: [minuteWith(0), dayWith(-1)] }, dayEnd],
    ['an exhausted window with its clock uncertainty', { windows: [uncertain] }, uncertainEnd],
    ['an ended window within its clock uncertainty', { windows: [justEnded] }, pastEnd],
    ['nothing after a reset', { windows: [minuteWith(0, { endsAt: now }), day] }],
    ['the probe in flight after a reset', { windows: [ended, day], reservations }, probeInFlight],
    ['a block', { block }, ['block', block.endsAt, 0]],
    ['clock uncertainty and jitter', { block: uncertainBlock }, ['block', block.endsAt, 510]],
    ['the probe after a rate-limited response', { rateLimitedStreak: 1, reservations }, probeInFlight],
    ['nothing after a block', { rateLimitedStreak: 1, block: { ...block, endsAt: now } }],
  ])('returns %s', (_, entry, expected) => {
    const obstacle = findObstacle({ ...known, ...entry }, now, 0.5);
    expect(obstacle && [obstacle.reason, obstacle.endsAt, obstacle.marginMs]).toEqual(expected);
  });
});

test.each([
  [5, 1, 4, 4],
  [5, 3, 2, 2],
  [1, 3, 0, -2],
])('of %i remaining requests, %i without a response leave %i', (remaining, count, shown, inWindow) => {
  const request = inFlight('a', { count });
  const entry = { ...known, quota: quota(remaining), windows: [minuteWith(remaining)], reservations: [request] };
  const expected = { quota: { remaining: shown }, windows: [{ remaining: inWindow }], reservations: [] };
  expect(countAsSent(entry, request)).toMatchObject(expected);
});

test.each<[string, Partial<LedgerEntry>, number, unknown]>([
  ['nothing while requests remain that are not reserved', {}, 4, undefined],
  [
    'the window whose requests are all reserved',
    {},
    5,
    { reason: 'window', endsAt: minute.endsAt, marginMs: 0, reservedLimit: 60 },
  ],
  [
    'no reserve if a window is exhausted',
    { windows: [minuteWith(0)] },
    5,
    { reason: 'window', endsAt: minute.endsAt, marginMs: 0 },
  ],
  [
    'no reserve if one of two windows is exhausted',
    { windows: [minuteWith(0), dayWith(3)] },
    5,
    { reason: 'window', endsAt: day.endsAt, marginMs: 0 },
  ],
  [
    'the requests in flight that may use all but the reserve',
    { reservations: two },
    3,
    { reason: 'probe-in-flight', endsAt: now + 31_000, marginMs: 0 },
  ],
])('findObstacle returns %s', (_, entry, reserve, expected) => {
  expect(findObstacle({ ...known, ...entry }, now, 0.5, reserve)).toEqual(expected);
});

describe('requests without a response', () => {
  test('are counted as sent after they expire or their process ends', () => {
    const ended = [inFlight('a', { endsAt: now }), inFlight('b', { owner: '2 here' })];
    const entry = { ...known, reservations: [...ended, inFlight('c')] };
    const after = { ...known, windows: [minuteWith(3)], reservations: [inFlight('c')] };
    expect(removeExpired(entry, now, (owner) => owner === '2 here')).toEqual(after);
  });

  test('are removed if they would last longer than a day', () => {
    const until = now + 86_401_000;
    const whole = inFlight('a', { endsAt: until });
    const endless = inFlight('b', { endsAt: until + 100_000 });
    const entry = { ...known, reservations: [whole, endless] };
    expect(removeExpired(entry, now, () => false).reservations).toEqual([whole]);
  });

  test('are kept until then', () => {
    const entry = { ...known, block, reservations: two };
    expect(removeExpired(entry, now, () => false)).toBe(entry);
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
        let entry: LedgerEntry = { ...known, rateLimitedStreak: 1, block: initial };
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

  test('does not make a short block outlast a longer one', () => {
    const future = { ...block, startedAt: now + 100_000, endsAt: now + 110_000 };
    expect(pickLaterBlock(future, block, now)).toBe(block);
    expect(pickLaterBlock(block, future, now)).toBe(block);
  });

  test('restarts windows and requests in flight with their full length', () => {
    const back = now - 3_600_000;
    const current = removeExpired({ ...known, reservations: [inFlight('a')] }, back, () => false);
    expect(current.windows).toEqual([{ ...minute, startedAt: back, endsAt: back + 42_000 }]);
    expect(current.reservations).toEqual([inFlight('a', { startedAt: back, endsAt: back + 31_000 })]);
  });

  test('loses no window at the next response', () => {
    const back = now - 3_600_000;
    const current = removeExpired({ ...known, windows: [minute, day] }, back, () => false);
    const entry = applyResponse(current, inFlight('a'), info({ receivedAt: back }));
    expect(entry.windows.map(({ remaining }) => remaining)).toEqual([4, 799]);
  });
});
