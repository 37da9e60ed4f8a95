import { minuteMs } from '../clock.js';
import type { Command, Hint, HintParts } from '../failure.js';
import { formatDuration } from '../format/duration.js';
import type { Wait } from '../quota/admit.js';

/** Waits of more than an hour are not worth waiting for. In milliseconds. */
const maxSuggestedWaitMs = 3_600_000;

export interface LimitHintOptions {
  /** How to get a higher limit from this service. */
  readonly serviceHint?: HintParts | undefined;
  readonly maxWaitMs: number;
  /** The flags that select the service in another command. */
  readonly serviceFlags: readonly string[];
}

interface LimitedRequest {
  /** The request never waits. */
  readonly once?: boolean | undefined;
  /** The quota state held the request back, which the service might accept since. */
  readonly isHeldBack?: boolean;
}

/** Returns the hint for a wait of so many milliseconds. */
export type LimitHint = (waitMs: number, request?: LimitedRequest) => Hint | undefined;

/** Returns the hint for an exhausted quota: how to get a higher limit, and the `--max-wait` that suffices or when to retry. */
export function createLimitHint({ serviceHint, maxWaitMs, serviceFlags }: LimitHintOptions): LimitHint {
  return (waitMs, { once = false, isHeldBack = false } = {}) => {
    const hints: HintParts[] = serviceHint ? [serviceHint] : [];
    if (!serviceHint && isHeldBack && waitMs > maxSuggestedWaitMs) {
      const reset: Command = { words: ['quota', '--reset', ...serviceFlags] };
      hints.push(['run ', reset, ' if the limit was raised']);
    }
    if (once && waitMs > 0) hints.push([`retry in ${formatDuration(waitMs)}`]);
    if (!once && waitMs > maxWaitMs && waitMs <= maxSuggestedWaitMs) {
      // At least the length of a minute's window: a long list waits for several of them.
      const seconds = Math.ceil(Math.max(waitMs, minuteMs) / 1000);
      hints.push(['pass ', { words: ['--max-wait', String(seconds)], isAddition: true, isNext: true }, ' to wait']);
    }
    return hints.length > 0 ? hints.flatMap((hint, index) => (index > 0 ? [', or ', ...hint] : hint)) : undefined;
  };
}

/** The longest wait for a window of a minute, in milliseconds: resets and dates are in whole seconds. */
const maxMinuteWaitMs = minuteMs + 3_000;

/** Returns whether a request waits so long; otherwise it fails. */
export function mayWait(reason: Wait['reason'], waitMs: number, maxWaitMs: number): boolean {
  if (reason === 'probe-in-flight' || waitMs <= maxWaitMs) return true;
  if (reason === 'block' || maxWaitMs === 0) return false;
  // Resets are in whole seconds, so a wait may seem up to a second longer.
  if (Math.floor(waitMs / 1000) * 1000 <= maxWaitMs) return true;
  return maxWaitMs >= minuteMs && waitMs <= maxMinuteWaitMs;
}
