import { minuteMs } from '../clock.js';
import type { Obstacle } from './gate-rules.js';
import type { LedgerEntry } from './ledger.js';

/** How often the pause after a 429 doubles: up to 64 minutes. */
const maxDoublings = 6;

/**
 * Returns why a diagnosis may not be sent despite an obstacle, or undefined if it may: only a request shows that the
 * service has raised the limit of the day. During a block, the next one may be sent a minute after a 429 or after another
 * diagnosis; each further 429 in a row doubles the time. The obstacle then has `diagnosisAt`. In an exhausted window, one
 * diagnosis is in flight at a time.
 */
export function findDiagnosisObstacle(
  entry: LedgerEntry,
  obstacle: Obstacle | undefined,
  now: number,
): Obstacle | undefined {
  const { seenAt, diagnosedAt = 0, rateLimitedStreak, reservations } = entry;
  if (obstacle?.reason === 'block' && obstacle.dayLimit !== undefined) {
    const pauseMs = minuteMs * 2 ** Math.min(Math.max(0, rateLimitedStreak - 1), maxDoublings);
    // The clock may have been set back.
    const latest = Math.max(...[0, seenAt, diagnosedAt].filter((time) => time <= now));
    const diagnosisAt = latest + pauseMs;
    // Reservations do not count: an import that waits has one.
    return now < diagnosisAt ? { ...obstacle, diagnosisAt } : undefined;
  }
  if (obstacle?.reason !== 'window' || obstacle.reservedLimit !== undefined) return obstacle;
  if (reservations.length === 0) return undefined;
  const endsAt = Math.max(...reservations.map((one) => one.endsAt));
  return { reason: 'probe-in-flight', endsAt, marginMs: 0 };
}
