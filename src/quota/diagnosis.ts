import { minuteMs } from '../clock.js';
import type { Obstacle } from './gate-rules.js';
import type { LedgerEntry } from './ledger.js';

/** The number of times that the pause between two diagnoses doubles: up to 64 minutes. */
const maxDoublings = 6;

/**
 * Returns why a diagnosis may not be sent despite an obstacle, or undefined if it may: only a request shows that the
 * service has raised the limit of the day. After a 429, the pause between two diagnoses is a minute and doubles with each
 * further 429; the obstacle then has `diagnosisAt`. In an exhausted window, one diagnosis is in flight at a time.
 */
export function findDiagnosisObstacle(entry: LedgerEntry, obstacle: Obstacle, now: number): Obstacle | undefined {
  const { seenAt, diagnosedAt = 0, rateLimitedStreak, reservations } = entry;
  const { reason, reservedLimit, dayLimit } = obstacle;
  const isLimited = reason === 'window' ? reservedLimit === undefined : reason === 'block' && dayLimit !== undefined;
  if (!isLimited) return obstacle;
  if (reason === 'block') {
    const pauseMs = minuteMs * 2 ** Math.min(Math.max(0, rateLimitedStreak - 1), maxDoublings);
    const diagnosisAt = Math.max(seenAt, diagnosedAt) + pauseMs;
    // Reservations do not count: an import that waits has one.
    return now < diagnosisAt ? { ...obstacle, diagnosisAt } : undefined;
  }
  if (reservations.length === 0) return undefined;
  const endsAt = Math.max(...reservations.map((one) => one.endsAt));
  return { reason: 'probe-in-flight', endsAt, marginMs: 0 };
}
