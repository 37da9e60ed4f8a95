import type { PoolClient, PoolConfig } from 'pg';
import { migrationStatements, migrations } from './migrations.js';
import { loadPool, openPool, runInTransaction, runStatement } from './postgres-pool.js';
import { parsePostgresUrl } from './postgres-url.js';
import { type Database, DatabaseError, type SqlRow, type Statement } from './sql.js';

/** Opens a database, and creates or migrates it; several processes may do so at the same time. */
export async function openPostgres(
  url: string,
  seed: () => readonly Statement[] = () => [],
): Promise<{ database: Database; isNew: boolean }> {
  const displayUrl = parsePostgresUrl(url)?.displayUrl;
  if (displayUrl === undefined) {
    throw new DatabaseError('unusable', 'the database URL is invalid');
  }
  const PoolClass = await loadPool();
  const connectionString = normalizeSslMode(url);
  const open = (config: PoolConfig, settings = '') =>
    openPool(PoolClass, { ...connectionConfig, ...config, ...sessionConfig(settings), connectionString }, displayUrl);
  const migration = open({ max: 1, statement_timeout: 0, query_timeout: migrationTimeoutMs });
  const isNew = await migration
    .use((client) => migrateSchema(client, displayUrl, seed))
    .finally(() => migration.pool.end());
  const synced = open({ max: 4 });
  // Commits do not wait for the disk (postgresql.org/docs/current/wal-async-commit.html).
  const unsynced = open({ max: 8 }, 'SET synchronous_commit = off');
  const runUnsynced = (statement: Statement) => unsynced.use((client) => runStatement(client, statement));
  return {
    isNew,
    database: {
      read: runUnsynced,
      writeUnsynced: runUnsynced,
      write: (...statements) =>
        synced.use(async (client) => {
          const runAll = async () => {
            let rows: readonly SqlRow[] = [];
            for (const statement of statements) rows = await runStatement(client, statement);
            return rows;
          };
          // A single statement is a transaction already.
          return statements.length === 1 ? runAll() : runInTransaction(client, writeLock, runAll);
        }),
      poolStats: () => ({
        size: synced.pool.totalCount + unsynced.pool.totalCount,
        idle: synced.pool.idleCount + unsynced.pool.idleCount,
        waiting: synced.pool.waitingCount + unsynced.pool.waitingCount,
      }),
      close: async () => {
        await Promise.all([synced.pool.end(), unsynced.pool.end()]);
      },
    },
  };
}

/** Replaces modes that pg treats as `verify-full`: it would print a warning that it does so. */
function normalizeSslMode(url: string): string {
  if (/[?&]uselibpqcompat=/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/** Timeouts in milliseconds. */
const connectionConfig = {
  connectionTimeoutMillis: 2_000,
  statement_timeout: 3_000,
  // For a server that does not report the timeout of a statement.
  query_timeout: 4_000,
  idle_in_transaction_session_timeout: 10_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  allowExitOnIdle: true,
  application_name: 'petstore',
};

const migrationTimeoutMs = 3_600_000;

/** Id of an advisory lock; random, so that no other program uses it. */
const writeLock = 5_728_411_094n;

/**
 * Returns the settings of a connection. Every statement reads an index; the planner must not choose otherwise from
 * statistics of when the tables were small. Integers are parsed as `bigint`, other types as text.
 */
function sessionConfig(settings: string): PoolConfig {
  return {
    types: {
      getTypeParser: (type: number) => (integerTypeIds.includes(type) ? BigInt : String),
    } as unknown as NonNullable<PoolConfig['types']>,
    onConnect: async (client) => {
      await client.query(`SET enable_seqscan = off; SET enable_bitmapscan = off; ${settings}`);
    },
  };
}

/** Object ids of int8, int2 and int4 in `pg_type`. */
const integerTypeIds = [20, 21, 23];

/** Migrates the schema in one transaction. Returns whether the database is new. */
async function migrateSchema(
  client: PoolClient,
  displayUrl: string,
  seed: () => readonly Statement[],
): Promise<boolean> {
  const { rows } = await client.query('SHOW server_encoding');
  const { server_encoding: encoding } = rows[0];
  if (encoding !== 'UTF8') {
    const message = `the database ${displayUrl} cannot be used: its encoding is ${encoding}, not UTF8`;
    throw new DatabaseError('unusable', message);
  }
  if ((await readSchemaVersion(client)) === migrations.length) return false;
  return runInTransaction(client, migrationLock, async () => {
    const from = await readSchemaVersion(client);
    for (const { pieces, values } of migrationStatements(from, displayUrl, seed)) {
      await runStatement(client, { pieces: pieces.map(toPostgresDialect), values });
    }
    if (from === 0) for (const text of postgresOnlyStatements) await client.query(text);
    await client.query(`UPDATE petstore_version SET version = ${migrations.length}`);
    return from === 0;
  });
}

/** Id of an advisory lock; random, so that no other program uses it. */
const migrationLock = 5_728_411_093n;

async function readSchemaVersion(client: PoolClient): Promise<number> {
  // Queried as a table: a lookup by name may be cached from before the lock was acquired.
  const tables = await client.query(
    "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'petstore_version'",
  );
  if (tables.rows.length === 0) return 0;
  const { rows } = await client.query('SELECT version FROM petstore_version');
  return Number(rows[0].version);
}

/** SQLite stores the version in `user_version`, and its `meters` are small enough to scan. */
const postgresOnlyStatements = [
  'CREATE TABLE petstore_version (version BIGINT NOT NULL)',
  'INSERT INTO petstore_version (version) VALUES (0)',
  'CREATE INDEX meters_by_end ON meters (day_end)',
];

/** Replaces SQLite's types with PostgreSQL's; text is sorted by its bytes. */
function toPostgresDialect(text: string): string {
  return text
    .replace('INTEGER PRIMARY KEY AUTOINCREMENT', 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY')
    .replace(/\bINTEGER\b/g, 'BIGINT')
    .replace(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}
