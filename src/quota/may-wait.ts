import { minuteMs } from '../clock.js';
import type { Obstacle } from './gate-rules.js';
import type { LedgerEntry } from './ledger.js';

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

/**
 * Returns when a diagnosis may be sent despite an obstacle, in milliseconds since the Unix epoch: the service may have
 * raised the limit. It is sent at once in an exhausted window, but only once per minute after a 429 for the day's quota.
 * Returns undefined if it must not be sent.
 */
export function findDiagnosisTime({ seenAt }: LedgerEntry, obstacle: Obstacle): number | undefined {
  const { reason, reservedLimit, dayLimit } = obstacle;
  if (reason === 'window') return reservedLimit === undefined ? 0 : undefined;
  return reason === 'block' && dayLimit !== undefined ? seenAt + minuteMs : undefined;
}
