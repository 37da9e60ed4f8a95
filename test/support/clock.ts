import type { Clock } from '../../src/clock.js';

export interface FakeClock extends Clock {
  /** Every wait that was asked for, in milliseconds. */
  readonly waits: readonly number[];
  /** Moves time on (or back) and ends the waits that are over. */
  advance(ms: number): void;
}

/** A clock that stands still until it is told to move; a wait never takes real time. */
export function fakeClock(start = Date.UTC(2026, 10, 21, 12)): FakeClock {
  let now = start;
  const waits: number[] = [];
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    waits,
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
 * A clock that moves on by what anybody sleeps, at once, and by nothing else: waits take no time, and every
 * time that is told can be told beforehand. Whoever sleeps for more than `longest` sleeps for ever: deadlines.
 */
export function leapingClock(start = Date.UTC(2026, 10, 21, 12), longest = 3_600_000): FakeClock {
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
        if (ms > longest) return;
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
 * A clock that moves to the end of the next sleep whenever nobody has asked it for a moment: work takes no time on
 * it, and neither do waits. What this process waits for is work, however long a machine that is busy takes for it:
 * files that are read and written, and whatever else has come when the moment is over.
 */
export function idleClock(start = Date.now()): FakeClock {
  const { now, ...clock } = fakeClock(start);
  const ends = new Set<number>();
  let asked = 0;
  let isTicking = false;
  const tick = () => {
    const isIdle = asked === 0 && !process.getActiveResourcesInfo().some(isOfFiles);
    asked = 0;
    if (isIdle) clock.advance(Math.max(0, Math.min(...ends) - now()));
    for (const end of ends) if (end <= now()) ends.delete(end);
    isTicking = ends.size > 0;
    if (isTicking) wait();
  };
  // A timer that is late runs before what has come in the meantime.
  const wait = () => setTimeout(() => setImmediate(tick), 3);
  return {
    ...clock,
    now: () => {
      asked += 1;
      return now();
    },
    sleep: async (ms, signal) => {
      asked += 1;
      const end = now() + ms;
      ends.add(end);
      if (!isTicking) wait();
      isTicking = true;
      await clock.sleep(ms, signal);
    },
  };
}

function isOfFiles(resource: string): boolean {
  return resource.startsWith('FSReq');
}
