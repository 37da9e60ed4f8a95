import type { Client, ClientConfig, QueryConfig } from 'pg';
import type { Clock } from '../clock.js';
import { migrationStatements, migrations } from './migrations.js';
import { openConnections } from './postgres-connections.js';
import { mapPostgresError } from './postgres-errors.js';
import { parsePostgresUrl } from './postgres-url.js';
import { type Database, DatabaseError, numberParameters, type Statement } from './sql.js';

/** Opens a database, and creates or migrates it; several processes may do so at the same time. */
export async function openPostgres(
  url: string,
  { seed = () => [], clock }: { readonly seed?: () => readonly Statement[]; readonly clock: Clock },
): Promise<{ database: Database; isNew: boolean }> {
  const displayUrl = parsePostgresUrl(url)?.displayUrl;
  if (displayUrl === undefined) throw new DatabaseError('unusable', 'the database URL is invalid');
  const { Client } = await loadDriver();
  const config = { ...connectionConfig, connectionString: normalizeSslMode(url) };
  const { isNew, isPooled } = await prepareDatabase(Client, config, { displayUrl, seed }).catch((error: unknown) => {
    throw mapPostgresError(error, displayUrl);
  });
  const translate = createTranslator(clock, { isPrepared: !isPooled });
  const open = (max: number, settings: readonly string[]) =>
    openConnections(Client, { config, max, settings, displayUrl, isPooled });
  const synced = open(8, sessionSettings);
  // Commits do not wait for the disk (postgresql.org/docs/current/wal-async-commit.html).
  const unsynced = open(4, [...sessionSettings, 'SET synchronous_commit = off']);
  return {
    isNew,
    database: {
      read: (statement) => unsynced.query(translate(statement), { isRead: true }),
      write: (...statements) => {
        const queries = statements.map(translate);
        const [query] = queries;
        if (query && queries.length === 1 && !isPooled) return synced.query(query);
        return synced.transact(queries.length > 1 ? [lockQuery, ...queries] : queries);
      },
      writeUnsynced: (statement) => unsynced.query(translate(statement)),
      dialect: 'postgres',
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
const connectionConfig: ClientConfig = {
  connectionTimeoutMillis: 2_000,
  // For a server that does not report the timeout of a statement.
  query_timeout: 4_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
  application_name: 'petstore',
  types: {
    getTypeParser: (typeId: number) => (integerTypeIds.includes(typeId) ? BigInt : String),
  } as NonNullable<ClientConfig['types']>,
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

/** The time of the database in milliseconds, which servers whose clocks differ share. */
const databaseTime = "CAST(date_part('epoch', statement_timestamp()) * 1000 AS BIGINT)";

/** Returns a function that numbers the parameters of statements. */
function createTranslator(
  { isSimulated = false }: Pick<Clock, 'isSimulated'>,
  { isPrepared }: { readonly isPrepared: boolean },
): (statement: Statement) => QueryConfig {
  const translated = new Map<string, { readonly query: QueryConfig; readonly names: readonly string[] }>();
  const translate = (given: string) => {
    const { text, names } = numberParameters(isSimulated ? given : given.replace(/:now\b/g, databaseTime), '$');
    const query = { text, ...(isPrepared && { name: `petstore_${translated.size}` }) };
    translated.set(given, { query, names });
    return { query, names };
  };
  return ({ text, values = {} }) => {
    const { query, names } = translated.get(text) ?? translate(text);
    return { ...query, values: names.map((name) => values[name]) };
  };
}

/** Waits for an advisory lock, whose id is random, so that no other program uses it. */
const lockQuery = { text: 'SELECT pg_advisory_xact_lock(5728411094)' };

interface Preparation {
  readonly displayUrl: string;
  readonly seed: () => readonly Statement[];
}

/** Connects, and migrates the schema. */
async function prepareDatabase(ClientClass: typeof Client, config: ClientConfig, preparation: Preparation) {
  // Reads the files of certificates.
  const client = new ClientClass({ ...config, query_timeout: migrationTimeoutMs });
  // An error rejects the statement that runs.
  client.on('error', () => {});
  try {
    await client.connect();
    return { isPooled: await hasPooler(client), isNew: await migrateSchema(client, preparation) };
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns whether a pooler is in between: it replaces the id of the backend. */
async function hasPooler(client: Client): Promise<boolean> {
  const { processID = null } = client as Client & { readonly processID?: number | null };
  const { rows } = await client.query('SELECT pg_backend_pid() = $1 AS is_direct', [processID]);
  return rows[0].is_direct !== 't';
}

/** Migrates the schema in one transaction. Returns whether the database is new. */
async function migrateSchema(client: Client, { displayUrl, seed }: Preparation): Promise<boolean> {
  if ((await readSchemaVersion(client)) === migrations.length) return false;
  await client.query('BEGIN');
  await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
  const from = await readSchemaVersion(client);
  const translate = createTranslator({}, { isPrepared: false });
  for (const statement of migrationStatements(from, displayUrl, seed)) {
    const { text, values = [] } = translate(statement);
    await client.query(toPostgresDialect(text), values);
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
