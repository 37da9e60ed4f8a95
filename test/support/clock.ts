import { type Clock, systemClock } from '../../src/clock.js';

/** A clock that a test advances. */
export interface FakeClock extends Clock {
  /** The requested waits, in milliseconds. */
  readonly waits: readonly number[];
  /** Moves the time and ends elapsed waits. */
  advance(ms: number): void;
}

/** A clock for real work that takes longer than its deadline on a busy machine. */
export const patientClock: Clock = {
  now: systemClock.now,
  sleep: (ms, signal) => systemClock.sleep(20 * ms, signal),
};

/** Returns a clock that only moves by `advance`. */
export function fakeClock(start = Date.UTC(2026, 10, 21, 12)): FakeClock {
  let now = start;
  const waits: number[] = [];
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    waits,
    isSimulated: true,
    now: () => now,
    sleep: (ms, signal) => {
      waits.push(ms);
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => {
          sleepers.delete(sleeper);
          reject(signal?.reason);
        };
        const wake = () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        };
        const sleeper = { until: now + ms, wake };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      });
    },
    advance: (ms) => {
      now += ms;
      for (const sleeper of sleepers) {
        if (sleeper.until > now) continue;
        sleepers.delete(sleeper);
        sleeper.wake();
      }
    },
  };
}

/**
 * Returns a clock that each sleep advances at once, so waits take no real time and all times are predictable. A sleep
 * longer than `maxMs` never ends, so deadlines never fire.
 */
export function autoAdvancingClock(start = Date.UTC(2026, 10, 21, 12), maxMs = 3_600_000): FakeClock {
  let now = start;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const stop = () => reject(signal?.reason);
        signal?.addEventListener('abort', stop, { once: true });
        if (ms > maxMs) return;
        waits.push(ms);
        const until = now + ms;
        setImmediate(() => {
          signal?.removeEventListener('abort', stop);
          now = Math.max(now, until);
          resolve();
        });
      }),
  };
}

/**
 * Returns a clock that advances to the end of the next sleep as soon as the process is idle: no recent call of the
 * clock and no pending file access. Neither work nor waits take time on it. It does not advance for a sleep longer than
 * `maxMs`, such as a deadline.
 */
export function idleClock(start = Date.now(), maxMs = Number.POSITIVE_INFINITY): FakeClock {
  const { now, ...clock } = fakeClock(start);
  const sleeps = new Set<{ readonly end: number }>();
  let asked = 0;
  let isTicking = false;
  const tick = () => {
    const isIdle = asked === 0 && !process.getActiveResourcesInfo().some(isFileAccess);
    asked = 0;
    if (isIdle && sleeps.size > 0) clock.advance(Math.max(0, Math.min(...[...sleeps].map(({ end }) => end)) - now()));
    isTicking = sleeps.size > 0;
    if (isTicking) wait();
  };
  // A late timer runs before pending I/O events.
  const wait = () => setTimeout(() => setImmediate(tick), 3);
  return {
    ...clock,
    now: () => {
      asked += 1;
      return now();
    },
    sleep: async (ms, signal) => {
      asked += 1;
      const sleep = { end: now() + ms };
      if (ms <= maxMs) sleeps.add(sleep);
      if (!isTicking) wait();
      isTicking = true;
      await clock.sleep(ms, signal).finally(() => sleeps.delete(sleep));
    },
  };
}

function isFileAccess(resource: string): boolean {
  return resource.startsWith('FSReq');
}
