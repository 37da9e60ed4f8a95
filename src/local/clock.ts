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

/** Node.js fires a longer timer at once. */
const longestTimer = 2 ** 31 - 1;
