import type { Clock } from '../clock.js';
import { castToBigint, type DatabaseClock, sql } from './sql.js';

/** Creates a clock that follows PostgreSQL's time. A simulated clock only sets the time at which it starts. */
export function createDatabaseClock(clock: Clock) {
  /** The simulated time minus PostgreSQL's, constant. */
  let simulatedMs: number | undefined;
  /** This clock minus the clock of the process. */
  let offsetMs: number | undefined;
  return {
    /** Adjusts the clock to the current time of PostgreSQL. */
    adjust: (timeMs: number) => {
      simulatedMs ??= clock.isSimulated ? clock.now() - timeMs : 0;
      const measured = timeMs + simulatedMs - clock.now();
      // Smaller differences are the latency of the response.
      if (offsetMs === undefined || Math.abs(measured - offsetMs) > toleranceMs) offsetMs = measured;
    },
    toSharedClock: (): DatabaseClock => ({
      now: () => clock.now() + (offsetMs ?? 0),
      expression: sql`(${castToBigint(sql`date_part('epoch', statement_timestamp()) * 1000`)} + ${castToBigint(simulatedMs ?? 0)})`,
    }),
  };
}

const toleranceMs = 100;
