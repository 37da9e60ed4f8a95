import { minuteMs } from '../clock.js';
import type { Command, Hint, HintParts } from '../failure.js';

/** Waits of more than an hour are not worth waiting for. In milliseconds. */
const maxSuggestedWaitMs = 3_600_000;

export interface LimitHintOptions {
  /** How to get a higher limit from this service. */
  readonly serviceHint?: HintParts | undefined;
  readonly maxWaitMs: number;
  /** The flags that select the service in another command. */
  readonly serviceFlags: readonly string[];
}

/** Returns the hint for a wait of so many milliseconds. */
export type LimitHint = (waitMs: number) => Hint | undefined;

/** Returns the hint for an exhausted quota: how to get a higher limit, or the `--max-wait` that suffices. */
export function createLimitHint({ serviceHint, maxWaitMs, serviceFlags }: LimitHintOptions): LimitHint {
  return (waitMs) => {
    const hints: HintParts[] = serviceHint ? [serviceHint] : [];
    if (!serviceHint && waitMs > maxSuggestedWaitMs) {
      const reset: Command = { words: ['quota', '--reset', ...serviceFlags] };
      hints.push(['run ', reset, ' if the limit was raised']);
    }
    if (waitMs > maxWaitMs && waitMs <= maxSuggestedWaitMs) {
      // At least the length of a minute's window: a long list waits for several of them.
      const seconds = Math.ceil(Math.max(waitMs, minuteMs) / 1000);
      hints.push(['pass ', { words: ['--max-wait', String(seconds)], isAddition: true, isNext: true }, ' to wait']);
    }
    return hints.length > 0 ? hints.flatMap((hint, index) => (index > 0 ? [', or ', ...hint] : hint)) : undefined;
  };
}
