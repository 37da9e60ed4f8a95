import type { Plan, PlanLimits } from '../api/plan.js';
import { sha256Hex } from '../format/sha256.js';
import { type ApiKeyRecord, insertKeyStatement, type NewApiKey, prefixOf, updateLimitsStatement } from './api-keys.js';
import { keySubject, timeOf } from './rate-limits.js';
import { castToBigint, type Database, type Statement, sql } from './sql.js';

/** Adds a key. Returns whether it did: another key may have the label. */
export async function createApiKey(database: Database, ...key: NewApiKey): Promise<boolean> {
  const [secret, , , { label } = {}] = key;
  const rows = await database.write(
    insertKeyStatement(key, hasLabel(label)),
    sql`SELECT 1 AS is_added FROM keys WHERE digest = ${sha256Hex(secret)}`,
  );
  return rows.length > 0;
}

/** What an operator chooses for a key. */
export interface ApiKeyDetails {
  readonly limits: PlanLimits;
  readonly plan: Plan;
  readonly label: string | undefined;
  /** In milliseconds since the Unix epoch; `undefined` if it never expires. */
  readonly expiresAt: number | undefined;
}

/** What to change about a key. Members that are missing do not change. */
export interface ApiKeyChanges {
  /** They also apply to the keys that share the quota. */
  readonly limits?: PlanLimits | undefined;
  /** Defaults to the plan with the new limits; ignored without them. */
  readonly plan?: Plan | undefined;
  readonly label?: string | undefined;
  readonly expiresAt?: number | 'never' | undefined;
}

/** Changes a key. Returns whether it did: it may be revoked, and another key may have the label. */
export async function updateApiKey(
  database: Database,
  key: ApiKeyRecord,
  { limits, plan, label, expiresAt }: ApiKeyChanges,
): Promise<boolean> {
  const { digest } = key;
  const isFree = sql`NOT EXISTS (SELECT 1 FROM keys AS others WHERE ${hasLabel(label)} AND digest <> ${digest})`;
  const newLabel = label === undefined ? sql`label` : sql`${label}`;
  const newEnd =
    expiresAt === undefined ? sql`expires_at` : sql`CAST(${expiresAt === 'never' ? null : expiresAt} AS BIGINT)`;
  const rows = await database.write(
    ...(limits ? [sql`${updateLimitsStatement(key, limits, plan)} AND ${isFree}`] : []),
    sql`UPDATE keys SET label = ${newLabel}, expires_at = ${newEnd} WHERE digest = ${digest} AND ${isFree}`,
    sql`SELECT 1 AS is_changed FROM keys WHERE digest = ${digest} AND ${isFree}`,
  );
  return rows.length > 0;
}

/**
 * Adds a key with the details of another, which loses its label and expires after `overlapMs`, unless it expires earlier.
 * Returns when it expires; undefined if nothing changed, because the other key was changed, replaced or revoked meanwhile.
 */
export async function rotateApiKey(
  database: Database,
  { digest, label }: Pick<ApiKeyRecord, 'digest'> & Pick<ApiKeyDetails, 'label'>,
  { key, overlapMs, now }: { readonly key: string; readonly overlapMs: number; readonly now: number },
): Promise<number | undefined> {
  const newDigest = sha256Hex(key);
  const time = timeOf(database, now);
  const end = sql`${time} + ${castToBigint(overlapMs)}`;
  const isAdded = sql`EXISTS (SELECT 1 FROM keys AS successors WHERE successors.digest = ${newDigest})`;
  const [row] = await database.write(
    sql`
      INSERT INTO keys (digest, prefix, per_minute, per_day, created_at, plan, owner, expires_at)
      SELECT ${newDigest}, ${prefixOf(key)}, per_minute, per_day, ${time}, plan, owner, expires_at
      FROM keys WHERE digest = ${digest} AND coalesce(label, '') = ${label ?? ''}
        AND NOT EXISTS (SELECT 1 FROM keys AS successors WHERE successors.digest = keys.successor)`,
    sql`
      UPDATE keys SET label = NULL, successor = ${newDigest},
        expires_at = CASE WHEN expires_at < ${end} THEN expires_at ELSE ${end} END
      WHERE digest = ${digest} AND ${isAdded}`,
    sql`UPDATE keys SET label = ${label ?? null} WHERE digest = ${newDigest}`,
    sql`SELECT expires_at FROM keys WHERE digest = ${digest} AND ${isAdded}`,
  );
  return row && Number(row.expires_at);
}

/**
 * Deletes a key, and its counters if no other key shares them. Every process rejects its next request with 401. The digest
 * stays in `revoked_keys`: a start with this key in `--api-key-file` must not add it again. A request that is being counted
 * meanwhile can leave its counter, which nothing reads.
 */
export async function revokeApiKey(database: Database, { digest, owner, limits }: ApiKeyRecord): Promise<void> {
  await database.write(
    sql`INSERT INTO revoked_keys (digest) SELECT digest FROM keys WHERE digest = ${digest} ON CONFLICT DO NOTHING`,
    sql`DELETE FROM keys WHERE digest = ${digest}`,
    sql`
      DELETE FROM meters WHERE subject = ${keySubject(owner, limits).id}
        AND NOT EXISTS (SELECT 1 FROM keys WHERE owner = ${owner})`,
  );
}

function hasLabel(label: string | undefined): Statement {
  return sql`label = ${label ?? null}`;
}
