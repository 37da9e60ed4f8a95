import { type Limits, type Plan, planNames, planOf } from '../api/plan.js';
import { sha256Hex } from '../format/sha256.js';
import {
  deleteCountersStatement,
  keySubject,
  type RateLimitStatus,
  readRateLimitStatus,
} from './rate-limits.js';
import { castToBigint, type Database, type Row, type Statement, sql } from './sql.js';

/** A key that the service knows: by its digest, never by itself. */
export interface ApiKeyRecord {
  /** SHA-256 of the key, in hexadecimal digits. */
  readonly digest: string;
  /** The first characters, enough for a person to tell which key it is. */
  readonly prefix: string;
  readonly limits: Limits;
}

/** What a key was made known with, and what it has left. */
export interface ApiKeyStatus extends ApiKeyRecord, RateLimitStatus {
  readonly plan: Plan;
  readonly label: string | undefined;
  /** In milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

/** What a key is made known with, beside its limits. */
interface ApiKeyDetails {
  /** Without it the plan that has the limits. */
  readonly plan?: Plan | undefined;
  readonly label?: string | undefined;
}

/** A new API key: `pets_` and 256 random bits in letters and digits. */
export function generateApiKey(): string {
  const bits = crypto.getRandomValues(new Uint32Array(8));
  const number = bits.reduce((sum, part) => (sum << 32n) | BigInt(part), 0n);
  return `pets_${number.toString(36).padStart(50, '0')}`;
}

/** A key that is to be known from `now` on. */
type NewKey = readonly [key: string, limits: Limits, now: number, notes?: ApiKeyDetails];

/** Makes the key known, and resolves to it; one that is known already keeps its limits. */
export function addApiKey(database: Database, ...key: NewKey): Promise<ApiKeyRecord> {
  return addUnlessKnown(database, key, sql`WHERE digest = ${sha256Hex(key[0])}`);
}

/** Makes the key known where no other is, of several processes at once one only; resolves to the first key. */
export function addFirstApiKey(database: Database, ...key: NewKey): Promise<ApiKeyRecord> {
  return addUnlessKnown(database, key, sql``);
}

const selection = sql`SELECT digest, prefix, per_minute, per_day FROM keys`;
const first = sql`ORDER BY created_at, digest LIMIT 1`;

/** Makes a key known unless there is one already among those that `among` chooses; resolves to the first of them. */
async function addUnlessKnown(
  database: Database,
  [key, limits, now, { plan = planOf(limits), label } = {}]: NewKey,
  among: Statement,
): Promise<ApiKeyRecord> {
  const [row] = await database.write(
    sql`
      INSERT INTO keys (digest, prefix, per_minute, per_day, created_at, plan, label)
      SELECT ${sha256Hex(key)}, ${keyPrefix(key)}, ${castToBigint(limits.perMinute)}, ${castToBigint(limits.perDay)}, ${castToBigint(now)},
        ${plan}, ${label ?? null}
      WHERE NOT EXISTS (SELECT 1 FROM keys ${among})`,
    sql`${selection} ${among} ${first}`,
  );
  return recordFromRow(row as Row);
}

/** True where a key is the one that is known. */
export function matchesApiKey({ digest }: ApiKeyRecord, key: string): boolean {
  return isEqualConstantTime(digest, sha256Hex(key));
}

/** The key of these bearer credentials, or nothing where it is not known. */
export async function findApiKey(
  database: Database,
  key: string,
): Promise<ApiKeyRecord | undefined> {
  const digest = sha256Hex(key);
  const [row] = await database.read(sql`${selection} WHERE digest = ${digest}`);
  return row && isEqualConstantTime(String(row.digest), digest) ? recordFromRow(row) : undefined;
}

/** The statement that changes what a known key may send. */
export function updateLimitsStatement(
  key: ApiKeyRecord,
  limits: Limits,
  plan = planOf(limits),
): Statement {
  return sql`
    UPDATE keys SET per_minute = ${limits.perMinute}, per_day = ${limits.perDay}, plan = ${plan}
    WHERE digest = ${key.digest}`;
}

/** Every key, the first one first, with what it has left. */
export async function listApiKeys(
  database: Database,
  now: number,
): Promise<readonly ApiKeyStatus[]> {
  const rows = await database.read(sql`
    SELECT digest, prefix, per_minute, per_day, created_at, plan, label
    FROM keys ORDER BY created_at, digest`);
  const listed: ApiKeyStatus[] = [];
  // One after the other: a database that is shared is not asked everything at once.
  for (const row of rows) {
    const key = recordFromRow(row);
    listed.push({
      ...key,
      ...(await readRateLimitStatus(database, keySubject(key), now)),
      plan: planNames.find((name) => name === row.plan) ?? planOf(key.limits),
      label: row.label === null ? undefined : String(row.label),
      createdAt: Number(row.created_at),
    });
  }
  return listed;
}

/** Forgets a key and what was counted of it: who uses it is unauthorized from now on, in every process. */
export async function revokeApiKey(database: Database, key: ApiKeyRecord): Promise<void> {
  await database.write(
    sql`DELETE FROM keys WHERE digest = ${key.digest}`,
    deleteCountersStatement(keySubject(key)),
  );
}

/** At most nine characters, and never more than a quarter of the key. */
function keyPrefix(key: string): string {
  return key.slice(0, Math.min(9, Math.floor(key.length / 4)));
}

/** Compares digests in a time that does not tell where they differ. */
function isEqualConstantTime(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at += 1) {
    difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  }
  return difference === 0;
}

function recordFromRow(row: Row): ApiKeyRecord {
  return {
    digest: String(row.digest),
    prefix: String(row.prefix),
    limits: { perMinute: Number(row.per_minute), perDay: Number(row.per_day) },
  };
}
