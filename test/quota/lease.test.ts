import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Clock } from '../../src/clock.js';
import { openGate } from '../../src/quota/gate.js';
import { leaseLedger } from '../../src/quota/lease.js';
import { emptyLedgerEntry, type Ledger } from '../../src/quota/ledger.js';
import { parseRateLimitInfo } from '../../src/quota/rate-limit-info.js';
// The gate loads it when it is first needed, which takes longer than a turn of the model.
import '../../src/quota/reserve.js';
import { memoryLedger, type TestLedger } from '../support/ledger.js';
import { createModelService } from '../support/rate-model.js';

/** Returns a clock that advances to the end of the next sleep when nothing else can run. */
function virtualTime() {
  let now = Date.UTC(2026, 10, 21, 12);
  const sleepers: { readonly endsAt: number; readonly wake: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    sleep: (ms) =>
      new Promise((wake) => {
        sleepers.push({ endsAt: now + Math.max(0, ms), wake });
      }),
  };
  const run = async (work: Promise<unknown>) => {
    let isOver = false;
    void work.finally(() => {
      isOver = true;
    });
    for (let turns = 0; turns < 20_000; turns += 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (isOver) return work;
      sleepers.sort((a, b) => a.endsAt - b.endsAt);
      now = Math.max(now, sleepers[0]?.endsAt ?? now);
      while (sleepers[0] && sleepers[0].endsAt <= now) sleepers.shift()?.wake();
    }
    throw new Error('the model does not end');
  };
  return { clock, run };
}

interface TestProcess {
  readonly requests: number;
  /** The number of concurrent requests. */
  readonly lanes: number;
  readonly leases: boolean;
}

interface Scenario {
  readonly perMinute: number;
  readonly processes: readonly TestProcess[];
  readonly latencies: readonly number[];
  /** Requests of others with the same API key before ours. */
  readonly others: number;
  /** The latency of a ledger on another machine. */
  readonly remote?: number;
  /** The requests of each window that processes leave. */
  readonly reserve?: number;
}

/** Returns a ledger with latency. It repeats an edit if another process was faster. */
function withLatency(shared: TestLedger, clock: Clock, latency: number): Ledger {
  return {
    ...shared,
    update: async (edit) => {
      let before = shared.entry;
      for (;;) {
        await clock.sleep(latency);
        const [after, result] = edit(before);
        await clock.sleep(latency);
        if (shared.entry === before) {
          shared.entry = after;
          return result;
        }
        before = shared.entry;
      }
    },
  };
}

async function play({ perMinute, processes, latencies, others, remote = 0, reserve = 0 }: Scenario) {
  const { clock, run } = virtualTime();
  const shared = memoryLedger();
  const service = createModelService({ perMinute, perDay: 1_000_000 }, true);
  for (let sent = 0; sent < others; sent += 1) service.count(clock.now(), 'others');
  let succeeded = 0;
  let sent = 0;
  let blockedUntil = 0;
  let sentWhileBlocked = 0;
  let lowest = perMinute;
  const send = async (gate: ReturnType<typeof openGate>): Promise<void> => {
    const permit = await gate.enter(new AbortController().signal, 31_000);
    const sentAt = clock.now();
    if (sentAt < blockedUntil) sentWhileBlocked += 1;
    const latency = latencies[sent % latencies.length] ?? 1;
    sent += 1;
    await clock.sleep(latency);
    const response = service.count(clock.now(), 'us');
    lowest = Math.min(lowest, response.left);
    await clock.sleep(latency);
    const info = parseRateLimitInfo(response, sentAt, clock.now());
    if (response.status !== 200) blockedUntil = Math.max(blockedUntil, info.retryAt ?? 0);
    await permit.recordResponse(info);
    if (response.status !== 200) return send(gate);
    succeeded += 1;
  };
  const runProcess = async ({ requests, lanes, leases }: TestProcess, index: number) => {
    const ledger = remote > 0 ? withLatency(shared, clock, remote) : shared;
    const own: Ledger = { ...ledger, owner: `${index + 1} here` };
    const lease = leases ? leaseLedger(own, clock, reserve) : undefined;
    const gate = openGate({
      ledger: lease ?? own,
      clock,
      label: 'staging',
      random: () => 0.5,
      reserve,
      maxWaitMs: 86_400_000,
      limitHint: () => undefined,
      onWait: () => async () => {},
    });
    let left = requests;
    const lane = async () => {
      while (left > 0) {
        left -= 1;
        await send(gate);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    await own.flush();
    await lease?.release();
  };
  await run(Promise.all(processes.map(runProcess)));
  const rateLimited = service.rateLimitedIn.length;
  return { succeeded, sent, sentWhileBlocked, rateLimited, bans: service.bans(), shared, lowest };
}

const processes = fc.array(
  fc.record({
    requests: fc.integer({ min: 1, max: 60 }),
    lanes: fc.integer({ min: 1, max: 8 }),
    leases: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);
const latency = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 3_000 }));
const latencies = fc.array(latency, { minLength: 1, maxLength: 6 });

test('never sends more requests than remain, with and without leases', async () => {
  const perMinute = fc.integer({ min: 1, max: 60 });
  const remote = fc.constantFrom(0, 0, 1, 7);
  const scenarios = fc.record({ perMinute, processes, latencies, others: fc.constant(0), remote });
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const total = scenario.processes.reduce((sum, { requests }) => sum + requests, 0);
      const perMinute = Math.max(scenario.perMinute, Math.ceil(total / 5));
      const { shared, lowest: _, ...result } = await play({ ...scenario, perMinute });
      const none = { sentWhileBlocked: 0, rateLimited: 0, bans: 0 };
      expect(result).toEqual({ succeeded: total, sent: total, ...none });
      expect(shared.entry.reservations).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test('leaves the reserve of each window, with and without leases', async () => {
  const remote = fc.constantFrom(0, 0, 1, 7);
  const reserve = fc.integer({ min: 1, max: 30 });
  const scenarios = fc.record({ processes, latencies, others: fc.constant(0), remote, reserve });
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const total = scenario.processes.reduce((sum, { requests }) => sum + requests, 0);
      const perMinute = scenario.reserve + Math.max(3, Math.ceil(total / 5));
      const { succeeded, lowest, rateLimited } = await play({ ...scenario, perMinute });
      expect({ succeeded, rateLimited }).toEqual({ succeeded: total, rateLimited: 0 });
      expect(lowest).toBeGreaterThanOrEqual(scenario.reserve);
    }),
    { numRuns: 30 },
  );
});

test('stops after one rate-limited response if others exhausted the quota', async () => {
  const processes = Array.from({ length: 3 }, () => ({ requests: 30, lanes: 8, leases: true }));
  const scenario = { perMinute: 40, processes, latencies: [5, 9], others: 40 };
  const { shared, lowest: _, ...result } = await play(scenario);
  const expected = { succeeded: 90, sent: 91, sentWhileBlocked: 0, rateLimited: 1, bans: 0 };
  expect(result).toEqual(expected);
  expect(shared.entry.block).toBeUndefined();
});

/** Returns a ledger with an open window of a minute. */
function openWindow(clock: Clock, remaining: number): TestLedger {
  const now = clock.now();
  const span = { startedAt: now, endsAt: now + 60_000 };
  const window = { ...span, limit: 100, remaining, clockUncertaintyMs: 0 };
  const quota = { limit: 100, remaining, resetAt: now + 60_000 };
  return memoryLedger({ ...emptyLedgerEntry, quota, seenAt: now, windows: [window] });
}

/** Returns a ledger that counts its updates and calls `beforeUpdate` with the count. */
function countUpdates(shared: Ledger, beforeUpdate = async (_: number): Promise<void> => {}) {
  const counts = { updates: 0 };
  const update: Ledger['update'] = async (edit) => {
    counts.updates += 1;
    await beforeUpdate(counts.updates);
    return shared.update(edit);
  };
  return { counts, ledger: { ...shared, update } };
}

const touch = (ledger: Ledger) => ledger.update((entry) => [entry, entry]);

test('leases half of the remaining requests and returns them', async () => {
  const { clock } = virtualTime();
  const shared = openWindow(clock, 40);
  const lease = leaseLedger(shared, clock);
  await touch(lease);
  expect(shared.entry.reservations).toMatchObject([{ owner: shared.owner, count: 20 }]);
  const other = leaseLedger({ ...shared, owner: '2 here' }, clock);
  await touch(other);
  expect(shared.entry.reservations.map(({ count }) => count)).toEqual([20, 10]);
  await lease.release();
  expect(shared.entry.reservations).toMatchObject([{ owner: '2 here', count: 10 }]);
});

test('takes no share after the release if a sync is running', async () => {
  const { clock, run } = virtualTime();
  const shared = openWindow(clock, 40);
  let go = () => {};
  const slow = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { ledger } = countUpdates(shared, (count) => (count === 2 ? slow : Promise.resolve()));
  const lease = leaseLedger(ledger, clock);
  await touch(lease);
  await run(clock.sleep(300));
  await touch(lease);
  const ended = lease.release();
  go();
  await ended;
  await run(clock.sleep(300));
  expect(shared.entry.reservations).toEqual([]);
});

test('counts the share of a killed process as sent once', async () => {
  const { clock, run } = virtualTime();
  const shared = openWindow(clock, 40);
  await touch(leaseLedger({ ...shared, owner: '7 here' }, clock));
  shared.ended.add('7 here');
  const lease = leaseLedger(shared, clock);
  for (let times = 0; times < 5; times += 1) {
    await touch(lease);
    await run(clock.sleep(300));
  }
  expect(shared.entry.windows).toMatchObject([{ remaining: 20 }]);
  expect(shared.entry.reservations).toMatchObject([{ owner: shared.owner, count: 1 }]);
});

test('syncs before a request that only an outdated copy allows, because a process has ended since', async () => {
  const { clock } = virtualTime();
  const now = clock.now();
  const probe = { id: '7 here 1', owner: '7 here', startedAt: now, endsAt: now + 31_000, rateLimitedStreak: 0 };
  const shared = memoryLedger({ ...emptyLedgerEntry, reservations: [probe] });
  const lease = leaseLedger(shared, clock);
  await touch(lease);
  shared.ended.add('7 here');
  shared.entry = openWindow(clock, 0).entry;
  const gate = openGate({
    ledger: lease,
    clock,
    label: 'staging',
    random: () => 0.5,
    maxWaitMs: 0,
    limitHint: () => undefined,
    onWait: () => async () => {},
  });
  const entering = gate.enter(new AbortController().signal, 31_000);
  await expect(entering).rejects.toThrow('no requests are left in this window');
});

/** Reserves a request of the lease, which stays in flight. */
function reserveRequest(lease: Ledger, clock: Clock, id: string): Promise<void> {
  return lease.update((entry) => {
    const request = { id, owner: lease.owner, startedAt: 0, endsAt: clock.now() + 100, rateLimitedStreak: 0 };
    return [{ ...entry, reservations: [...entry.reservations, request] }, undefined];
  });
}

test('leases twice as many requests as were used since the last sync', async () => {
  const { clock, run } = virtualTime();
  const shared = openWindow(clock, 100);
  const lease = leaseLedger(shared, clock);
  for (const id of ['a', 'b', 'c']) await reserveRequest(lease, clock, id);
  expect(shared.entry.reservations).toMatchObject([{ count: 50 }]);
  await run(clock.sleep(600));
  await touch(lease);
  // Those in flight count, too.
  expect(shared.entry.reservations).toMatchObject([{ count: 3 + 6 }]);
});

test('leases half of what remains after its requests in flight', async () => {
  const { clock, run } = virtualTime();
  const shared = openWindow(clock, 40);
  const lease = leaseLedger(shared, clock);
  for (let count = 0; count < 10; count += 1) await reserveRequest(lease, clock, String(count));
  await run(clock.sleep(600));
  await touch(lease);
  expect(shared.entry.reservations).toMatchObject([{ count: 10 + 15 }]);
});

test('a lease lasts as long as its longest request', async () => {
  const { clock } = virtualTime();
  const shared = openWindow(clock, 40);
  const lease = leaseLedger(shared, clock);
  await touch(lease);
  const endsAt = clock.now() + 3_600_000;
  const request = { id: 'a', owner: lease.owner, startedAt: clock.now(), endsAt, rateLimitedStreak: 0 };
  await lease.update((entry) => [{ ...entry, reservations: [request] }, undefined]);
  expect(shared.entry.reservations[0]?.endsAt).toBeGreaterThanOrEqual(endsAt);
});

test('shares a block at once, even if a sync is running', async () => {
  const { clock, run } = virtualTime();
  const shared = openWindow(clock, 40);
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let updates = 0;
  const update: Ledger['update'] = async (edit) => {
    updates += 1;
    const result = await shared.update(edit);
    if (updates > 1) await ended;
    return result;
  };
  const lease = leaseLedger({ ...shared, update }, clock);
  await touch(lease);
  await run(clock.sleep(300));
  await touch(lease);
  const now = clock.now();
  const block = { startedAt: now, endsAt: now + 60_000, clockUncertaintyMs: 0, maxJitterMs: 0 };
  const blocking = lease.update((entry) => [{ ...entry, block }, undefined]);
  end();
  await blocking;
  expect(shared.entry.block).toEqual(block);
});

test('syncs only after the interval', async () => {
  const { clock, run } = virtualTime();
  const { ledger, counts } = countUpdates(openWindow(clock, 40));
  const lease = leaseLedger(ledger, clock);
  for (let times = 0; times < 10; times += 1) await touch(lease);
  expect(counts.updates).toBe(1);
  await run(clock.sleep(300));
  await touch(lease);
  expect(counts.updates).toBe(2);
});
