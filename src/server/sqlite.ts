import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import type { Clock } from '../clock.js';
import { migrationStatements, migrations } from './migrations.js';
import { type Database, DatabaseError, numberParameters, type SqlRow, type SqlValue, type Statement } from './sql.js';
import { mapSqliteError } from './sqlite-errors.js';

export interface SqliteOptions {
  /** Path of a file in an existing directory, or `:memory:`. */
  readonly path: string;
  readonly clock: Clock;
  /** `process.versions.node`; decides which driver is used. */
  readonly nodeVersion: string;
  /** Statements to run in the transaction that creates a new database. */
  readonly seed?: () => readonly Statement[];
}

/** Opens a database, and creates or migrates it; several processes may do so at the same time. */
export async function openSqlite({
  path,
  clock,
  nodeVersion,
  seed = () => [],
}: SqliteOptions): Promise<{ database: Database; isNew: boolean }> {
  const Driver = await loadDriver(nodeVersion);
  return retryWhileBusy(path, clock, () => {
    const inode = path === ':memory:' ? undefined : ensureFile(path);
    // SQLite would parse some relative names as URIs.
    const connection = new Driver(inode === undefined ? path : resolve(path));
    try {
      const isNew = migrate(connection, path, seed);
      if (inode !== undefined) chmodSync(path, 0o600);
      return { database: wrapConnection(connection, { path, clock, inode }), isNew };
    } catch (error) {
      // Closing alone can leave a transaction open: the driver keeps its statements (observed on Node 20).
      rollBack(connection);
      connection.close();
      throw error;
    }
  });
}

const busyTimeoutMs = 5_000;

async function retryWhileBusy<Result>(path: string, clock: Clock, work: () => Result): Promise<Result> {
  const deadline = clock.now() + busyTimeoutMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      const mapped = mapSqliteError(error, path);
      if (mapped.reason !== 'busy' || clock.now() >= deadline) throw mapped;
      await clock.sleep(10);
    }
  }
}

/** The package implements the API of `node:sqlite`. */
type Driver = typeof import('@photostructure/sqlite');

/** Loads `node:sqlite` if it is stable (Node 24), else the optional package, else `node:sqlite` as experimental. */
async function loadDriver(nodeVersion: string): Promise<Driver['DatabaseSync']> {
  const builtIn = () => import('node:sqlite' as string) as Promise<Driver>;
  const optional = () => import('@photostructure/sqlite');
  const isStable = Number.parseInt(nodeVersion, 10) >= 24;
  for (const load of isStable ? [builtIn, optional] : [optional, builtIn]) {
    try {
      return (await load()).DatabaseSync;
    } catch {
      // Try the next one.
    }
  }
  throw new DatabaseError(
    'no_sqlite',
    'this Node.js has no SQLite, and the package @photostructure/sqlite is not installed or does not support this machine',
  );
}

/**
 * Creates the file if it does not exist, and returns its inode. The file is private from the start, and SQLite gives
 * its journal files the same mode. Throws if the path is not a regular file.
 */
function ensureFile(path: string): number {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const stats = statSync(path);
  if (!stats.isFile()) throw new Error('not a regular file');
  return stats.ino;
}

/** Migrates the schema in one transaction. Returns whether the database is new. */
function migrate(connection: DatabaseSyncInstance, path: string, seed: () => readonly Statement[]): boolean {
  connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  if (readPragma(connection, 'journal_mode') !== 'wal') connection.exec('PRAGMA journal_mode = WAL');
  connection.exec('PRAGMA synchronous = FULL');
  // Only macOS needs and knows it: a plain sync leaves data in the cache of the disk.
  connection.exec('PRAGMA fullfsync = ON');
  if (readSchemaVersion(connection) === migrations.length) return false;
  connection.exec('BEGIN IMMEDIATE');
  const from = readSchemaVersion(connection);
  const run = createStatementRunner(connection);
  for (const statement of migrationStatements(from, path, seed)) run(statement);
  connection.exec(`PRAGMA user_version = ${migrations.length}`);
  connection.exec('COMMIT');
  return from === 0;
}

function readSchemaVersion(connection: DatabaseSyncInstance): number {
  return Number(readPragma(connection, 'user_version'));
}

function readPragma(connection: DatabaseSyncInstance, name: string): SqlValue | undefined {
  return connection.prepare(`PRAGMA ${name}`).get()?.[name];
}

interface ConnectionOptions extends Pick<SqliteOptions, 'path' | 'clock'> {
  readonly inode: number | undefined;
}

/** Statements that take effect together. */
interface Transaction {
  readonly statements: readonly Statement[];
  /** Whether it must survive a power cut. */
  readonly isSynced: boolean;
  readonly resolve: (rows: readonly SqlRow[]) => void;
  readonly reject: (error: unknown) => void;
}

function wrapConnection(connection: DatabaseSyncInstance, { path, clock, inode }: ConnectionOptions): Database {
  const run = createStatementRunner(connection);
  // SQLite would block the event loop while it waits.
  connection.exec('PRAGMA busy_timeout = 0');
  // Halves the time of a count: `RETURNING` stores its rows in a temporary table.
  connection.exec('PRAGMA temp_store = MEMORY');
  const begin = connection.prepare('BEGIN IMMEDIATE');
  const commit = connection.prepare('COMMIT');
  let synchronous = 'FULL';
  const transact = (batch: readonly Transaction[]) => {
    checkNotReplaced(path, inode);
    // In WAL mode, NORMAL commits without a sync (sqlite.org/pragma.html#pragma_synchronous).
    const level = batch.some(({ isSynced }) => isSynced) ? 'FULL' : 'NORMAL';
    if (synchronous !== level) connection.exec(`PRAGMA synchronous = ${level}`);
    synchronous = level;
    // Explicit even for one statement: SQLite was observed to ignore a full disk in its implicit commit.
    begin.run();
    try {
      const results = batch.map(({ statements }) => statements.map(run).at(-1) ?? []);
      commit.run();
      return results;
    } catch (error) {
      rollBack(connection);
      throw error;
    }
  };
  const enqueue = batchByTurn((batch) => retryWhileBusy(path, clock, () => transact(batch)));
  const { version, increment } = createVersion(connection);
  return {
    read: (statement) => retryWhileBusy(path, clock, () => run(statement)),
    write: (...statements) => enqueue(statements, true).finally(increment),
    writeUnsynced: (statement) => enqueue([statement], false),
    version,
    dialect: 'sqlite',
    close: async () => {
      checkpoint(connection);
      connection.close();
    },
  };
}

/** Returns a function that runs statements and prepares each text only once. */
function createStatementRunner(connection: DatabaseSyncInstance): (statement: Statement) => readonly SqlRow[] {
  const prepared = new Map<string, { readonly handle: StatementSyncInstance; readonly names: readonly string[] }>();
  const prepare = (given: string) => {
    const { text, names } = numberParameters(given, '?');
    const handle = connection.prepare(text);
    handle.setReadBigInts(true);
    prepared.set(given, { handle, names });
    return { handle, names };
  };
  return ({ text, values = {} }) => {
    const { handle, names } = prepared.get(text) ?? prepare(text);
    return handle.all(...names.map((name) => values[name] as SqlValue));
  };
}

/**
 * Returns a function that runs a transaction together with all others of one turn of the event loop, in the order of the
 * calls, and resolves to the rows of its last statement. If they fail together, nothing was written. Then each one runs
 * alone, so that one failure affects no other.
 */
function batchByTurn(commit: (batch: readonly Transaction[]) => Promise<readonly (readonly SqlRow[])[]>) {
  let pending: Transaction[] = [];
  const runAll = async (batch: readonly Transaction[]) => {
    try {
      const results = await commit(batch);
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] ?? []);
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else for (const transaction of batch) await runAll([transaction]);
    }
  };
  const flush = () => {
    const batch = pending;
    pending = [];
    void runAll(batch);
  };
  return (statements: readonly Statement[], isSynced: boolean): Promise<readonly SqlRow[]> =>
    new Promise((resolve, reject) => {
      pending.push({ statements, isSynced, resolve, reject });
      if (pending.length === 1) setImmediate(flush);
    });
}

/** Counts changes of the data: the own ones by `increment`, those of other processes by SQLite's `data_version`. */
function createVersion(connection: DatabaseSyncInstance) {
  const dataVersion = connection.prepare('PRAGMA data_version');
  let ownVersion = 0;
  let current: number | undefined;
  return {
    increment: () => {
      ownVersion += 1;
      current = undefined;
    },
    version: () => {
      if (current === undefined) {
        // Both numbers only grow. Once per turn of the event loop is enough, and saves 10 % of a list.
        current = ownVersion + Number(dataVersion.get()?.data_version);
        setImmediate(() => {
          current = undefined;
        });
      }
      return current;
    },
  };
}

/** Returns the labels of the keys in an SQLite database; creates and changes no file. */
export async function readKeyLabels(path: string, nodeVersion: string): Promise<readonly string[]> {
  // Opening a pipe would wait for a writer.
  if (!statSync(path).isFile()) return [];
  const Driver = await loadDriver(nodeVersion);
  const url = pathToFileURL(resolve(path));
  // Without a journal no process has the database open, and SQLite would leave an empty journal behind.
  url.search = existsSync(`${path}-wal`) ? 'mode=ro' : 'immutable=1';
  const connection = new Driver(url.href, { readOnly: true });
  try {
    const text = 'SELECT DISTINCT label FROM keys WHERE label IS NOT NULL ORDER BY label LIMIT 1000';
    return createStatementRunner(connection)({ text }).map(({ label }) => String(label));
  } finally {
    connection.close();
  }
}

/** Throws if the path names another file now: writes to a deleted file are lost when this process exits. */
function checkNotReplaced(path: string, inode: number | undefined): void {
  if (inode === undefined || statSync(path, { throwIfNoEntry: false })?.ino === inode) return;
  throw new Error('the file was moved or replaced');
}

/** Empties the write-ahead log. Closing would do so, but the driver keeps its statements (observed on Node 20). */
function checkpoint(connection: DatabaseSyncInstance): void {
  try {
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The next process that opens the database reads the log.
  }
}

function rollBack(connection: DatabaseSyncInstance): void {
  try {
    connection.exec('ROLLBACK');
  } catch {
    // SQLite rolls back by itself after some errors.
  }
}
