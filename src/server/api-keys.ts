import { findPlanByLimits, type Plan, type PlanLimits } from '../api/plan.js';
import { sha256Hex } from '../format/sha256.js';
import { castToBigint, type Database, type SqlRow, type Statement, sql } from './sql.js';

/** Stored data of an API key; the key itself is never stored. */
export interface ApiKeyRecord {
  /** SHA-256 of the key in hexadecimal. */
  readonly digest: string;
  /** First characters of the key, to recognize it by. */
  readonly prefix: string;
  readonly limits: PlanLimits;
  /** Digest of the key that this one replaces, directly or not, else its own: they share quota, ban and idempotency keys. */
  readonly owner: string;
  /** In milliseconds since the Unix epoch; `undefined` if it never expires. */
  readonly expiresAt: number | undefined;
}

/** Returns a new API key: `pets_` and 256 random bits in base 36. */
export function generateApiKey(): string {
  const bits = crypto.getRandomValues(new Uint32Array(8));
  const number = bits.reduce((sum, part) => (sum << 32n) | BigInt(part), 0n);
  return `pets_${number.toString(36).padStart(50, '0')}`;
}

/** A new API key; the plan defaults to the one with these limits. Times are in milliseconds since the Unix epoch. */
export type NewApiKey = readonly [
  key: string,
  limits: PlanLimits,
  now: number,
  details?: {
    readonly plan?: Plan | undefined;
    readonly label?: string | undefined;
    readonly expiresAt?: number | undefined;
  },
];

/** Adds a key and returns its record; undefined if the key is revoked. A key that exists keeps its limits. */
export function addUnlessRevoked(database: Database, ...key: NewApiKey): Promise<ApiKeyRecord | undefined> {
  return addUnlessExists(database, key, sql`digest = ${sha256Hex(key[0])}`);
}

/** Adds a key that was never revoked and returns its record. A key that exists keeps its limits. */
export function addApiKey(database: Database, ...key: NewApiKey): Promise<ApiKeyRecord> {
  return addUnlessRevoked(database, ...key) as Promise<ApiKeyRecord>;
}

/** Adds a new key if none is valid, atomically across processes. Returns the record of the oldest valid key. */
export function addFirstApiKey(database: Database, ...key: NewApiKey): Promise<ApiKeyRecord> {
  const isValid = sql`(expires_at IS NULL OR expires_at > ${castToBigint(key[2])})`;
  return addUnlessExists(database, key, isValid) as Promise<ApiKeyRecord>;
}

/** Columns that `recordFromRow` reads. */
export const recordColumns = sql`keys.digest, keys.prefix, keys.per_minute, keys.per_day, keys.owner, keys.expires_at`;

/** Adds a key unless `condition` matches another, and returns the oldest that matches. */
async function addUnlessExists(
  database: Database,
  key: NewApiKey,
  condition: Statement,
): Promise<ApiKeyRecord | undefined> {
  const [row] = await database.write(
    insertKeyStatement(key, condition),
    sql`SELECT ${recordColumns} FROM keys WHERE ${condition} ORDER BY created_at, digest LIMIT 1`,
  );
  return row && recordFromRow(row);
}

/** Returns a statement that adds a key unless `condition` matches another, or the key is revoked. */
export function insertKeyStatement(
  [key, limits, now, { plan = findPlanByLimits(limits), label, expiresAt } = {}]: NewApiKey,
  condition: Statement,
): Statement {
  const digest = sha256Hex(key);
  return sql`
    INSERT INTO keys (digest, prefix, per_minute, per_day, created_at, plan, label, owner, expires_at)
    SELECT ${digest}, ${prefixOf(key)}, ${castToBigint(limits.perMinute)}, ${castToBigint(limits.perDay)},
      ${castToBigint(now)}, ${plan}, ${label ?? null}, ${digest}, CAST(${expiresAt ?? null} AS BIGINT)
    WHERE NOT EXISTS (SELECT 1 FROM keys WHERE ${condition})
      AND NOT EXISTS (SELECT 1 FROM revoked_keys WHERE revoked_keys.digest = ${digest})`;
}

/** Returns the record of a key, which may have expired. */
export async function findApiKey(database: Database, key: string): Promise<ApiKeyRecord | undefined> {
  const digest = sha256Hex(key);
  const [row] = await database.read(sql`SELECT ${recordColumns} FROM keys WHERE digest = ${digest}`);
  return row && isEqualConstantTime(String(row.digest), digest) ? recordFromRow(row) : undefined;
}

/** Returns whether a key has expired at `now`, in milliseconds since the Unix epoch. */
export function isExpired({ expiresAt }: Pick<ApiKeyRecord, 'expiresAt'>, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** Returns a statement that sets the limits of a key, and of those with which it shares its quota. */
export function updateLimitsStatement(
  { owner }: ApiKeyRecord,
  limits: PlanLimits,
  plan = findPlanByLimits(limits),
): Statement {
  return sql`
    UPDATE keys SET per_minute = ${limits.perMinute}, per_day = ${limits.perDay}, plan = ${plan}
    WHERE owner = ${owner}`;
}

/** Returns at most nine characters, and at most a quarter of the key. */
export function prefixOf(key: string): string {
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

/** Returns the record in a row that has `recordColumns`. */
export function recordFromRow(row: SqlRow): ApiKeyRecord {
  return {
    digest: String(row.digest),
    prefix: String(row.prefix),
    limits: { perMinute: Number(row.per_minute), perDay: Number(row.per_day) },
    owner: String(row.owner),
    expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
  };
}
