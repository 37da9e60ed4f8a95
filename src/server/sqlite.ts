import { chmodSync, closeSync, openSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Clock } from '../clock.js';
import { migrations } from './migrations.js';
import { type Database, DatabaseError, type Row, type SqlValue, type Statement } from './sql.js';

export interface SqliteOptions {
  /** A file's path in a directory that exists, or `:memory:`. */
  readonly path: string;
  readonly clock: Clock;
  /** `process.versions.node`, which decides which SQLite is used. */
  readonly nodeVersion: string;
  /** Put in when the database is new, in the transaction that makes it. */
  readonly seed?: () => readonly Statement[];
}

/** Opens the database, made and brought up to date where needed; safe while other processes do the same. */
export async function openSqlite({
  path,
  clock,
  nodeVersion,
  seed = () => [],
}: SqliteOptions): Promise<{ database: Database; isNew: boolean }> {
  const Driver = await loadDriver(nodeVersion);
  const deadline = clock.now() + busyTimeoutMs;
  for (;;) {
    let connection: SqliteConnection | undefined;
    try {
      const file = path === ':memory:' ? undefined : ensureFile(path);
      // SQLite takes some names for addresses; a path from the root is none.
      connection = new Driver(file === undefined ? path : resolve(path));
      const isNew = migrate(connection, path, seed);
      if (file !== undefined) chmodSync(path, 0o600);
      return { database: databaseOver(connection, path, clock, file), isNew };
    } catch (error) {
      if (connection) rollBackAndClose(connection);
      if (error instanceof DatabaseError) throw error;
      const known = mapSqliteError(error, path);
      if (known.reason !== 'busy' || clock.now() >= deadline) throw known;
      await clock.sleep(20);
    }
  }
}

const busyTimeoutMs = 5_000;

/** The part of `DatabaseSync` that is used; `node:sqlite` and `@photostructure/sqlite` both have it. */
interface SqliteConnection {
  exec(sql: string): void;
  prepare(sql: string): PreparedStatement;
  close(): void;
}

interface PreparedStatement {
  setReadBigInts(enabled: boolean): void;
  all(...values: readonly SqlValue[]): readonly Row[];
}

type Driver = new (path: string, options?: { readonly readOnly: boolean }) => SqliteConnection;

/** A stable `node:sqlite` (Node 24 and later), else the optional package, else an experimental one. */
export async function loadDriver(nodeVersion: string): Promise<Driver> {
  const builtIn = () => import('node:sqlite' as string) as Promise<{ DatabaseSync: Driver }>;
  const optional = () =>
    import('@photostructure/sqlite') as unknown as Promise<{ DatabaseSync: Driver }>;
  const inOrder =
    Number.parseInt(nodeVersion, 10) >= 24 ? [builtIn, optional] : [optional, builtIn];
  for (const load of inOrder) {
    try {
      return (await load()).DatabaseSync;
    } catch {
      // The next one may be there.
    }
  }
  throw new DatabaseError(
    'no-sqlite',
    'this Node.js has no SQLite, and the package @photostructure/sqlite is missing or not made for this machine',
  );
}

/**
 * Makes the file where there is none; SQLite gives its journal files the mode of the database, so it is private
 * from the start. Tells which file it is. What is there already, and is no file, is left as it is.
 */
function ensureFile(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false }) ?? createEmptyFile(path);
  if (!stats.isFile()) throw new Error('it is no file');
  return stats.ino;
}

function createEmptyFile(path: string): Stats {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return statSync(path);
}

/** Brings the schema up to date, in one transaction; tells whether the database is new. */
function migrate(
  connection: SqliteConnection,
  path: string,
  seed: () => readonly Statement[],
): boolean {
  connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
  if (readPragma(connection, 'journal_mode') !== 'wal')
    connection.exec('PRAGMA journal_mode = WAL');
  connection.exec('PRAGMA synchronous = FULL');
  if (schemaVersion(connection) === migrations.length) return false;
  connection.exec('BEGIN IMMEDIATE');
  const from = schemaVersion(connection);
  if (from > migrations.length) {
    throw new DatabaseError('newer', `the database ${path} was made by a newer petstore`);
  }
  for (const step of migrations.slice(from))
    for (const statement of step) connection.exec(statement);
  if (from === 0)
    for (const { pieces, values } of seed()) connection.prepare(pieces.join('?')).all(...values);
  connection.exec(`PRAGMA user_version = ${migrations.length}`);
  connection.exec('COMMIT');
  return from === 0;
}

function schemaVersion(connection: SqliteConnection): number {
  return Number(readPragma(connection, 'user_version'));
}

function readPragma(connection: SqliteConnection, name: string): SqlValue | undefined {
  return connection.prepare(`PRAGMA ${name}`).all()[0]?.[name];
}

function databaseOver(
  connection: SqliteConnection,
  path: string,
  clock: Clock,
  file: number | undefined,
): Database {
  const prepared = new Map<string, PreparedStatement>();
  const run = ({ pieces, values }: Statement) => {
    const text = pieces.join('?');
    let statement = prepared.get(text);
    if (!statement) {
      statement = connection.prepare(text);
      statement.setReadBigInts(true);
      prepared.set(text, statement);
    }
    return statement.all(...values);
  };
  // SQLite's own waiting would stop this whole process, a server's other requests included.
  connection.exec('PRAGMA busy_timeout = 0');
  const guarded = async <Result>(work: () => Result): Promise<Result> => {
    const deadline = clock.now() + busyTimeoutMs;
    for (;;) {
      try {
        return work();
      } catch (error) {
        const known = mapSqliteError(error, path);
        if (known.reason !== 'busy' || clock.now() >= deadline) throw known;
        await clock.sleep(10);
      }
    }
  };
  let synchronous = 'FULL';
  const transact = (level: 'FULL' | 'NORMAL', statements: readonly Statement[]) => {
    if (synchronous !== level) connection.exec(`PRAGMA synchronous = ${level}`);
    synchronous = level;
    // A full disk shows at the commit, which a statement on its own was seen to swallow.
    connection.exec('BEGIN IMMEDIATE');
    try {
      const rows = statements.map(run);
      connection.exec('COMMIT');
      return rows.at(-1) ?? [];
    } catch (error) {
      rollBack(connection);
      throw error;
    }
  };
  return {
    read: (statement) => guarded(() => run(statement)),
    write: (...statements) =>
      guarded(() => {
        checkNotReplaced(path, file);
        return transact('FULL', statements);
      }),
    // In WAL mode a commit is in the file, though not synced (sqlite.org/pragma.html#pragma_synchronous).
    writeUnsynced: (statement) => guarded(() => transact('NORMAL', [statement])),
    close: async () => {
      checkpoint(connection);
      connection.close();
    },
  };
}

/** A file that was moved away is still written to, by us alone, and gone when we are. */
function checkNotReplaced(path: string, file: number | undefined): void {
  if (file === undefined || statSync(path, { throwIfNoEntry: false })?.ino === file) return;
  throw new Error('the file was moved or replaced');
}

/** Closing alone leaves a transaction open where the driver keeps its statements (seen on Node 20). */
function rollBackAndClose(connection: SqliteConnection): void {
  rollBack(connection);
  connection.close();
}

/** What closing would do, where the driver did not keep its statements until the process ends (seen on Node 20). */
function checkpoint(connection: SqliteConnection): void {
  try {
    connection.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // It stays in the journal, from where whoever opens the database next takes it.
  }
}

function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec('ROLLBACK');
  } catch {
    // SQLite rolls some failures back itself, and then has nothing left to roll back.
  }
}

/** SQLite's primary result codes (sqlite.org/rescode.html), of which an extended one has the low byte. */
const busyCodes = [5, 6];

function mapSqliteError(error: unknown, path: string): DatabaseError {
  const { errcode = 0, message } = error as Error & { readonly errcode?: number };
  if (busyCodes.includes(errcode & 0xff)) {
    return new DatabaseError('busy', `the database ${path} is busy`, error);
  }
  return new DatabaseError('unusable', `the database ${path} cannot be used: ${message}`, error);
}
