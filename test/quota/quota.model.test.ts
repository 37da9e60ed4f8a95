import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type RequestFate, runModel, type Scenario } from '../support/quota-model.js';

const millisecondsWithin = (max: number) => fc.integer({ min: 0, max });

/** Generates scenarios. `overrides` fixes some of their properties. */
function scenarios(overrides: { readonly [Key in keyof Scenario]?: fc.Arbitrary<Scenario[Key]> } = {}) {
  return fc.record<Scenario>({
    limits: fc.record({
      perMinute: fc.integer({ min: 1, max: 8 }),
      perDay: fc.integer({ min: 1, max: 30 }),
    }),
    others: fc.constant([]),
    processes: fc.array(sendTimes, { minLength: 1, maxLength: 6 }),
    latencies: fc.array(fc.tuple(latency, latency), { minLength: 1, maxLength: 12 }),
    fates: fc.constant([]),
    jitters: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
    clockOffsetMs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: -3_000, max: 3_000 }),
      fc.integer({ min: -40_000_000, max: 40_000_000 }),
    ),
    sendsRetryAfter: fc.boolean(),
    hasQuota: fc.constant(true),
    ...overrides,
  });
}

const sendTimes = fc.array(fc.oneof(fc.constant(0), millisecondsWithin(150_000)), {
  minLength: 1,
  maxLength: 8,
});
const latency = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 14_000 }));
const fates = fc.array(fc.constantFrom<RequestFate>('responded', 'lost', 'never-arrived', 'unsent', 'crashed'), {
  maxLength: 20,
});

describe('processes that share a quota state', () => {
  test('are never rate limited if no one else uses the API key', () => {
    fc.assert(
      fc.property(scenarios(), (scenario) => {
        const { sent, ...result } = runModel(scenario);
        expect(result).toEqual(allWell);
        expect(sent).toBe(scenario.processes.flat().length);
      }),
      { numRuns },
    );
  });

  test('are never rate limited if the clock of the service is less than a second behind', () => {
    const processes = [...plain.processes, [60_000 + 1]];
    for (const behind of [10, 500, 999]) {
      // The first request arrives on a whole second, so that its reset is exact.
      const latencies = [[behind, 1] as const, ...Array(19).fill([1, 1])];
      const result = runModel({ ...plain, processes, clockOffsetMs: -behind, latencies });
      expect(result).toEqual({ ...allWell, sent: 21 });
    }
  });

  test('are rate limited at most once for each window that others used', () => {
    const others = fc.array(fc.constantFrom(-2, -1), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(scenarios({ others }), (scenario) => {
        const { rateLimitedIn, sent, ...result } = runModel(scenario);
        expect(result).toMatchObject(noTrouble);
        expect(new Set(rateLimitedIn).size).toBe(rateLimitedIn.length);
      }),
      { numRuns },
    );
  });

  test('finish and are never banned, for any losses, crashes and requests of others', () => {
    const others = fc.array(millisecondsWithin(300_000), { maxLength: 60 });
    fc.assert(
      fc.property(scenarios({ fates, others }), (scenario) => {
        const result = runModel(scenario);
        expect(result).toMatchObject({ unfinished: 0, bans: 0, sentWhileBlocked: 0 });
      }),
      { numRuns },
    );
  });

  test('are rate limited at most once for each lost response', () => {
    fc.assert(
      fc.property(scenarios({ fates }), (scenario) => {
        const { rateLimitedIn, excess, lost } = runModel(scenario);
        expect(rateLimitedIn.length).toBeLessThanOrEqual(lost);
        expect(excess).toBeLessThanOrEqual(lost);
      }),
      { numRuns, examples: [[crashWithTwoInFlight]] },
    );
  });

  test('are banned without the quota state', () => {
    expect(runModel(plain)).toEqual({ ...allWell, sent: 20 });
    expect(runModel({ ...plain, hasQuota: false }).bans).toBeGreaterThan(0);
  });
});

const numRuns = 40;
const noTrouble = { unfinished: 0, bans: 0, sentWhileBlocked: 0, excess: 0 };
const allWell = { ...noTrouble, rateLimitedIn: [], lost: 0 };

const plain: Scenario = {
  limits: { perMinute: 5, perDay: 100 },
  others: [],
  processes: [Array(20).fill(0)],
  latencies: [[10, 10]],
  fates: [],
  jitters: [],
  clockOffsetMs: 0,
  sendsRetryAfter: true,
  hasQuota: true,
};

/** A crash loses the response of the request before it, too. */
const crashWithTwoInFlight: Scenario = {
  ...plain,
  limits: { perMinute: 5, perDay: 5 },
  processes: [Array(4).fill(0), Array(3).fill(0)],
  latencies: [...Array(3).fill([1, 1]), [202, 98], [7, 93], [197, 1]],
  fates: ['responded', 'responded', 'unsent', 'responded', 'responded', 'crashed'],
  jitters: [0],
  sendsRetryAfter: false,
};
