import type { Clock } from '../clock.js';
import { type Database, sql } from './sql.js';

/** Deletes the counters of addresses whose windows have ended. */
export async function deleteExpiredAddressCounters(database: Database, now: number): Promise<void> {
  const batchSize = 10_000;
  const deleteBatch = sql`
    DELETE FROM meters WHERE subject IN (
      SELECT subject FROM meters
      WHERE day_end < ${now} AND banned_until < ${now} AND subject LIKE 'address %' LIMIT ${batchSize})
    RETURNING subject`;
  while ((await database.write(deleteBatch)).length === batchSize);
}

/**
 * Returns a function to call for each request that is counted by address, which is what adds counters. At most every ten
 * minutes it deletes the expired ones, in the background.
 */
export function createCounterDeletion(database: Database, clock: Clock, onError: (error: unknown) => void): () => void {
  let deletedAt = clock.now();
  return () => {
    if (clock.now() - deletedAt < intervalMs) return;
    deletedAt = clock.now();
    deleteExpiredAddressCounters(database, deletedAt).catch(onError);
  };
}

const intervalMs = 10 * 60_000;
