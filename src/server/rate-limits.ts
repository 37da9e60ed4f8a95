import { type PlanLimits, plans } from '../api/plan.js';
import type { Quota } from '../api/rate-limit-headers.js';
import { type Clock, dayMs } from '../clock.js';
import { clientNetwork } from './client-address.js';
import type { Database, SqlRow } from './sql.js';

/** Outcome of counting one request. */
export interface RateLimitDecision {
  /** Code of the error if the request is rejected. */
  readonly rejectedAs: 'rate_limited' | 'key_banned' | undefined;
  /** Quota for the response headers: of the window with fewer requests left; if equal, of the one that ends later. */
  readonly quota: Required<Quota>;
  /** Earliest time for a rejected request to succeed, in milliseconds since the Unix epoch. */
  readonly retryAt: number;
  /** When the request was counted, by the same clock. */
  readonly countedAt: number;
}

/** Remaining quota of a key or an address in each window, and its ban. */
export interface RateLimitStatus {
  readonly minute: Required<Quota>;
  readonly day: Required<Quota>;
  /** In milliseconds since the Unix epoch; `undefined` if not banned. */
  readonly bannedUntil: number | undefined;
}

/** A key or an address whose requests are counted. */
export interface RateLimitSubject {
  /** Primary key of its row in `meters`. */
  readonly id: string;
  readonly limits: PlanLimits;
  /** Keys can be banned, addresses cannot. */
  readonly canBeBanned: boolean;
}

/** The owner is the first of the keys that share a quota. */
interface KeyQuota {
  readonly owner: string;
  readonly limits: PlanLimits;
}

/** Returns the subject of an API key, which it shares with those that replaced it. */
export function keySubject({ owner, limits }: KeyQuota): RateLimitSubject {
  return { id: `key ${owner}`, limits, canBeBanned: true };
}

/** Returns the subject of requests without a valid key, which get the limits of the Free plan. */
export function addressSubject(address: string): RateLimitSubject {
  return { id: `address ${clientNetwork(address)}`, limits: plans.free, canBeBanned: false };
}

/**
 * Counts one request against both windows in one atomic statement. A window is fixed and starts with its first request.
 * Ten consecutive rejected requests ban a key for five minutes; each further ban within its day window lasts twice as
 * long, up to an hour. If the clock is set back, a window keeps its end, but ends at most its length from now. The clock
 * of the database decides, if it has one; otherwise `now`.
 */
export async function countRequest(
  database: Database,
  subject: RateLimitSubject,
  now: number,
  minuteMs = 60_000,
): Promise<RateLimitDecision> {
  const { id, limits, canBeBanned } = subject;
  const [row = {}] = await database.writeUnsynced({
    text: countText,
    values: {
      id,
      now,
      minuteMs,
      perMinute: limits.perMinute,
      perDay: limits.perDay,
      rejectionsBeforeBan: canBeBanned ? rejectionsBeforeBan : Number.MAX_SAFE_INTEGER,
    },
  });
  const countedAt = Number(row.now);
  const status = statusFromRow(row, subject.limits, countedAt, minuteMs);
  const blockedUntil = [status.minute, status.day]
    .filter(({ remaining }) => remaining === 0)
    .map(({ resetAt }) => resetAt);
  return {
    rejectedAs: row.verdict === 'allowed' ? undefined : (row.verdict as RateLimitDecision['rejectedAs']),
    quota: reportedQuota(status),
    retryAt: Math.max(status.bannedUntil ?? 0, ...blockedUntil),
    countedAt,
  };
}

/** Returns the quota of the window that the headers report: see `RateLimitDecision.quota`. */
function reportedQuota({ minute, day }: RateLimitStatus): Required<Quota> {
  const difference = day.remaining - minute.remaining || minute.resetAt - day.resetAt;
  return difference <= 0 ? day : minute;
}

const rejectionsBeforeBan = 10;
const maxBanMs = 3_600_000;

/** Counts a request. The row to insert contains the time, which is then computed once. */
const countText = (() => {
  const time = 'CAST(:now AS BIGINT)';
  const now = '(excluded.minute_end - :minuteMs)';
  const minuteOpen = `meters.minute_end > ${now}`;
  const dayOpen = `meters.day_end > ${now}`;
  const banned = `meters.banned_until > ${now}`;
  const full = `((${minuteOpen} AND meters.minute_used >= :perMinute) OR (${dayOpen} AND meters.day_used >= :perDay))`;
  const startsBan = `(${full} AND meters.refusals + 1 >= :rejectionsBeforeBan)`;
  const used = (open: string, count: string) =>
    `CASE WHEN ${banned} OR ${full} THEN ${count} WHEN ${open} THEN ${count} + 1 ELSE 1 END`;
  const end = (open: string, current: string, latest: string) =>
    `CASE WHEN (${banned} OR ${full} OR ${open}) AND ${current} <= ${latest} THEN ${current} ELSE ${latest} END`;
  const banLength = `CASE meters.bans
    WHEN 0 THEN 300000 WHEN 1 THEN 600000 WHEN 2 THEN 1200000 WHEN 3 THEN 2400000 ELSE ${maxBanMs} END`;
  return `
    INSERT INTO meters (subject, minute_used, minute_end, day_used, day_end, refusals, bans, banned_until, verdict)
    VALUES (:id, 1, ${time} + :minuteMs, 1, ${time} + ${dayMs}, 0, 0, 0, 'allowed')
    ON CONFLICT (subject) DO UPDATE SET
      minute_used = ${used(minuteOpen, 'meters.minute_used')},
      minute_end = ${end(minuteOpen, 'meters.minute_end', 'excluded.minute_end')},
      day_used = ${used(dayOpen, 'meters.day_used')},
      day_end = ${end(dayOpen, 'meters.day_end', 'excluded.day_end')},
      refusals = CASE WHEN ${banned} OR ${startsBan} THEN 0 WHEN ${full} THEN meters.refusals + 1 ELSE 0 END,
      bans = CASE WHEN ${banned} THEN meters.bans WHEN ${startsBan} THEN meters.bans + 1
        WHEN ${full} OR ${dayOpen} THEN meters.bans ELSE 0 END,
      banned_until = CASE WHEN meters.banned_until > ${now} + ${maxBanMs} THEN ${now} + ${maxBanMs}
        WHEN ${banned} THEN meters.banned_until WHEN ${startsBan} THEN ${now} + ${banLength}
        ELSE meters.banned_until END,
      verdict = CASE WHEN ${banned} OR ${startsBan} THEN 'key_banned' WHEN ${full} THEN 'rate_limited' ELSE 'allowed' END
    RETURNING minute_used, minute_end, day_used, day_end, banned_until, verdict, ${time} AS now`;
})();

/** Returns the status in a row of `meters`, whose columns are missing or null if no request was counted. */
export function statusFromRow(row: SqlRow, limits: PlanLimits, now: number, minuteMs = 60_000): RateLimitStatus {
  // Returns the quota of a window; if it has ended, of the one that the next request starts.
  const windowQuota = (limit: number, used: unknown, end: unknown, length: number) =>
    Number(end ?? 0) > now
      ? { limit, remaining: Math.max(0, limit - Number(used)), resetAt: Number(end) }
      : { limit, remaining: limit, resetAt: now + length };
  const bannedUntil = Number(row.banned_until ?? 0);
  return {
    minute: windowQuota(limits.perMinute, row.minute_used, row.minute_end, minuteMs),
    day: windowQuota(limits.perDay, row.day_used, row.day_end, dayMs),
    bannedUntil: bannedUntil > now ? bannedUntil : undefined,
  };
}

/** Deletes the counters of addresses whose windows have ended. */
export async function deleteExpiredAddressCounters(database: Database, now: number): Promise<void> {
  while ((await database.write({ text: deleteCountersText, values: { now } })).length === deletionBatchSize);
}

const deletionBatchSize = 10_000;

const deleteCountersText = `
  DELETE FROM meters WHERE subject IN (
    SELECT subject FROM meters
    WHERE day_end < :now AND banned_until < :now AND subject LIKE 'address %' LIMIT ${deletionBatchSize})
  RETURNING subject`;

/**
 * Returns a function to call for each request that is counted by address, which is what adds counters. At most every ten
 * minutes it deletes the expired ones, in the background.
 */
export function createCounterDeletion(database: Database, clock: Clock, onError: (error: unknown) => void): () => void {
  let deletedAt = clock.now();
  return () => {
    if (clock.now() - deletedAt < deletionIntervalMs) return;
    deletedAt = clock.now();
    deleteExpiredAddressCounters(database, deletedAt).catch(onError);
  };
}

const deletionIntervalMs = 10 * 60_000;
