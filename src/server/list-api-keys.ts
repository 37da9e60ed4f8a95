import type { Plan } from '../api/plan.js';
import { type ApiKeyRecord, recordColumns, recordFromRow } from './api-keys.js';
import { type RateLimitStatus, statusFromRow, timeOf } from './rate-limits.js';
import { type Database, type SqlRow, sql } from './sql.js';

/** Stored data of an API key with its remaining quota. */
export interface ApiKeyStatus extends ApiKeyRecord, RateLimitStatus {
  readonly plan: Plan;
  readonly label: string | undefined;
  /** In milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** First characters of the key that replaced this one. */
  readonly successor: string | undefined;
}

/** Returns every key with its remaining quota, oldest first. */
export async function listApiKeys(database: Database, now: number): Promise<ApiKeyStatus[]> {
  const rows = await database.read(sql`
    SELECT ${recordColumns}, keys.created_at, keys.plan, keys.label, successors.prefix AS successor_prefix,
      minute_used, minute_end, day_used, day_end, banned_until, ${timeOf(database, now)} AS now
    FROM keys
    LEFT JOIN keys AS successors ON successors.digest = keys.successor
    LEFT JOIN meters ON subject = 'key ' || keys.owner
    ORDER BY keys.created_at, keys.digest`);
  return rows.map(statusFromKeyRow);
}

function statusFromKeyRow(row: SqlRow): ApiKeyStatus {
  const record = recordFromRow(row);
  return {
    ...record,
    ...statusFromRow(row, record.limits, Number(row.now)),
    plan: row.plan as Plan,
    label: toText(row.label),
    createdAt: Number(row.created_at),
    successor: toText(row.successor_prefix),
  };
}

function toText(value: SqlRow[string] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
