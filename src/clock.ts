/** One minute in milliseconds. */
export const minuteMs = 60_000;

/** One day in milliseconds. */
export const dayMs = 86_400_000;

/** The time, injected: decisions that depend on time use this clock, so that tests can set it. */
export interface Clock {
  /** Returns milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason once it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Whether the time is simulated, not that of the machine. */
  readonly isSimulated?: boolean;
}

/** Node.js fires a timer that is longer than this at once. In milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        Math.min(ms, maxTimerMs),
      );
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};

/** Returns a clock that reads `start` now and advances with the given clock. */
export function clockFrom(start: number, clock: Clock): Clock {
  const offset = start - clock.now();
  return { now: () => clock.now() + offset, sleep: clock.sleep, isSimulated: true };
}

/** Returns a signal that is aborted `ms` milliseconds after `signal`. `stop` ends the delay without aborting it. */
export function delayAbort(signal: AbortSignal, ms: number, clock: Clock) {
  const delayed = new AbortController();
  const stopped = new AbortController();
  const start = () => {
    clock.sleep(ms, stopped.signal).then(
      () => delayed.abort(signal.reason),
      () => {},
    );
  };
  signal.addEventListener('abort', start, { once: true });
  if (signal.aborted) start();
  return {
    signal: delayed.signal,
    stop: () => {
      signal.removeEventListener('abort', start);
      stopped.abort();
    },
  };
}

/**
 * Returns the result of `work`, or after `ms` milliseconds that of `onTimeout`, which usually throws. The signal that
 * `onTimeout` gets is aborted once `work` has settled.
 */
export async function withTimeout<Result>(
  work: Promise<Result>,
  ms: number,
  clock: Clock,
  onTimeout: (settled: AbortSignal) => Result | Promise<Result>,
): Promise<Result> {
  const settled = new AbortController();
  const timeout = clock.sleep(ms, settled.signal).then(() => onTimeout(settled.signal));
  timeout.catch(() => {});
  try {
    return await Promise.race([work, timeout]);
  } finally {
    settled.abort();
  }
}
