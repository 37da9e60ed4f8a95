import type { PoolClient, PoolConfig } from 'pg';
import type { Clock } from '../clock.js';
import { batchStatements } from './batch-statements.js';
import { migrationStatements, migrations } from './migrations.js';
import { runBatch, type Session } from './postgres-batch.js';
import { createDatabaseClock } from './postgres-clock.js';
import { isRolledBack } from './postgres-errors.js';
import { loadPool, openPool } from './postgres-pool.js';
import type { SessionSettings } from './postgres-session.js';
import { parsePostgresUrl } from './postgres-url.js';
import { type Database, DatabaseError, formatSql, type SqlRow, type Statement, sql } from './sql.js';

export interface PostgresOptions {
  /** Makes the database's time decide windows and bans; if simulated, time starts at its time. */
  readonly clock?: Clock | undefined;
  /** Runs the statements of one turn of the event loop together. */
  readonly isBatched?: boolean | undefined;
}

/** Opens a database, and creates or migrates it; several processes may do so at the same time. */
export async function openPostgres(
  url: string,
  seed: () => readonly Statement[] = () => [],
  { clock, isBatched = false }: PostgresOptions = {},
): Promise<{ database: Database; isNew: boolean }> {
  const displayUrl = parsePostgresUrl(url)?.displayUrl;
  if (displayUrl === undefined) {
    throw new DatabaseError('unusable', 'the database URL is invalid');
  }
  const PoolClass = await loadPool();
  const connectionString = normalizeSslMode(url);
  const databaseClock = clock && createDatabaseClock(clock);
  const open = (config: PoolConfig, settings: SessionSettings = {}) =>
    openPool(PoolClass, {
      config: { ...connectionConfig, ...config, connectionString },
      settings: { ...sessionSettings, ...settings },
      displayUrl,
      onTime: (timeMs) => databaseClock?.adjust(timeMs),
    });
  const migration = open({ max: 1, query_timeout: migrationTimeoutMs }, { statement_timeout: '0' });
  const isNew = await migration
    .use((client, session) => migrateSchema(client, session, displayUrl, seed))
    .finally(() => migration.pool.end());
  const synced = open({ max: 4 });
  // Commits do not wait for the disk (postgresql.org/docs/current/wal-async-commit.html).
  const unsynced = open({ max: 8 }, { synchronous_commit: 'off' });
  return {
    isNew,
    database: {
      ...(databaseClock && { clock: databaseClock.toSharedClock() }),
      ...(isBatched ? batchedMethods(synced.run, unsynced.run) : directMethods(synced.run, unsynced.run)),
      dialect: 'postgres',
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

type RunStatements = ReturnType<typeof openPool>['run'];
type StatementMethods = Pick<Database, 'read' | 'write' | 'writeUnsynced'>;

function directMethods(runSynced: RunStatements, runUnsynced: RunStatements): StatementMethods {
  return {
    read: async (statement) => lastRows(await runUnsynced([statement], { isRead: true })),
    write: async (...statements) =>
      lastRows(await runSynced(statements.length === 1 ? statements : [lockStatement(writeLock), ...statements])),
    writeUnsynced: async (statement) => lastRows(await runUnsynced([statement])),
  };
}

/** Batches reads, counts and single writes separately. Identical reads are sent once; counts are ordered by their row. */
function batchedMethods(runSynced: RunStatements, runUnsynced: RunStatements): StatementMethods {
  const direct = directMethods(runSynced, runUnsynced);
  const runReads: RunStatements = (statements) => runUnsynced(statements, { isRead: true });
  const batchRead = batchStatements<string>({ run: runReads, isShared: true, isRolledBack });
  const batchCount = batchStatements<string>({ run: runUnsynced, isRolledBack });
  const batchWrite = batchStatements<number>({ run: runSynced, isRolledBack });
  let writeCount = 0;
  return {
    read: (statement) => batchRead(formatStatementKey(statement), statement),
    write: (...statements) => {
      const [statement] = statements;
      if (!statement || statements.length > 1) return direct.write(...statements);
      writeCount += 1;
      return batchWrite(writeCount, statement);
    },
    writeUnsynced: (statement, lockedRow) =>
      lockedRow === undefined ? direct.writeUnsynced(statement) : batchCount(lockedRow, statement),
  };
}

/** Returns a text that is equal only for identical statements. */
function formatStatementKey(statement: Statement): string {
  const values = statement.values.map((value) => (value === null ? null : String(value)));
  return JSON.stringify([formatSql(statement, '$'), values]);
}

function lastRows(results: readonly (readonly SqlRow[])[]): readonly SqlRow[] {
  return results.at(-1) ?? [];
}

/** Replaces modes that pg treats as `verify-full`: it would print a warning that it does so. */
function normalizeSslMode(url: string): string {
  if (/[?&]uselibpqcompat=/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/** Timeouts in milliseconds. PgBouncer rejects startup parameters, so sessions get their settings later. */
const connectionConfig = {
  connectionTimeoutMillis: 2_000,
  // For a server that does not report the timeout of a statement.
  query_timeout: 4_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  allowExitOnIdle: true,
  // New connections adjust the clock.
  maxLifetimeSeconds: 3_600,
  application_name: 'petstore',
};

/**
 * Every statement reads an index; the planner must not choose otherwise from statistics of when the tables were small.
 * Timeouts are in milliseconds.
 */
const sessionSettings: SessionSettings = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  statement_timeout: '3000',
  idle_in_transaction_session_timeout: '10000',
};

const migrationTimeoutMs = 3_600_000;

/** Id of an advisory lock; random, so that no other program uses it. */
const writeLock = 5_728_411_094n;

/** Returns a statement that waits for an advisory lock, which the end of the transaction releases. */
function lockStatement(lock: bigint): Statement {
  return sql`SELECT pg_advisory_xact_lock(${lock})`;
}

/** Migrates the schema in one transaction. Returns whether the database is new. */
async function migrateSchema(
  client: PoolClient,
  session: Session,
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
  await client.query('BEGIN');
  await runBatch(client, session, [lockStatement(migrationLock)]);
  const from = await readSchemaVersion(client);
  const changes = migrationStatements(from, displayUrl, seed).map((statement) => ({
    ...statement,
    pieces: statement.pieces.map(toPostgresDialect),
  }));
  await runBatch(client, session, [
    ...changes,
    ...(from === 0 ? postgresOnlyStatements : []),
    sql([`UPDATE petstore_version SET version = ${migrations.length}`]),
  ]);
  await client.query('COMMIT');
  return from === 0;
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
  sql`CREATE TABLE petstore_version (version BIGINT NOT NULL)`,
  sql`INSERT INTO petstore_version (version) VALUES (0)`,
  sql`CREATE INDEX meters_by_end ON meters (day_end)`,
];

/** Replaces SQLite's types with PostgreSQL's; text is sorted by its bytes. */
function toPostgresDialect(text: string): string {
  return text
    .replace('INTEGER PRIMARY KEY AUTOINCREMENT', 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY')
    .replace(/\bINTEGER\b/g, 'BIGINT')
    .replace(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}
