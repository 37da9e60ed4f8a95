/** A parameter or a column. Integers in rows are always `bigint`. */
export type SqlValue = string | number | bigint | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** A statement with named parameters, such as `:limit`. */
export interface Statement {
  /** A constant: each database prepares a text once, and keeps it. */
  readonly text: string;
  /** Values of the parameters; further ones are ignored. PostgreSQL replaces `:now`, unless the clock is simulated. */
  readonly values?: Readonly<Record<string, SqlValue>>;
}

/** Matches a parameter. */
export const parameterPattern = /(?<!:):([a-z]\w*)/gi;

/** `away` and `busy` are transient; `refused` means that the user lacks access; `unusable` needs a repair. */
export type DatabaseErrorReason =
  | 'no_sqlite'
  | 'no_postgres'
  | 'away'
  | 'busy'
  | 'full'
  | 'newer'
  | 'refused'
  | 'unusable';

/** Any failure of a database. The message names the database. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly reason: DatabaseErrorReason;

  constructor(reason: DatabaseErrorReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Storage of the server: SQLite or PostgreSQL. All methods reject with `DatabaseError` only. */
export interface Database {
  read(statement: Statement): Promise<readonly SqlRow[]>;
  /**
   * Runs the statements in one transaction and returns the rows of the last. Once it resolves, they survive a crash. If
   * it rejects, nothing was written, unless the connection broke during the commit. Transactions of several statements
   * are serialized across processes.
   */
  write(...statements: readonly Statement[]): Promise<readonly SqlRow[]>;
  /** Like `write` with one statement that changes only counters: a power cut may undo it. */
  writeUnsynced(statement: Statement): Promise<readonly SqlRow[]>;
  /** Returns a number that changes whenever pets or keys may have changed. A database without it cannot be cached. */
  version?(): number;
  /** The dialect of SQL that it understands. */
  readonly dialect: 'sqlite' | 'postgres';
  close(): Promise<void>;
}
