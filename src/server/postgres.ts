import type { Pool, PoolClient, PoolConfig } from 'pg';
import { createCircuitBreaker } from './circuit-breaker.js';
import { mapPostgresError } from './postgres-errors.js';
import { migrateSchema, type PgConnection, runInTransaction } from './postgres-schema.js';
import { parsePostgresUrl } from './postgres-url.js';
import { type Database, DatabaseError, type Statement } from './sql.js';

export interface PostgresOptions {
  /** As libpq takes it: `postgres://user:password@host:port/name`. */
  readonly address: string;
  /** Put in when the database is new, in the transaction that makes it. */
  readonly seed?: () => readonly Statement[];
}

/** Opens the database, made and brought up to date where needed; safe while other processes do the same. */
export async function openPostgres({
  address,
  seed = () => [],
}: PostgresOptions): Promise<{ database: Database; isNew: boolean }> {
  const place = parsePostgresUrl(address)?.displayUrl;
  if (place === undefined) {
    throw new DatabaseError('unusable', 'the URL of the database cannot be read');
  }
  const Driver = await loadPool();
  const connectionString = normalizeSslMode(address);
  const open = (options: PoolConfig, settings = '') =>
    wrapPool(
      new Driver({ ...timeouts, ...options, ...sessionConfig(settings), connectionString }),
      place,
    );
  const preparing = open({ max: 1, statement_timeout: 0, query_timeout: migrationTimeoutMs });
  const isNew = await preparing
    .use((session) => migrateSchema(session, place, seed))
    .finally(() => preparing.end());
  const lasting = open({ max: 4 });
  // What is recorded need not be on disk when it is answered (postgresql.org/docs/current/wal-async-commit.html).
  const quick = open({ max: 8 }, 'SET synchronous_commit = off');
  const ask = (statement: Statement) => quick.use((session) => session.run(statement));
  return {
    isNew,
    database: {
      read: ask,
      writeUnsynced: ask,
      write: (...statements) =>
        lasting.use(async (session) => {
          // A statement on its own is a transaction, and its answer comes after the end of that.
          const [only] = statements;
          if (only && statements.length === 1) return session.run(only);
          return runInTransaction(session, writeLock, () => runAll(session, statements));
        }),
      poolStats: () => addPoolStats(lasting.state(), quick.state()),
      close: async () => {
        await Promise.all([lasting.end(), quick.end()]);
      },
    },
  };
}

/** With the mode that pg takes three others for, so that it does not print a warning of its own that it does. */
function normalizeSslMode(address: string): string {
  if (/[?&]uselibpqcompat=/.test(address)) return address;
  return address.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/** In milliseconds: how long anything may take before it is given up. */
const timeouts = {
  connectionTimeoutMillis: 2_000,
  statement_timeout: 3_000,
  // For a database that does not even say that it took too long.
  query_timeout: 4_000,
  idle_in_transaction_session_timeout: 10_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  allowExitOnIdle: true,
  application_name: 'petstore',
};

const migrationTimeoutMs = 3_600_000;

/** A lock that no other program of this database is likely to take. */
const writeLock = 5_728_411_094n;

/**
 * Every statement of the store walks along an index, and a planner that knows the tables from when they were small
 * must not think otherwise. Whole numbers come as they are, all else as text.
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

/** The types int8, int2 and int4, by their numbers in PostgreSQL's catalogue. */
const integerTypeIds = [20, 21, 23];

async function loadPool(): Promise<typeof Pool> {
  try {
    return (await import('pg')).Pool;
  } catch (error) {
    const message = 'the package pg, which PostgreSQL needs, is missing';
    throw new DatabaseError('no-postgres', message, error);
  }
}

/** A bounded number of connections; what fails on one of them ends it, and all that it had begun. */
function wrapPool(pool: Pool, place: string) {
  const enter = createCircuitBreaker(
    () => new DatabaseError('away', `the database ${place} cannot be reached`),
  );
  // A connection that breaks while nobody uses it is replaced when somebody does.
  pool.on('error', ignore);
  return {
    use: async <Result>(work: (session: PgConnection) => Promise<Result>): Promise<Result> => {
      let client: PoolClient | undefined;
      try {
        client = await enter(() => pool.connect());
        // What breaks between two statements shows with the second one.
        client.on('error', ignore);
        const result = await work(connectionOver(client));
        client.off('error', ignore);
        client.release();
        return result;
      } catch (error) {
        client?.release(true);
        throw mapPostgresError(error, place);
      }
    },
    state: (): PoolStats => ({
      size: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    end: () => pool.end(),
  };
}

type PoolStats = ReturnType<NonNullable<Database['poolStats']>>;

function addPoolStats(one: PoolStats, other: PoolStats): PoolStats {
  return {
    size: one.size + other.size,
    idle: one.idle + other.idle,
    waiting: one.waiting + other.waiting,
  };
}

function ignore(): void {}

const statementNames = new Map<string, string>();

/** Each text is planned once on each connection, under a name. */
function connectionOver(client: PoolClient): PgConnection {
  return {
    run: async ({ pieces, values }) => {
      const text = pieces.reduce((before, piece, index) => `${before}$${index}${piece}`);
      const name = statementNames.get(text) ?? `petstore_${statementNames.size}`;
      statementNames.set(text, name);
      return (await client.query({ name, text, values: [...values] })).rows;
    },
    exec: async (text) => (await client.query(text)).rows,
  };
}

async function runAll(session: PgConnection, statements: readonly Statement[]) {
  let rows = await session.run(statements[0] as Statement);
  for (const statement of statements.slice(1)) rows = await session.run(statement);
  return rows;
}
