import { DatabaseError, type Statement } from './sql.js';

/** Schema changes, oldest first; the schema version is their number. A released change is never edited. */
export const migrations: readonly (readonly string[])[] = [
  [
    `CREATE TABLE pets (
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL,
      category_id INTEGER NOT NULL,
      status TEXT
    )`,
    'CREATE INDEX pets_by_status ON pets (status, id)',
    `CREATE TABLE keys (
      digest TEXT PRIMARY KEY,
      prefix TEXT NOT NULL,
      per_minute INTEGER NOT NULL,
      per_day INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      label TEXT,
      owner TEXT NOT NULL,
      successor TEXT,
      expires_at INTEGER
    )`,
    'CREATE UNIQUE INDEX keys_by_label ON keys (label)',
    'CREATE TABLE revoked_keys (digest TEXT PRIMARY KEY)',
    `CREATE TABLE meters (
      subject TEXT PRIMARY KEY,
      minute_used INTEGER NOT NULL,
      minute_end INTEGER NOT NULL,
      day_used INTEGER NOT NULL,
      day_end INTEGER NOT NULL,
      refusals INTEGER NOT NULL,
      bans INTEGER NOT NULL,
      banned_until INTEGER NOT NULL,
      verdict TEXT NOT NULL
    )`,
    `CREATE TABLE idempotency_entries (
      owner TEXT NOT NULL,
      key TEXT NOT NULL,
      request_digest TEXT NOT NULL,
      pet_id INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (owner, key)
    )`,
    'CREATE INDEX idempotency_entries_by_expiry ON idempotency_entries (expires_at)',
  ],
];

/** Returns the statements that bring a schema to the newest version; a new database (version 0) gets the seed data. */
export function migrationStatements(
  version: number,
  displayName: string,
  seed: () => readonly Statement[],
): readonly Statement[] {
  if (version > migrations.length) {
    throw new DatabaseError('newer', `the database ${displayName} has the format of a newer version of petstore`);
  }
  const changes = migrations
    .slice(version)
    .flat()
    .map((text) => ({ text }));
  return version === 0 ? [...changes, ...seed()] : changes;
}
