import type { Client, Pool, PoolConfig } from 'pg';
import type { Clock } from '../clock.js';
import { migrationStatements, migrations } from './migrations.js';
import { canRetry, mapPostgresError } from './postgres-errors.js';
import { parsePostgresUrl } from './postgres-url.js';
import { type Database, DatabaseError, parameterPattern, type SqlRow, type Statement } from './sql.js';

/** Opens a database, and creates or migrates it; several processes may do so at the same time. */
export async function openPostgres(
  url: string,
  { seed = () => [], clock }: { readonly seed?: () => readonly Statement[]; readonly clock: Clock },
): Promise<{ database: Database; isNew: boolean }> {
  const displayUrl = parsePostgresUrl(url)?.displayUrl;
  if (displayUrl === undefined) throw new DatabaseError('unusable', 'the database URL is invalid');
  const { Client, Pool } = await loadDriver();
  const config = { ...connectionConfig, connectionString: normalizeSslMode(url) };
  const { isNew, isPooled } = await prepareDatabase(Client, config, { displayUrl, seed }).catch((error: unknown) => {
    throw mapPostgresError(error, displayUrl);
  });
  const translate = createTranslator(clock);
  const open = (max: number, settings: readonly string[]) =>
    openPool(Pool, { config: { ...config, max }, settings, displayUrl, isPooled, translate });
  const synced = open(8, sessionSettings);
  // Commits do not wait for the disk (postgresql.org/docs/current/wal-async-commit.html).
  const unsynced = open(8, [...sessionSettings, 'SET synchronous_commit = off']);
  return {
    isNew,
    database: {
      read: (statement) => unsynced.run(statement, { isRead: true }),
      write: (...statements) => synced.transact(statements),
      writeUnsynced: (statement) => unsynced.run(statement),
      dialect: 'postgres',
      poolStats: () => {
        const [one, other] = [synced.stats(), unsynced.stats()];
        return { size: one.size + other.size, idle: one.idle + other.idle, waiting: one.waiting + other.waiting };
      },
      close: async () => {
        await Promise.all([synced.close(), unsynced.close()]);
      },
    },
  };
}

/** Loads pg, an optional package. */
async function loadDriver() {
  const { default: pg } = await import('pg').catch((error: unknown) => {
    const message = 'the optional package pg, which PostgreSQL requires, is not installed';
    throw new DatabaseError('no_postgres', message, error);
  });
  return pg;
}

/** Replaces modes that pg treats as `verify-full`: it would print a warning that it does so. */
function normalizeSslMode(url: string): string {
  if (/[?&]uselibpqcompat=/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/** Object ids of int8, int2 and int4 in `pg_type`. */
const integerTypeIds = [20, 21, 23];

/** Timeouts in milliseconds. PgBouncer rejects startup parameters, so sessions get their settings later. */
const connectionConfig: PoolConfig = {
  connectionTimeoutMillis: 2_000,
  // For a server that does not report the timeout of a statement.
  query_timeout: 4_000,
  // The other side of a connection that is idle for longer may be gone without a sign.
  idleTimeoutMillis: 1_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  allowExitOnIdle: true,
  application_name: 'petstore',
  types: {
    getTypeParser: (typeId: number) => (integerTypeIds.includes(typeId) ? BigInt : String),
  } as NonNullable<PoolConfig['types']>,
};

/**
 * Every statement reads an index; the planner must not choose otherwise from statistics of when the tables were small.
 * Timeouts are in milliseconds.
 */
const sessionSettings = [
  'SET enable_seqscan = off',
  'SET enable_bitmapscan = off',
  'SET statement_timeout = 3000',
  'SET idle_in_transaction_session_timeout = 10000',
];

const migrationTimeoutMs = 3_600_000;

/** A statement in the form of pg. */
interface Query {
  readonly text: string;
  readonly name: string;
  readonly values: readonly unknown[];
}

/** The time of the database in milliseconds, which servers whose clocks differ share. */
const databaseTime = "CAST(date_part('epoch', statement_timestamp()) * 1000 AS BIGINT)";

/** Returns a function that numbers the parameters of statements. */
function createTranslator({ isSimulated = false }: Clock): (statement: Statement) => Query {
  const translated = new Map<
    string,
    { readonly text: string; readonly name: string; readonly keys: readonly string[] }
  >();
  const translate = (given: string) => {
    const keys: string[] = [];
    const text = given.replace(parameterPattern, (_, key: string) => {
      if (key === 'now' && !isSimulated) return databaseTime;
      if (!keys.includes(key)) keys.push(key);
      return `$${keys.indexOf(key) + 1}`;
    });
    const entry = { text, name: `petstore_${translated.size}`, keys };
    translated.set(given, entry);
    return entry;
  };
  return ({ text: given, values = {} }) => {
    const { text, name, keys } = translated.get(given) ?? translate(given);
    return { text, name, values: keys.map((key) => values[key]) };
  };
}

interface PoolOptions {
  readonly config: PoolConfig;
  /** Statements that configure a session. */
  readonly settings: readonly string[];
  readonly displayUrl: string;
  /**
   * Behind a connection pooler such as PgBouncer, each transaction may run on another connection, which other clients use
   * too: no statement is prepared, and the settings are those of the server.
   */
  readonly isPooled: boolean;
  readonly translate: (statement: Statement) => Query;
}

function openPool(PoolClass: typeof Pool, { config, settings, displayUrl, isPooled, translate }: PoolOptions) {
  const create = () => {
    const onConnect = async (client: { query(text: string): Promise<unknown> }) => {
      if (!isPooled) await client.query(settings.join('; '));
    };
    const created = new PoolClass({ ...config, onConnect } as PoolConfig);
    // The pool replaces idle connections that break.
    created.on('error', () => {});
    return created;
  };
  let pool = create();
  const toQuery = (statement: Statement) => {
    const { text, name, values } = translate(statement);
    return { text, values: [...values], ...(!isPooled && { name }) };
  };
  /** Runs the work, once more on new connections if the first one broke and nothing was written. */
  const attempt = async <Result>(work: () => Promise<Result>, isRead: boolean): Promise<Result> => {
    const used = pool;
    try {
      return await work();
    } catch (error) {
      if (!canRetry(error, { isRead, isPooled })) throw mapPostgresError(error, displayUrl);
      if (pool === used) {
        pool = create();
        used.end().catch(() => {});
      }
    }
    return work().catch((error: unknown) => {
      throw mapPostgresError(error, displayUrl);
    });
  };
  const transact = async (statements: readonly Statement[]): Promise<readonly SqlRow[]> => {
    const [statement, ...others] = statements;
    if (statement && others.length === 0 && !isPooled) return (await pool.query(toQuery(statement))).rows;
    const client = await pool.connect();
    let isDone = false;
    try {
      // Another client of the pooler may have changed this setting.
      await client.query('BEGIN; SET LOCAL synchronous_commit TO DEFAULT');
      if (others.length > 0) await client.query('SELECT pg_advisory_xact_lock($1)', [writeLock]);
      let rows: readonly SqlRow[] = [];
      for (const each of statements) ({ rows } = await client.query(toQuery(each)));
      await client.query('COMMIT');
      isDone = true;
      return rows;
    } finally {
      // Closing a connection rolls back its transaction.
      client.release(!isDone);
    }
  };
  return {
    run: async (statement: Statement, { isRead = false } = {}): Promise<readonly SqlRow[]> =>
      attempt(async () => (await pool.query(toQuery(statement))).rows, isRead),
    transact: (statements: readonly Statement[]) => attempt(() => transact(statements), false),
    stats: () => ({ size: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

/** Id of an advisory lock; random, so that no other program uses it. */
const writeLock = 5_728_411_094n;

interface Preparation {
  readonly displayUrl: string;
  readonly seed: () => readonly Statement[];
}

/** Connects, and migrates the schema. */
async function prepareDatabase(ClientClass: typeof Client, config: PoolConfig, preparation: Preparation) {
  // Reads the files of certificates.
  const client = new ClientClass({ ...config, query_timeout: migrationTimeoutMs });
  // An error rejects the statement that runs.
  client.on('error', () => {});
  try {
    await client.connect();
    const isPooled = await checkConnection(client, preparation);
    return { isPooled, isNew: await migrateSchema(client, preparation) };
  } finally {
    await client.end().catch(() => {});
  }
}

/** Throws if the database cannot be used. Returns whether a pooler is in between. */
async function checkConnection(client: Client, { displayUrl }: Preparation): Promise<boolean> {
  // A pooler replaces the id of the backend.
  const { processID = null } = client as Client & { readonly processID?: number | null };
  const { rows } = await client.query(
    `SELECT pg_backend_pid() = $1 AS is_direct, current_setting('server_encoding') AS encoding`,
    [processID],
  );
  const { is_direct, encoding } = rows[0];
  if (encoding !== 'UTF8') {
    const message = `the database ${displayUrl} cannot be used: its encoding is ${encoding}, not UTF8`;
    throw new DatabaseError('unusable', message);
  }
  return is_direct !== 't';
}

/** Migrates the schema in one transaction. Returns whether the database is new. */
async function migrateSchema(client: Client, { displayUrl, seed }: Preparation): Promise<boolean> {
  if ((await readSchemaVersion(client)) === migrations.length) return false;
  await client.query('BEGIN');
  await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  const from = await readSchemaVersion(client);
  const translate = createTranslator({ now: () => 0, sleep: async () => {} });
  for (const statement of migrationStatements(from, displayUrl, seed)) {
    const { text, values } = translate(statement);
    await client.query(toPostgresDialect(text), [...values]);
  }
  if (from === 0) for (const text of postgresOnlyTexts) await client.query(text);
  await client.query(`UPDATE petstore_version SET version = ${migrations.length}`);
  await client.query('COMMIT');
  return from === 0;
}

/** Id of an advisory lock; random, so that no other program uses it. */
const migrationLock = 5_728_411_093n;

async function readSchemaVersion(client: Client): Promise<number> {
  // Queried as a table: a lookup by name may be cached from before the lock was acquired.
  const tables = await client.query(
    "SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'petstore_version'",
  );
  if (tables.rows.length === 0) return 0;
  const { rows } = await client.query('SELECT version FROM petstore_version');
  return Number(rows[0].version);
}

/** SQLite stores the version in `user_version`, and its `meters` are small enough to scan. */
const postgresOnlyTexts = [
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
