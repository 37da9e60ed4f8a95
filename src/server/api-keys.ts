import type { PlanLimits } from '../api/plan.js';
import { sha256Hex } from '../format/sha256.js';
import { keySubject, type RateLimitStatus, statusFromRow } from './rate-limits.js';
import type { Database, SqlRow } from './sql.js';

/** What an operator chooses for a key. */
export interface ApiKeyDetails {
  readonly limits: PlanLimits;
  /** Unique. */
  readonly label?: string | undefined;
  /** In milliseconds since the Unix epoch; `undefined` if it never expires. */
  readonly expiresAt?: number | undefined;
}

/** Stored data of an API key; the key itself is never stored. */
export interface ApiKeyRecord extends ApiKeyDetails {
  /** SHA-256 of the key in hexadecimal. */
  readonly digest: string;
  /** First characters of the key, to recognize it by. */
  readonly prefix: string;
  /** Digest of the key that this one replaces, directly or not, else its own: they share quota, ban and idempotency keys. */
  readonly owner: string;
}

/** What to change about a key. Members that are missing do not change. */
export interface ApiKeyChanges {
  readonly limits?: PlanLimits | undefined;
  readonly label?: string | undefined;
  readonly expiresAt?: number | 'never' | undefined;
}

/** Stored data of an API key with its remaining quota. */
export interface ApiKeyStatus extends ApiKeyRecord, RateLimitStatus {
  /** In milliseconds since the Unix epoch. */
  readonly createdAt: number;
  /** First characters of the key that replaced this one. */
  readonly successor: string | undefined;
}

/** Returns a new API key: `pets_` and 256 random bits in base 36. */
export function generateApiKey(): string {
  const bits = crypto.getRandomValues(new Uint32Array(8));
  const number = bits.reduce((sum, part) => (sum << 32n) | BigInt(part), 0n);
  return `pets_${number.toString(36).padStart(50, '0')}`;
}

/** Returns at most nine characters, and at most a quarter of the key. */
export function prefixOf(key: string): string {
  return key.slice(0, Math.min(9, Math.floor(key.length / 4)));
}

/** Returns whether a key has expired at `now`, in milliseconds since the Unix epoch. */
export function isExpired({ expiresAt }: Pick<ApiKeyRecord, 'expiresAt'>, now: number): boolean {
  return expiresAt !== undefined && expiresAt <= now;
}

/** Returns the record of a key, which may have expired. */
export async function findApiKey(database: Database, key: string): Promise<ApiKeyRecord | undefined> {
  const [row] = await database.read({ text: selectText, values: { digest: sha256Hex(key) } });
  return row && recordFromRow(row);
}

const recordColumns =
  'keys.digest, keys.prefix, keys.per_minute, keys.per_day, keys.label, keys.owner, keys.expires_at';
const selectText = `SELECT ${recordColumns} FROM keys WHERE digest = :digest`;

/** Returns every key with its remaining quota, oldest first. */
export async function listApiKeys(database: Database, now: number): Promise<readonly ApiKeyStatus[]> {
  const rows = await database.read({ text: listText, values: { now } });
  return rows.map((row) => {
    const record = recordFromRow(row);
    return {
      ...record,
      ...statusFromRow(row, record.limits, Number(row.now)),
      createdAt: Number(row.created_at),
      successor: toText(row.successor_prefix),
    };
  });
}

const listText = `
  SELECT ${recordColumns}, keys.created_at, successors.prefix AS successor_prefix,
    minute_used, minute_end, day_used, day_end, banned_until, CAST(:now AS BIGINT) AS now
  FROM keys
  LEFT JOIN keys AS successors ON successors.digest = keys.successor
  LEFT JOIN meters ON subject = 'key ' || keys.owner
  ORDER BY keys.created_at, keys.digest`;

/** Adds a key and returns its record; undefined if the key is revoked. A key that exists keeps its details. */
export function addApiKey(database: Database, key: string, details: ApiKeyDetails, now: number) {
  return addUnless(addTexts.sameKey, database, key, details, now);
}

/**
 * Adds a key if none is valid, atomically across processes. Returns the record of the oldest valid key. A new database
 * gets its key this way.
 */
export async function addFirstApiKey(database: Database, key: string, details: ApiKeyDetails, now: number) {
  return (await addUnless(addTexts.validKey, database, key, details, now)) as ApiKeyRecord;
}

/** Adds a key and returns its record; undefined if another key has the label. */
export function createApiKey(database: Database, key: string, details: ApiKeyDetails, now: number) {
  return addUnless(addTexts.sameLabel, database, key, details, now);
}

const isKey = 'digest = :digest';
const isValid = '(expires_at IS NULL OR expires_at > CAST(:now AS BIGINT))';

/** Texts that add a key unless a condition matches another or the key is revoked, and select a key. */
const addTexts = {
  sameKey: addUnlessTexts(isKey, isKey),
  validKey: addUnlessTexts(isValid, isValid),
  sameLabel: addUnlessTexts('label = :label', isKey),
};

function addUnlessTexts(condition: string, selected: string) {
  return [
    `INSERT INTO keys (digest, prefix, per_minute, per_day, created_at, label, owner, expires_at)
      SELECT :digest, :prefix, CAST(:perMinute AS BIGINT), CAST(:perDay AS BIGINT), CAST(:now AS BIGINT), :label,
        :digest, CAST(:expiresAt AS BIGINT)
      WHERE NOT EXISTS (SELECT 1 FROM keys WHERE ${condition})
        AND NOT EXISTS (SELECT 1 FROM revoked_keys WHERE revoked_keys.digest = :digest)`,
    `SELECT ${recordColumns} FROM keys WHERE ${selected} ORDER BY created_at, digest LIMIT 1`,
  ];
}

async function addUnless(
  texts: readonly string[],
  database: Database,
  key: string,
  { limits, label, expiresAt }: ApiKeyDetails,
  now: number,
): Promise<ApiKeyRecord | undefined> {
  const details = { label: label ?? null, expiresAt: expiresAt ?? null, ...limits };
  const values = { digest: sha256Hex(key), prefix: prefixOf(key), now, ...details };
  const [row] = await database.write(...texts.map((text) => ({ text, values })));
  return row && recordFromRow(row);
}

/** Changes a key; limits also those of the keys that share its quota. Returns whether it did, as `createApiKey` does. */
export async function updateApiKey(database: Database, key: ApiKeyRecord, changes: ApiKeyChanges): Promise<boolean> {
  const { label = null, expiresAt = null, limits = key.limits } = changes;
  const values = {
    digest: key.digest,
    owner: key.owner,
    label,
    ...limits,
    changesExpiry: expiresAt === null ? 0 : 1,
    expiresAt: expiresAt === 'never' ? null : expiresAt,
  };
  const rows = await database.write(
    ...(changes.limits ? [{ text: updateLimitsText, values }] : []),
    { text: updateText, values },
    { text: `SELECT 1 AS is_changed FROM keys WHERE digest = :digest AND ${isLabelFree}`, values },
  );
  return rows.length > 0;
}

const isLabelFree = 'NOT EXISTS (SELECT 1 FROM keys AS others WHERE label = :label AND digest <> :digest)';

const updateLimitsText = `
  UPDATE keys SET per_minute = :perMinute, per_day = :perDay WHERE owner = :owner AND ${isLabelFree}`;

const updateText = `
  UPDATE keys SET label = coalesce(:label, label),
    expires_at = CASE WHEN :changesExpiry = 1 THEN CAST(:expiresAt AS BIGINT) ELSE expires_at END
  WHERE digest = :digest AND ${isLabelFree}`;

/**
 * Adds a key with the details of another, which loses its label and expires after `overlapMs`, unless it expires earlier.
 * Returns when it expires; undefined if nothing changed, because the other key has expired, or was replaced, revoked or given
 * another label.
 */
export async function rotateApiKey(
  database: Database,
  { digest, label = '' }: Pick<ApiKeyRecord, 'digest' | 'label'>,
  { key, overlapMs, now }: { readonly key: string; readonly overlapMs: number; readonly now: number },
): Promise<number | undefined> {
  const values = { digest, newDigest: sha256Hex(key), prefix: prefixOf(key), label, overlapMs, now };
  const [row] = await database.write(...rotateTexts.map((text) => ({ text, values })));
  return row && Number(row.expires_at);
}

const isRotated = 'EXISTS (SELECT 1 FROM keys AS successors WHERE successors.digest = :newDigest)';
const overlapEnd = 'CAST(:now AS BIGINT) + CAST(:overlapMs AS BIGINT)';

const rotateTexts = [
  `INSERT INTO keys (digest, prefix, per_minute, per_day, created_at, owner, expires_at)
    SELECT :newDigest, :prefix, per_minute, per_day, CAST(:now AS BIGINT), owner, expires_at
    FROM keys WHERE digest = :digest AND coalesce(label, '') = :label AND ${isValid}
      AND NOT EXISTS (SELECT 1 FROM keys AS successors WHERE successors.digest = keys.successor)`,
  `UPDATE keys SET label = NULL, successor = :newDigest,
      expires_at = CASE WHEN expires_at < ${overlapEnd} THEN expires_at ELSE ${overlapEnd} END
    WHERE digest = :digest AND ${isRotated}`,
  `UPDATE keys SET label = nullif(:label, '') WHERE digest = :newDigest`,
  `SELECT expires_at FROM keys WHERE digest = :digest AND ${isRotated}`,
];

/**
 * Deletes a key, and its counters if no other key shares them. Every process rejects its next request with 401. The digest
 * stays in `revoked_keys`: a start with this key in `--api-key-file` must not add it again. A request that is being counted
 * meanwhile can leave its counter, which nothing reads.
 */
export async function revokeApiKey(database: Database, key: ApiKeyRecord): Promise<void> {
  const values = { digest: key.digest, owner: key.owner, subject: keySubject(key).id };
  await database.write(...revokeTexts.map((text) => ({ text, values })));
}

const revokeTexts = [
  'INSERT INTO revoked_keys (digest) SELECT digest FROM keys WHERE digest = :digest ON CONFLICT DO NOTHING',
  'DELETE FROM keys WHERE digest = :digest',
  'DELETE FROM meters WHERE subject = :subject AND NOT EXISTS (SELECT 1 FROM keys WHERE owner = :owner)',
];

/** Returns the record in a row that has `recordColumns`. */
function recordFromRow(row: SqlRow): ApiKeyRecord {
  return {
    digest: String(row.digest),
    prefix: String(row.prefix),
    limits: { perMinute: Number(row.per_minute), perDay: Number(row.per_day) },
    label: toText(row.label),
    owner: String(row.owner),
    expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
  };
}

function toText(value: SqlRow[string] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
