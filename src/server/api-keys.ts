import { findPlanByLimits, type Plan, type PlanLimits, planNames } from '../api/plan.js';
import { sha256Hex } from '../format/sha256.js';
import { deleteCountersStatement, keySubject, type RateLimitStatus, readRateLimitStatus } from './rate-limits.js';
import { castToBigint, type Database, type SqlRow, type Statement, sql } from './sql.js';

/** Stored data of an API key; the key itself is never stored. */
export interface ApiKeyRecord {
  /** SHA-256 of the key in hexadecimal. */
  readonly digest: string;
  /** First characters of the key, to recognize it by. */
  readonly prefix: string;
  readonly limits: PlanLimits;
}

/** Stored data of an API key with its remaining quota. */
export interface ApiKeyStatus extends ApiKeyRecord, RateLimitStatus {
  readonly plan: Plan;
  readonly label: string | undefined;
  /** In milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** Returns a new API key: `pets_` and 256 random bits in base 36. */
export function generateApiKey(): string {
  const bits = crypto.getRandomValues(new Uint32Array(8));
  const number = bits.reduce((sum, part) => (sum << 32n) | BigInt(part), 0n);
  return `pets_${number.toString(36).padStart(50, '0')}`;
}

/** A new API key; the plan defaults to the one with these limits. */
type NewApiKey = readonly [
  key: string,
  limits: PlanLimits,
  now: number,
  details?: { readonly plan?: Plan | undefined; readonly label?: string | undefined },
];

/** Adds a key and returns its record. A key that exists keeps its limits; if another has the label, returns that one. */
export function addApiKey(database: Database, ...key: NewApiKey): Promise<ApiKeyRecord> {
  const [secret, , , { label } = {}] = key;
  return addUnlessExists(database, key, sql`WHERE digest = ${sha256Hex(secret)} OR label = ${label ?? null}`);
}

/** Adds a key if there is none, atomically across processes. Returns the record of the oldest key. */
export function addFirstApiKey(database: Database, ...key: NewApiKey): Promise<ApiKeyRecord> {
  return addUnlessExists(database, key, sql``);
}

const selectRecord = sql`SELECT digest, prefix, per_minute, per_day FROM keys`;

/** Adds a key unless `condition` matches another, and returns the oldest that matches. */
async function addUnlessExists(
  database: Database,
  [key, limits, now, { plan = findPlanByLimits(limits), label } = {}]: NewApiKey,
  condition: Statement,
): Promise<ApiKeyRecord> {
  const [row] = await database.write(
    sql`
      INSERT INTO keys (digest, prefix, per_minute, per_day, created_at, plan, label)
      SELECT ${sha256Hex(key)}, ${prefixOf(key)}, ${castToBigint(limits.perMinute)}, ${castToBigint(limits.perDay)},
        ${castToBigint(now)}, ${plan}, ${label ?? null}
      WHERE NOT EXISTS (SELECT 1 FROM keys ${condition})`,
    sql`${selectRecord} ${condition} ORDER BY created_at, digest LIMIT 1`,
  );
  return recordFromRow(row as SqlRow);
}

export async function findApiKey(database: Database, key: string): Promise<ApiKeyRecord | undefined> {
  const digest = sha256Hex(key);
  const [row] = await database.read(sql`${selectRecord} WHERE digest = ${digest}`);
  return row && isEqualConstantTime(String(row.digest), digest) ? recordFromRow(row) : undefined;
}

export function updateLimitsStatement(
  { digest }: ApiKeyRecord,
  limits: PlanLimits,
  plan = findPlanByLimits(limits),
): Statement {
  return sql`
    UPDATE keys SET per_minute = ${limits.perMinute}, per_day = ${limits.perDay}, plan = ${plan}
    WHERE digest = ${digest}`;
}

/** Returns every key with its remaining quota, oldest first. */
export async function listApiKeys(database: Database, now: number): Promise<ApiKeyStatus[]> {
  const rows = await database.read(sql`
    SELECT digest, prefix, per_minute, per_day, created_at, plan, label
    FROM keys ORDER BY created_at, digest`);
  const keys: ApiKeyStatus[] = [];
  // Sequential, to leave connections of a shared database free for others.
  for (const row of rows) {
    const key = recordFromRow(row);
    keys.push({
      ...key,
      ...(await readRateLimitStatus(database, keySubject(key.digest, key.limits), now)),
      plan: planNames.find((name) => name === row.plan) ?? findPlanByLimits(key.limits),
      label: row.label === null ? undefined : String(row.label),
      createdAt: Number(row.created_at),
    });
  }
  return keys;
}

/** Deletes a key and its counters. Every process rejects its next request with 401. */
export async function revokeApiKey(database: Database, key: ApiKeyRecord): Promise<void> {
  await database.write(
    sql`DELETE FROM keys WHERE digest = ${key.digest}`,
    deleteCountersStatement(keySubject(key.digest, key.limits)),
  );
}

/** Returns at most nine characters, and at most a quarter of the key. */
function prefixOf(key: string): string {
  return key.slice(0, Math.min(9, Math.floor(key.length / 4)));
}

/** Compares digests in constant time; loading node:crypto for `timingSafeEqual` would slow the sandbox. */
function isEqualConstantTime(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at += 1) {
    difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  }
  return difference === 0;
}

function recordFromRow(row: SqlRow): ApiKeyRecord {
  return {
    digest: String(row.digest),
    prefix: String(row.prefix),
    limits: { perMinute: Number(row.per_minute), perDay: Number(row.per_day) },
  };
}
