import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Clock } from '../clock.js';
import { batchTransactions, type Transaction } from './batch-transactions.js';
import { migrationStatements, migrations } from './migrations.js';
import { type Database, DatabaseError, type SqlValue, type Statement } from './sql.js';
import { mapSqliteError } from './sqlite-errors.js';
import { createStatementRunner } from './sqlite-statements.js';

export interface SqliteOptions {
  /** Path of a file in an existing directory, or `:memory:`. */
  readonly path: string;
  readonly clock: Clock;
  /** `process.versions.node`; decides which driver is used. */
  readonly nodeVersion: string;
  /** Commits the transactions of one turn of the event loop together. */
  readonly isBatched?: boolean;
  /** Statements to run in the transaction that creates a new database. */
  readonly seed?: () => readonly Statement[];
}

/** Opens a database, and creates or migrates it; several processes may do so at the same time. */
export async function openSqlite({
  path,
  clock,
  nodeVersion,
  isBatched = false,
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
      return { database: wrapConnection(connection, { path, clock, inode, isBatched }), isNew };
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
export async function loadDriver(nodeVersion: string): Promise<Driver['DatabaseSync']> {
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
  for (const { pieces, values } of migrationStatements(from, path, seed)) {
    connection.prepare(pieces.join('?')).all(...values);
  }
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

interface ConnectionOptions extends Required<Pick<SqliteOptions, 'path' | 'clock' | 'isBatched'>> {
  readonly inode: number | undefined;
}

function wrapConnection(
  connection: DatabaseSyncInstance,
  { path, clock, inode, isBatched }: ConnectionOptions,
): Database {
  const run = createStatementRunner(connection);
  // SQLite would block the event loop while it waits.
  connection.exec('PRAGMA busy_timeout = 0');
  const beginStatement = connection.prepare('BEGIN IMMEDIATE');
  const commitStatement = connection.prepare('COMMIT');
  let synchronous = 'FULL';
  let ownVersion = 0;
  let version: number | undefined;
  const transact = (batch: readonly Transaction[]) => {
    checkNotReplaced(path, inode);
    // In WAL mode, NORMAL commits without a sync (sqlite.org/pragma.html#pragma_synchronous).
    const level = batch.some(({ isSynced }) => isSynced) ? 'FULL' : 'NORMAL';
    if (synchronous !== level) connection.exec(`PRAGMA synchronous = ${level}`);
    synchronous = level;
    // Explicit even for one statement: SQLite was observed to ignore a full disk in its implicit commit.
    beginStatement.run();
    try {
      const results = batch.map(({ statements }) => statements.map(run).at(-1) ?? []);
      commitStatement.run();
      return results;
    } catch (error) {
      rollBack(connection);
      throw error;
    } finally {
      if (level === 'FULL') {
        ownVersion += 1;
        version = undefined;
      }
    }
  };
  const commitBatch = (batch: readonly Transaction[]) => retryWhileBusy(path, clock, () => transact(batch));
  const commit = batchTransactions(commitBatch, isBatched ? setImmediate : (flush) => flush());
  const dataVersion = connection.prepare('PRAGMA data_version');
  return {
    read: (statement) => retryWhileBusy(path, clock, () => run(statement)),
    write: (...statements) => commit({ statements, isSynced: true }),
    writeUnsynced: (statement) => commit({ statements: [statement], isSynced: false }),
    version: () => {
      if (version === undefined) {
        // Both numbers only grow. Once per turn of the event loop is enough, and saves 10 % of a list.
        version = ownVersion + Number(dataVersion.get()?.data_version);
        setImmediate(() => {
          version = undefined;
        });
      }
      return version;
    },
    dialect: 'sqlite',
    close: async () => {
      checkpoint(connection);
      connection.close();
    },
  };
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
