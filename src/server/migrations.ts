import { DatabaseError, type SqlRow, type Statement, sql } from './sql.js';

/**
 * Renames labels that several API keys have to `ci`, `ci-2`, `ci-3`. The oldest key keeps its label. New labels are unique:
 * without the number after the last hyphen, each is the label before.
 */
const renameDuplicateLabels = `
  WITH RECURSIVE
    duplicates AS (
      SELECT digest, label, row_number() OVER (PARTITION BY label ORDER BY created_at, digest) - 1 AS place
      FROM keys WHERE label IS NOT NULL),
    labels AS (
      SELECT label, max(place) + 1 + (
        SELECT count(*) FROM keys WHERE substr(keys.label, 1, length(duplicates.label) + 1) = duplicates.label || '-'
      ) AS max_number
      FROM duplicates GROUP BY label HAVING max(place) > 0),
    candidates (label, number, max_number) AS (
      SELECT label, 2, max_number FROM labels
      UNION ALL SELECT label, number + 1, max_number FROM candidates WHERE number < max_number),
    free_labels AS (
      SELECT label, label || '-' || number AS new_label, row_number() OVER (PARTITION BY label ORDER BY number) AS place
      FROM candidates WHERE label || '-' || number NOT IN (SELECT label FROM keys WHERE label IS NOT NULL))
  UPDATE keys SET label = renamed.new_label
  FROM (
    SELECT digest, new_label FROM duplicates
    JOIN free_labels ON free_labels.label = duplicates.label AND free_labels.place = duplicates.place
  ) AS renamed
  WHERE renamed.digest = keys.digest
  RETURNING prefix, label`;

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
      created_at INTEGER NOT NULL
    )`,
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
  ],
  ['ALTER TABLE keys ADD COLUMN plan TEXT', 'ALTER TABLE keys ADD COLUMN label TEXT'],
  [
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
  [
    'ALTER TABLE keys ADD COLUMN owner TEXT',
    'ALTER TABLE keys ADD COLUMN successor TEXT',
    'ALTER TABLE keys ADD COLUMN expires_at INTEGER',
    'UPDATE keys SET owner = digest',
    renameDuplicateLabels,
    'CREATE UNIQUE INDEX keys_by_label ON keys (label)',
  ],
  ['CREATE TABLE revoked_keys (digest TEXT PRIMARY KEY)'],
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
    .map((text) => sql([text]));
  return version === 0 ? [...changes, ...seed()] : changes;
}

/** Describes what migrations changed in the data, from the rows that their statements returned. */
export function describeMigrations(rows: readonly SqlRow[]): readonly string[] {
  return rows.map(
    ({ prefix, label }) =>
      `the label of API key ${prefix}… is now ${label}, because another API key has the label ${String(label).replace(/-\d+$/, '')}`,
  );
}
