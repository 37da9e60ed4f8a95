import type { Pool, PoolClient, PoolConfig } from 'pg';
import { createTurnstile } from './circuit-breaker.js';
import { parsePostgres } from './postgres-address.js';
import { postgresError } from './postgres-errors.js';
import { prepareSchema, type Session, transact } from './postgres-schema.js';
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
  const place = parsePostgres(address)?.shown;
  if (place === undefined) {
    throw new DatabaseError('unusable', 'the URL of the database cannot be read');
  }
  const Driver = await loadDriver();
  const connectionString = withPlainMode(address);
  const open = (options: PoolConfig, settings = '') =>
    poolOver(
      new Driver({ ...bounds, ...options, ...sessionOf(settings), connectionString }),
      place,
    );
  const preparing = open({ max: 1, statement_timeout: 0, query_timeout: longestMigration });
  const isNew = await preparing
    .use((session) => prepareSchema(session, place, seed))
    .finally(() => preparing.end());
  const lasting = open({ max: 4 });
  // What is recorded need not be on disk when it is answered (postgresql.org/docs/current/wal-async-commit.html).
  const quick = open({ max: 8 }, 'SET synchronous_commit = off');
  const ask = (statement: Statement) => quick.use((session) => session.run(statement));
  return {
    isNew,
    database: {
      read: ask,
      record: ask,
      write: (...statements) =>
        lasting.use(async (session) => {
          // A statement on its own is a transaction, and its answer comes after the end of that.
          const [only] = statements;
          if (only && statements.length === 1) return session.run(only);
          return transact(session, writing, () => runAll(session, statements));
        }),
      pool: () => sumOf(lasting.state(), quick.state()),
      close: async () => {
        await Promise.all([lasting.end(), quick.end()]);
      },
    },
  };
}

/** With the mode that pg takes three others for, so that it does not print a warning of its own that it does. */
function withPlainMode(address: string): string {
  if (/[?&]uselibpqcompat=/.test(address)) return address;
  return address.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/** In milliseconds: how long anything may take before it is given up. */
const bounds = {
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

const longestMigration = 3_600_000;

/** A lock that no other program of this database is likely to take. */
const writing = 5_728_411_094n;

/**
 * Every statement of the store walks along an index, and a planner that knows the tables from when they were small
 * must not think otherwise. Whole numbers come as they are, all else as text.
 */
function sessionOf(settings: string): PoolConfig {
  return {
    types: {
      getTypeParser: (type: number) => (wholeNumbers.includes(type) ? BigInt : String),
    } as unknown as NonNullable<PoolConfig['types']>,
    onConnect: async (client) => {
      await client.query(`SET enable_seqscan = off; SET enable_bitmapscan = off; ${settings}`);
    },
  };
}

/** The types int8, int2 and int4, by their numbers in PostgreSQL's catalogue. */
const wholeNumbers = [20, 21, 23];

async function loadDriver(): Promise<typeof Pool> {
  try {
    return (await import('pg')).Pool;
  } catch (error) {
    const message = 'the package pg, which PostgreSQL needs, is missing';
    throw new DatabaseError('no-postgres', message, error);
  }
}

/** A bounded number of connections; what fails on one of them ends it, and all that it had begun. */
function poolOver(pool: Pool, place: string) {
  const enter = createTurnstile(
    () => new DatabaseError('away', `the database ${place} cannot be reached`),
  );
  // A connection that breaks while nobody uses it is replaced when somebody does.
  pool.on('error', ignore);
  return {
    use: async <Result>(work: (session: Session) => Promise<Result>): Promise<Result> => {
      let client: PoolClient | undefined;
      try {
        client = await enter(() => pool.connect());
        // What breaks between two statements shows with the second one.
        client.on('error', ignore);
        const result = await work(sessionOver(client));
        client.off('error', ignore);
        client.release();
        return result;
      } catch (error) {
        client?.release(true);
        throw postgresError(error, place);
      }
    },
    state: (): PoolState => ({
      size: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    end: () => pool.end(),
  };
}

type PoolState = ReturnType<NonNullable<Database['pool']>>;

function sumOf(one: PoolState, other: PoolState): PoolState {
  return {
    size: one.size + other.size,
    idle: one.idle + other.idle,
    waiting: one.waiting + other.waiting,
  };
}

function ignore(): void {}

const names = new Map<string, string>();

/** Each text is planned once on each connection, under a name. */
function sessionOver(client: PoolClient): Session {
  return {
    run: async ({ pieces, values }) => {
      const text = pieces.reduce((before, piece, index) => `${before}$${index}${piece}`);
      const name = names.get(text) ?? `petstore_${names.size}`;
      names.set(text, name);
      return (await client.query({ name, text, values: [...values] })).rows;
    },
    exec: async (text) => (await client.query(text)).rows,
  };
}

async function runAll(session: Session, statements: readonly Statement[]) {
  let rows = await session.run(statements[0] as Statement);
  for (const statement of statements.slice(1)) rows = await session.run(statement);
  return rows;
}
