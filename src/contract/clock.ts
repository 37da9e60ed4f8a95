import { type AbortSignalLike, createAborter } from './abort.js';

/** In milliseconds. */
export const day = 86_400_000;

/** Time as it is passed around: what is decided by the time goes by this, and never by the machine's own clock. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal?: AbortSignalLike): Promise<void>;
}

/**
 * Waits for work, but no longer than so many milliseconds: then what `late` does holds, which mostly throws. Its signal
 * is aborted once the work is over.
 */
export async function withTimeout<Result>(
  work: Promise<Result>,
  ms: number,
  clock: Clock,
  late: (over: AbortSignalLike) => Result | Promise<Result>,
): Promise<Result> {
  const over = createAborter();
  const waiting = clock.sleep(ms, over.signal).then(() => late(over.signal));
  waiting.catch(() => {});
  try {
    return await Promise.race([work, waiting]);
  } finally {
    over.abort();
  }
}
