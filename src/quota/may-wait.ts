import { minuteMs } from '../clock.js';
import type { Obstacle } from './gate-rules.js';

/** The longest wait for a window of a minute, in milliseconds: resets and dates are in whole seconds. */
const maxMinuteWaitMs = minuteMs + 3_000;

/** Returns whether a request waits for the end of an obstacle; otherwise it fails. */
export function mayWait(reason: Obstacle['reason'], waitMs: number, maxWaitMs: number): boolean {
  if (reason === 'probe-in-flight' || waitMs <= maxWaitMs) return true;
  if (reason !== 'window' || maxWaitMs === 0) return false;
  // Resets are in whole seconds, so a wait may seem up to a second longer.
  if (Math.floor(waitMs / 1000) * 1000 <= maxWaitMs) return true;
  return maxWaitMs >= minuteMs && waitMs <= maxMinuteWaitMs;
}
