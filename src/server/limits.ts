import type { Limits } from '../api/plan.js';
import type { Quota } from '../api/rate-limit-headers.js';
import { day } from '../clock.js';
import { type Database, type Row, type Statement, sql, whole } from './sql.js';

/** What counting one request led to. */
export interface Verdict {
  readonly refused: 'rate_limited' | 'key_banned' | undefined;
  /** A ban begins with this request. */
  readonly isNewBan: boolean;
  /** What the three headers report: the window with fewer requests left, of two alike the longer one. */
  readonly quota: Required<Quota>;
  /** When a refused request may come again, in milliseconds since the Unix epoch. */
  readonly retryAt: number;
}

/** What a key has left in each window, and whether it is banned. */
export interface Standing {
  readonly minute: Required<Quota>;
  readonly day: Required<Quota>;
  /** In milliseconds since the Unix epoch; missing where it is not banned. */
  readonly bannedUntil: number | undefined;
}

/** What is counted of a key. */
export function subjectOf({ digest }: { readonly digest: string }): string {
  return `key ${digest}`;
}

/** Where requests are counted: in the store's own database, or beside it. */
export interface Meters {
  /**
   * Counts one request of a subject (a key or an address) against both windows, all at once. A window is fixed and
   * starts with its first request. Ten requests refused in a row ban a key (`bannable`) for five minutes, each further
   * ban of its day for twice as long, up to an hour. Where the clock was set back no window opens early, but none lasts
   * longer from now than it ever does.
   */
  count(subject: string, limits: Limits, bannable: boolean, now: number): Promise<Verdict>;
  /** How a subject stands in both windows; nothing is counted. */
  standing(subject: string, limits: Limits, now: number): Promise<Standing>;
  /** Forgets what was counted of a subject. */
  forget(subject: string): Promise<void>;
}

/** Counts in the database that has the pets. */
export function createMeters(database: Database, lengths = windowLengths): Meters {
  return {
    count: (...request) => countRequest(database, ...request, lengths),
    standing: async (subject, limits, now) =>
      standingOf(await readRow(database, subject), limits, now, lengths),
    forget: async (subject) => {
      await database.write(sql`DELETE FROM meters WHERE subject = ${subject}`);
    },
  };
}

/** One atomic statement. */
async function countRequest(
  database: Database,
  subject: string,
  limits: Limits,
  bannable: boolean,
  now: number,
  lengths: WindowLengths,
): Promise<Verdict> {
  const [row] = await database.record(counting(subject, limits, bannable, now, lengths));
  return judge(row as Row, limits, now, lengths);
}

async function readRow(database: Database, subject: string): Promise<Row> {
  const [row = {}] = await database.read(sql`
    SELECT minute_used, minute_end, day_used, day_end, banned_until
    FROM meters WHERE subject = ${subject}`);
  return row;
}

/** How long the two windows last, in milliseconds. */
export interface WindowLengths {
  readonly minute: number;
  readonly day: number;
}

export const windowLengths: WindowLengths = { minute: 60_000, day };
export const refusalsBeforeBan = 10;
export const longestBan = 3_600_000;

function counting(
  subject: string,
  limits: Limits,
  bannable: boolean,
  now: number,
  { minute, day }: WindowLengths,
): Statement {
  const minuteOpen = sql`meters.minute_end > ${now}`;
  const dayOpen = sql`meters.day_end > ${now}`;
  const banned = sql`meters.banned_until > ${now}`;
  const full = sql`((${minuteOpen} AND meters.minute_used >= ${limits.perMinute})
    OR (${dayOpen} AND meters.day_used >= ${limits.perDay}))`;
  const bans = sql`(${full} AND meters.refusals + 1 >= ${bannable ? refusalsBeforeBan : Number.MAX_SAFE_INTEGER})`;
  const used = (open: Statement, count: Statement) =>
    sql`CASE WHEN ${banned} OR ${full} THEN ${count} WHEN ${open} THEN ${count} + 1 ELSE 1 END`;
  const end = (open: Statement, current: Statement, length: number) =>
    sql`CASE WHEN (${banned} OR ${full} OR ${open}) AND ${current} <= ${now + length}
      THEN ${current} ELSE ${now + length} END`;
  const banLength = sql`CASE meters.bans
    WHEN 0 THEN 300000 WHEN 1 THEN 600000 WHEN 2 THEN 1200000 WHEN 3 THEN 2400000 ELSE 3600000 END`;
  return sql`
    INSERT INTO meters (subject, minute_used, minute_end, day_used, day_end, refusals, bans, banned_until, verdict)
    VALUES (${subject}, 1, ${now + minute}, 1, ${now + day}, 0, 0, 0, 'allowed')
    ON CONFLICT (subject) DO UPDATE SET
      minute_used = ${used(minuteOpen, sql`meters.minute_used`)},
      minute_end = ${end(minuteOpen, sql`meters.minute_end`, minute)},
      day_used = ${used(dayOpen, sql`meters.day_used`)},
      day_end = ${end(dayOpen, sql`meters.day_end`, day)},
      refusals = CASE WHEN ${banned} OR ${bans} THEN 0 WHEN ${full} THEN meters.refusals + 1 ELSE 0 END,
      bans = CASE WHEN ${banned} THEN meters.bans WHEN ${bans} THEN meters.bans + 1
        WHEN ${full} OR ${dayOpen} THEN meters.bans ELSE 0 END,
      banned_until = CASE WHEN meters.banned_until > ${now + longestBan} THEN ${now + longestBan}
        WHEN ${banned} THEN meters.banned_until WHEN ${bans} THEN ${whole(now)} + ${banLength}
        ELSE meters.banned_until END,
      verdict = CASE WHEN ${banned} THEN 'banned' WHEN ${bans} THEN 'ban' WHEN ${full} THEN 'full' ELSE 'allowed' END
    RETURNING minute_used, minute_end, day_used, day_end, banned_until, verdict`;
}

/** How a subject stands, from its row of meters, or from none. */
export function standingOf(
  row: Row,
  limits: Limits,
  now: number,
  { minute, day }: WindowLengths,
): Standing {
  const bannedUntil = Number(row.banned_until ?? 0);
  return {
    minute: windowOf(row.minute_used, row.minute_end, limits.perMinute, minute, now),
    day: windowOf(row.day_used, row.day_end, limits.perDay, day, now),
    bannedUntil: bannedUntil > now ? bannedUntil : undefined,
  };
}

/** What a subject's row means after it was counted. */
export function judge(row: Row, limits: Limits, now: number, lengths: WindowLengths): Verdict {
  const standing = standingOf(row, limits, now, lengths);
  const { minute, day, bannedUntil = 0 } = standing;
  const blocking = [minute, day]
    .filter(({ remaining }) => remaining === 0)
    .map(({ resetAt }) => resetAt);
  const refused = refusals[String(row.verdict)];
  return {
    refused,
    isNewBan: row.verdict === 'ban',
    quota: tighter(standing),
    retryAt: Math.max(bannedUntil, ...blocking),
  };
}

/** The window that the headers report. */
export function tighter({ minute, day }: Pick<Standing, 'minute' | 'day'>): Required<Quota> {
  const least = day.remaining - minute.remaining || minute.resetAt - day.resetAt;
  return least <= 0 ? day : minute;
}

const refusals: Readonly<Record<string, Verdict['refused']>> = {
  full: 'rate_limited',
  ban: 'key_banned',
  banned: 'key_banned',
};

/** A window as it stands; one that is over starts anew with the next request. */
function windowOf(
  used: unknown,
  end: unknown,
  limit: number,
  length: number,
  now: number,
): Required<Quota> {
  const open = Number(end ?? 0) > now;
  return {
    limit,
    remaining: Math.max(0, limit - (open ? Number(used) : 0)),
    resetAt: open ? Number(end) : now + length,
  };
}
