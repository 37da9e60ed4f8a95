import type { PoolConfig } from 'pg';
import { loadPool, openPool, runInTransaction } from './postgres-pool.js';
import { migrateSchema } from './postgres-schema.js';
import { parsePostgresUrl } from './postgres-url.js';
import { type Database, DatabaseError, type SqlRow, type Statement } from './sql.js';

export interface PostgresOptions {
  /** In the syntax of libpq: `postgres://user:password@host:port/name`. */
  readonly url: string;
  /** Statements to run in the transaction that creates a new database. */
  readonly seed?: () => readonly Statement[];
}

/** Opens a database, and creates or migrates it; several processes may do so at the same time. */
export async function openPostgres({
  url,
  seed = () => [],
}: PostgresOptions): Promise<{ database: Database; isNew: boolean }> {
  const displayUrl = parsePostgresUrl(url)?.displayUrl;
  if (displayUrl === undefined) {
    throw new DatabaseError('unusable', 'the URL of the database cannot be read');
  }
  const PoolClass = await loadPool();
  const connectionString = normalizeSslMode(url);
  const open = (config: PoolConfig, settings = '') =>
    openPool(
      PoolClass,
      { ...connectionConfig, ...config, ...sessionConfig(settings), connectionString },
      displayUrl,
    );
  const migration = open({ max: 1, statement_timeout: 0, query_timeout: migrationTimeoutMs });
  const isNew = await migration
    .use((connection) => migrateSchema(connection, displayUrl, seed))
    .finally(() => migration.end());
  const synced = open({ max: 4 });
  // Commits do not wait for the disk (postgresql.org/docs/current/wal-async-commit.html).
  const unsynced = open({ max: 8 }, 'SET synchronous_commit = off');
  const runUnsynced = (statement: Statement) =>
    unsynced.use((connection) => connection.run(statement));
  return {
    isNew,
    database: {
      read: runUnsynced,
      writeUnsynced: runUnsynced,
      write: (...statements) =>
        synced.use(async (connection) => {
          // A single statement is a transaction already.
          const [only] = statements;
          if (only && statements.length === 1) return connection.run(only);
          return runInTransaction(connection, writeLock, async () => {
            let rows: readonly SqlRow[] = [];
            for (const statement of statements) rows = await connection.run(statement);
            return rows;
          });
        }),
      poolStats: () => {
        const [one, other] = [synced.stats(), unsynced.stats()];
        return {
          size: one.size + other.size,
          idle: one.idle + other.idle,
          waiting: one.waiting + other.waiting,
        };
      },
      close: async () => {
        await Promise.all([synced.end(), unsynced.end()]);
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
