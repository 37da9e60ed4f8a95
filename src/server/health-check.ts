import type { Clock } from '../clock.js';
import { addressSubject, countRequest } from './rate-limits.js';
import { Rejection } from './responses.js';
import type { Database } from './sql.js';

/**
 * Returns a function that rejects with a `DatabaseError` if a request to the API would fail: pets can be read, pets and
 * counters can be written. Checks at most once per second, however many probes arrive. Rejects with a `Rejection` while the
 * server drains, so that load balancers send requests elsewhere.
 */
export function createHealthCheck(database: Database, clock: Clock, isDraining: () => boolean): () => Promise<void> {
  let checkedAt = Number.NaN;
  let result: Promise<void> = Promise.resolve();
  return async () => {
    if (isDraining()) throw new Rejection('unavailable', 'the server is shutting down', { 'retry-after': '1' });
    const age = clock.now() - checkedAt;
    if (!(age >= 0 && age < maxAgeMs)) {
      checkedAt = clock.now();
      result = check(database, checkedAt);
      // Every caller gets the rejection; without callers it is nothing to report.
      result.catch(() => {});
    }
    return result;
  };
}

const maxAgeMs = 1_000;

const changeNoPet = 'UPDATE pets SET name = name, category_id = category_id, status = status WHERE id = -1';

async function check(database: Database, now: number): Promise<void> {
  // As writes, all three join one transaction.
  await Promise.all([
    database.writeUnsynced({ text: 'SELECT id, name, category_id, status FROM pets LIMIT 1' }),
    database.writeUnsynced({ text: changeNoPet }),
    countRequest(database, addressSubject('/healthz'), now),
  ]);
}
