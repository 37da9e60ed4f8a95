import type { Clock } from '../clock.js';

/** How long a call may still take, in milliseconds, at least `least` in all. Throws once nothing is left. */
export type LeftFor = (least?: number) => number;

/**
 * The time that one slow thing may take of this process: what calls use up comes back as time passes in which nothing
 * waits for it. `late` makes what is thrown where none is left.
 */
export function createAllowance(whole: number, clock: Clock, late: () => Error) {
  let left = whole;
  let leftAt = 0;
  return {
    /** Runs work within what is left. */
    spend: async <Result>(work: (leftFor: LeftFor) => Promise<Result>): Promise<Result> => {
      const begin = clock.now();
      left = Math.min(whole, left + Math.max(0, begin - leftAt));
      let given = left;
      const spent = () => Math.max(0, clock.now() - begin);
      const leftFor = (least = 0) => {
        given = Math.max(given, least);
        if (spent() >= given) throw late();
        return given - spent();
      };
      try {
        return await work(leftFor);
      } finally {
        left = Math.max(0, given - spent());
        leftAt = clock.now();
      }
    },
  };
}
