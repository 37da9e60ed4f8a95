import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Course, type Fate, runModel } from '../support/gate-model.js';

const millisecondsWithin = (max: number) => fc.integer({ min: 0, max });

/** Generates scenarios. `overrides` fixes some of their properties. */
function courses(overrides: { readonly [Key in keyof Course]?: fc.Arbitrary<Course[Key]> } = {}) {
  return fc.record<Course>({
    limits: fc.record({
      perMinute: fc.integer({ min: 1, max: 8 }),
      perDay: fc.integer({ min: 1, max: 30 }),
    }),
    others: fc.constant([]),
    processes: fc.array(
      fc.array(fc.oneof(fc.constant(0), millisecondsWithin(150_000)), {
        minLength: 1,
        maxLength: 8,
      }),
      {
        minLength: 1,
        maxLength: 6,
      },
    ),
    travels: fc.array(fc.tuple(travel, travel), { minLength: 1, maxLength: 12 }),
    fates: fc.constant([]),
    lucks: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
    offset: fc.oneof(
      fc.constant(0),
      fc.integer({ min: -3_000, max: 3_000 }),
      fc.integer({ min: -40_000_000, max: 40_000_000 }),
    ),
    tellsRetryAfter: fc.boolean(),
    hasGate: fc.constant(true),
    ...overrides,
  });
}

const travel = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 14_000 }));
const fates = fc.array(
  fc.constantFrom<Fate>('answered', 'lost', 'never-arrived', 'unsent', 'crashed'),
  { maxLength: 20 },
);

describe('processes that share a ledger', () => {
  test('are never rate limited if nobody else uses the API key', () => {
    fc.assert(
      fc.property(courses(), (course) => {
        const { sent, ...happened } = runModel(course);
        expect(happened).toEqual(allWell);
        expect(sent).toBe(course.processes.flat().length);
      }),
      { numRuns },
    );
  });

  test('are never rate limited if the clock of the service is less than a second behind', () => {
    const processes = [...plain.processes, [60_000 + 1]];
    for (const behind of [10, 500, 999]) {
      // The first request arrives on a whole second, so that its reset is exact.
      const travels = [[behind, 1] as const, ...Array(19).fill([1, 1])];
      const happened = runModel({ ...plain, processes, offset: -behind, travels });
      expect(happened).toEqual({ ...allWell, sent: 21 });
    }
  });

  test('are rate limited at most once for each window that others used', () => {
    const others = fc.array(fc.constantFrom(-2, -1), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(courses({ others }), (course) => {
        const { refusedIn, sent, ...happened } = runModel(course);
        expect(happened).toMatchObject({ unfinished: 0, bans: 0, sentWhileBlocked: 0, excess: 0 });
        expect(new Set(refusedIn).size).toBe(refusedIn.length);
      }),
      { numRuns },
    );
  });

  test('are never banned and all end, for any losses, crashes and requests of others', () => {
    const others = fc.array(millisecondsWithin(300_000), { maxLength: 60 });
    fc.assert(
      fc.property(courses({ fates, others }), (course) => {
        const happened = runModel(course);
        expect(happened).toMatchObject({ unfinished: 0, bans: 0, sentWhileBlocked: 0 });
      }),
      { numRuns },
    );
  });

  test('are rate limited at most once for each lost response', () => {
    fc.assert(
      fc.property(courses({ fates }), (course) => {
        const { refusedIn, excess } = runModel(course);
        const lost = course.fates.filter((fate) => fate === 'lost' || fate === 'crashed').length;
        expect(refusedIn.length).toBeLessThanOrEqual(lost);
        expect(excess).toBeLessThanOrEqual(lost);
      }),
      { numRuns },
    );
  });
  test('are banned without a gate', () => {
    expect(runModel(plain)).toEqual({ ...allWell, sent: 20 });
    expect(runModel({ ...plain, hasGate: false }).bans).toBeGreaterThan(0);
  });
});
const numRuns = 40;
const allWell = { unfinished: 0, refusedIn: [], bans: 0, sentWhileBlocked: 0, excess: 0 };

const plain: Course = {
  limits: { perMinute: 5, perDay: 100 },
  others: [],
  processes: [Array.from({ length: 20 }, () => 0)],
  travels: [[10, 10]],
  fates: [],
  lucks: [],
  offset: 0,
  tellsRetryAfter: true,
  hasGate: true,
};
