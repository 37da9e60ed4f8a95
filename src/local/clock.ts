import type { Clock } from '../contract/clock.js';

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', stop);
          resolve();
        },
        Math.min(ms, longestTimer),
      );
      signal?.addEventListener('abort', stop, { once: true });
    }),
};

/** A clock that stands at `start` now, and goes on as the given one does. */
export function clockFrom(start: number, clock: Clock): Clock {
  const ahead = start - clock.now();
  return { now: () => clock.now() + ahead, sleep: clock.sleep };
}

/** Node.js fires a longer timer at once. */
const longestTimer = 2 ** 31 - 1;
