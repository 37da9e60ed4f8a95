import { follow } from '../contract/abort.js';
import type { Clock } from '../contract/clock.js';

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => {
          unfollow?.();
          resolve();
        },
        Math.min(ms, longestTimer),
      );
      const stop = (reason: unknown) => {
        clearTimeout(timer);
        reject(reason);
      };
      const unfollow = signal && follow(signal, stop);
    }),
};

/** A clock that stands at `start` now, and goes on as the given one does. */
export function clockFrom(start: number, clock: Clock): Clock {
  const ahead = start - clock.now();
  return { now: () => clock.now() + ahead, sleep: clock.sleep };
}

/** Node.js fires a longer timer at once. */
const longestTimer = 2 ** 31 - 1;
