import { type PlanLimits, plans } from '../api/plan.js';
import type { Quota } from '../api/rate-limit-headers.js';
import { dayMs } from '../clock.js';
import { clientNetwork } from './client-network.js';
import {
  castToBigint,
  type Database,
  prepareSql,
  type SqlParameter,
  type SqlRow,
  type Statement,
  type StatementTemplate,
  sql,
} from './sql.js';

/** Outcome of counting one request. */
export interface RateLimitDecision {
  /** Code of the error if the request is rejected. */
  readonly rejectedAs: 'rate_limited' | 'key_banned' | undefined;
  /** This request started a ban. */
  readonly isNewBan: boolean;
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

/** Returns the subject of the API keys with this owner: a key and those that replaced it. */
export function keySubject(owner: string, limits: PlanLimits): RateLimitSubject {
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
  const fill = countStatements.get(database) ?? prepareCount(database);
  const { id, limits, canBeBanned } = subject;
  const [row = {}] = await database.writeUnsynced(
    fill({
      rejectionsBeforeBan: canBeBanned ? rejectionsBeforeBan : Number.MAX_SAFE_INTEGER,
      ...{ id, now, minuteMs, ...limits },
    }),
    id,
  );
  const countedAt = Number(row.now);
  const status = statusFromRow(row, subject.limits, countedAt, minuteMs);
  const blockedUntil = [status.minute, status.day]
    .filter(({ remaining }) => remaining === 0)
    .map(({ resetAt }) => resetAt);
  return {
    rejectedAs: rejectionCodes[String(row.verdict)],
    isNewBan: row.verdict === 'ban',
    quota: reportedQuota(status),
    retryAt: Math.max(status.bannedUntil ?? 0, ...blockedUntil),
    countedAt,
  };
}

/** Building the text takes 12 % of the time of a list. */
const countStatements = new WeakMap<Database, ReturnType<typeof prepareCount>>();

function prepareCount(database: Database) {
  const time = database.clock?.expression ?? sql`CAST(${parameter('now')} AS BIGINT)`;
  const fill = prepareSql(countStatement(time));
  countStatements.set(database, fill);
  return fill;
}

/** Returns the status of a subject without counting a request. */
export async function readRateLimitStatus(
  database: Database,
  { id, limits }: RateLimitSubject,
  now: number,
  minuteMs = 60_000,
): Promise<RateLimitStatus> {
  const [row = {}] = await database.read(sql`
    SELECT minute_used, minute_end, day_used, day_end, banned_until, ${timeOf(database, now)} AS now
    FROM meters WHERE subject = ${id}`);
  return statusFromRow(row, limits, Number(row.now ?? now), minuteMs);
}

/** Returns an expression of the time, constant within a statement. */
export function timeOf({ clock }: Database, now: number): Statement {
  return clock ? clock.expression : castToBigint(now);
}

/** Returns the quota of the window that the headers report: see `RateLimitDecision.quota`. */
export function reportedQuota({ minute, day }: RateLimitStatus): Required<Quota> {
  const difference = day.remaining - minute.remaining || minute.resetAt - day.resetAt;
  return difference <= 0 ? day : minute;
}

const rejectionsBeforeBan = 10;
const maxBanMs = 3_600_000;

/** Error codes by the `verdict` column. */
const rejectionCodes: Readonly<Record<string, RateLimitDecision['rejectedAs']>> = {
  full: 'rate_limited',
  ban: 'key_banned',
  banned: 'key_banned',
};

type CountParameter = 'id' | 'now' | 'minuteMs' | 'perMinute' | 'perDay' | 'rejectionsBeforeBan';
type CountTemplate = StatementTemplate<CountParameter>;

function parameter(name: CountParameter): SqlParameter<CountParameter> {
  return { parameter: name };
}

/** Builds the statement that counts a request; `time` is the time in milliseconds since the Unix epoch. */
function countStatement(time: CountTemplate): CountTemplate {
  const minuteMs = parameter('minuteMs');
  // The row to insert contains the time, which is then computed once.
  const now = sql`(excluded.minute_end - ${minuteMs})`;
  const minuteOpen = sql`meters.minute_end > ${now}`;
  const dayOpen = sql`meters.day_end > ${now}`;
  const banned = sql`meters.banned_until > ${now}`;
  const full = sql`((${minuteOpen} AND meters.minute_used >= ${parameter('perMinute')})
    OR (${dayOpen} AND meters.day_used >= ${parameter('perDay')}))`;
  const startsBan = sql`(${full} AND meters.refusals + 1 >= ${parameter('rejectionsBeforeBan')})`;
  const used = (open: CountTemplate, count: Statement) =>
    sql`CASE WHEN ${banned} OR ${full} THEN ${count} WHEN ${open} THEN ${count} + 1 ELSE 1 END`;
  const end = (open: CountTemplate, current: Statement, latest: Statement) =>
    sql`CASE WHEN (${banned} OR ${full} OR ${open}) AND ${current} <= ${latest} THEN ${current} ELSE ${latest} END`;
  const banLength = sql`CASE meters.bans
    WHEN 0 THEN 300000 WHEN 1 THEN 600000 WHEN 2 THEN 1200000 WHEN 3 THEN 2400000 ELSE 3600000 END`;
  return sql`
    INSERT INTO meters (subject, minute_used, minute_end, day_used, day_end, refusals, bans, banned_until, verdict)
    VALUES (${parameter('id')}, 1, ${time} + ${minuteMs}, 1, ${time} + ${dayMs}, 0, 0, 0, 'allowed')
    ON CONFLICT (subject) DO UPDATE SET
      minute_used = ${used(minuteOpen, sql`meters.minute_used`)},
      minute_end = ${end(minuteOpen, sql`meters.minute_end`, sql`excluded.minute_end`)},
      day_used = ${used(dayOpen, sql`meters.day_used`)},
      day_end = ${end(dayOpen, sql`meters.day_end`, sql`excluded.day_end`)},
      refusals = CASE WHEN ${banned} OR ${startsBan} THEN 0 WHEN ${full} THEN meters.refusals + 1 ELSE 0 END,
      bans = CASE WHEN ${banned} THEN meters.bans WHEN ${startsBan} THEN meters.bans + 1
        WHEN ${full} OR ${dayOpen} THEN meters.bans ELSE 0 END,
      banned_until = CASE WHEN meters.banned_until > ${now} + ${maxBanMs} THEN ${now} + ${maxBanMs}
        WHEN ${banned} THEN meters.banned_until WHEN ${startsBan} THEN ${now} + ${banLength}
        ELSE meters.banned_until END,
      verdict = CASE WHEN ${banned} THEN 'banned' WHEN ${startsBan} THEN 'ban' WHEN ${full} THEN 'full' ELSE 'allowed' END
    RETURNING minute_used, minute_end, day_used, day_end, banned_until, verdict, ${time} AS now`;
}

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
