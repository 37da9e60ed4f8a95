import type { Clock } from '../clock.js';

/** Returns the milliseconds that a call may still take. `minMs` raises the total for the call. Throws if none are left. */
export type GetRemainingMs = (minMs?: number) => number;

/** Time that calls may use up together. It refills as time passes between calls. */
export interface TimeBudget {
  run<Result>(work: (getRemainingMs: GetRemainingMs) => Promise<Result>): Promise<Result>;
}

/** Returns a full budget. `createError` makes the error for a call without time left. */
export function createTimeBudget(
  maxMs: number,
  clock: Clock,
  createError: () => Error,
): TimeBudget {
  let remainingMs = maxMs;
  let endedAt = 0;
  return {
    run: async (work) => {
      const startedAt = clock.now();
      remainingMs = Math.min(maxMs, remainingMs + Math.max(0, startedAt - endedAt));
      let totalMs = remainingMs;
      const computeRest = () => totalMs - Math.max(0, clock.now() - startedAt);
      try {
        return await work((minMs = 0) => {
          totalMs = Math.max(totalMs, minMs);
          if (computeRest() <= 0) throw createError();
          return computeRest();
        });
      } finally {
        remainingMs = Math.max(0, computeRest());
        endedAt = clock.now();
      }
    },
  };
}
