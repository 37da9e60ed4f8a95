import { idempotencyKeyLifetimeMs } from '../api/http.js';
import type { NewPet } from '../api/pet.js';
import { petFromRow } from './pets.js';
import { Rejection } from './responses.js';
import type { Database } from './sql.js';

/** What identifies a request that has an `Idempotency-Key`. */
export interface IdempotentRequest {
  /** Digest of the API key. */
  readonly owner: string;
  readonly key: string;
  /** SHA-256 of the bytes of the body, in hexadecimal. */
  readonly requestDigest: string;
}

/** Returns the key in the header. Throws a `Rejection` if it is invalid. */
export function parseIdempotencyKey(header: string | readonly string[]): string {
  if (typeof header === 'string' && /^[!-~]{1,255}$/.test(header)) return header;
  throw new Rejection('invalid_request', 'Idempotency-Key must be one field of 1 to 255 visible ASCII characters');
}

/**
 * Adds a pet and an entry for the key in one transaction. If the key has an entry that has not expired, adds nothing and
 * returns the pet of that entry: pets never change, so that it has the stored response.
 */
export async function insertPetOnce(
  database: Database,
  newPet: NewPet,
  request: IdempotentRequest,
  now: number,
): Promise<{ pet: unknown; isReplay: boolean }> {
  const { name, categoryId, status = null } = newPet;
  // On Node.js 20, adding properties after a spread takes ten times as long.
  const values = { name, categoryId: BigInt(categoryId), status, now, ...request };
  const statements = insertTexts[database.dialect].map((text) => ({ text, values }));
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const [row] = await database.write(...statements);
    if (!row) continue;
    const isReplay = row.is_replay === 1n;
    if (row.request_digest === request.requestDigest) return { pet: petFromRow(row), isReplay };
    throw new Rejection('idempotency_key_reused', 'this Idempotency-Key was used with another request body');
  }
  throw new Rejection('idempotency_in_progress', 'a request with this Idempotency-Key is still running');
}

/** On PostgreSQL, a statement does not see an entry that another server commits meanwhile; the next one does. */
const maxAttempts = 3;

/** How many expired entries each add deletes: more than it adds, so that they never accumulate. */
const maxDeletions = 10;

const isSameKey = 'owner = :owner AND key = :key';
const isNewKey = `NOT EXISTS (SELECT 1 FROM idempotency_entries WHERE ${isSameKey})`;
const time = 'CAST(:now AS BIGINT)';
const expiresAt = `${time} + ${idempotencyKeyLifetimeMs}`;

/** Statements that add pet and entry, and select the pet. */
const insertTexts = {
  // Transactions of SQLite run one at a time.
  sqlite: [
    `DELETE FROM idempotency_entries WHERE rowid IN (
      SELECT rowid FROM idempotency_entries WHERE ${isSameKey} AND expires_at <= ${time}
      UNION ALL
      SELECT rowid FROM (
        SELECT rowid FROM idempotency_entries WHERE expires_at <= ${time} ORDER BY expires_at LIMIT ${maxDeletions}))`,
    `INSERT INTO pets (name, category_id, status) SELECT :name, :categoryId, :status WHERE ${isNewKey}`,
    `INSERT INTO idempotency_entries (owner, key, request_digest, pet_id, expires_at)
      SELECT :owner, :key, :requestDigest, last_insert_rowid(), ${expiresAt} WHERE ${isNewKey}`,
    // `changes()` counts the rows of the statement before.
    `SELECT pets.id, name, category_id, status, request_digest, 1 - changes() AS is_replay
      FROM idempotency_entries JOIN pets ON pets.id = pet_id WHERE ${isSameKey}`,
  ],
  // A single statement, so that adds with different keys do not wait for each other. The unique index on owner and key
  // makes it wait for a transaction that adds the same key. If that commits, this one adds nothing and returns no row.
  postgres: [
    `WITH expired AS (
      DELETE FROM idempotency_entries WHERE (owner, key) IN (
        SELECT owner, key FROM idempotency_entries WHERE expires_at <= ${time} AND NOT (${isSameKey})
        ORDER BY expires_at LIMIT ${maxDeletions} FOR UPDATE SKIP LOCKED)
    ), entry AS (
      INSERT INTO idempotency_entries (owner, key, request_digest, pet_id, expires_at)
      SELECT :owner, :key, :requestDigest, nextval(pg_get_serial_sequence('pets', 'id')), ${expiresAt}
      WHERE NOT EXISTS (SELECT 1 FROM idempotency_entries WHERE ${isSameKey} AND expires_at > ${time})
      ON CONFLICT (owner, key) DO UPDATE
        SET request_digest = excluded.request_digest, pet_id = excluded.pet_id, expires_at = excluded.expires_at
        WHERE idempotency_entries.expires_at <= ${time}
      RETURNING pet_id, request_digest
    ), pet AS (
      INSERT INTO pets (id, name, category_id, status)
      SELECT pet_id, :name, CAST(:categoryId AS BIGINT), :status FROM entry
      RETURNING id, name, category_id, status
    )
    SELECT id, name, category_id, status, request_digest, 0 AS is_replay FROM pet JOIN entry ON pet_id = id
    UNION ALL
    SELECT pets.id, name, category_id, status, request_digest, 1
    FROM idempotency_entries JOIN pets ON pets.id = pet_id WHERE ${isSameKey} AND expires_at > ${time}`,
  ],
} as const satisfies Readonly<Record<Database['dialect'], readonly string[]>>;
