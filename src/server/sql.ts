import type { ErrorCode } from '../error-codes.js';
import { Failure, installOptionalHint } from '../failure.js';

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

/** Replaces the parameters of a text by a mark and their number, such as `?1`, and returns their names in that order. */
export function numberParameters(text: string, mark: '?' | '$'): { text: string; names: readonly string[] } {
  const names: string[] = [];
  const numbered = text.replace(/:([a-z]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `${mark}${names.indexOf(name) + 1}`;
  });
  return { text: numbered, names };
}

/** What a failure of a database is about, its error code, and what to do. `away` and `busy` are transient. */
const reasons = {
  no_sqlite: { code: 'missing_package', hint: `use Node.js 24 or later, or ${installOptionalHint}` },
  no_postgres: { code: 'missing_package', hint: installOptionalHint },
  away: {
    code: 'database_unavailable',
    hint: 'check that the database server is running and accepts writes, and check host, port, sslmode and sslrootcert in its URL',
  },
  busy: { code: 'database_unavailable', hint: 'close other programs that use the database, then retry' },
  full: { code: 'database_full', hint: 'free some disk space, then retry' },
  newer: { code: 'database_unusable', hint: 'upgrade petstore' },
  /** The user lacks access. */
  refused: {
    code: 'database_refused',
    hint: 'check the user and the database name in the URL, the password in PGPASSWORD or in the URL, and the permissions of the user; if the server requires TLS, set sslmode=verify-full',
  },
  /** Needs a repair. */
  unusable: {
    code: 'database_unusable',
    hint: 'check that the directory exists, check the file permissions and the free disk space, or move a damaged file away',
  },
} as const satisfies Readonly<Record<string, { readonly code: ErrorCode; readonly hint: string }>>;

export type DatabaseErrorReason = keyof typeof reasons;

/** Any failure of a database. The message names the database. */
export class DatabaseError extends Failure {
  override readonly name = 'DatabaseError';
  readonly reason: DatabaseErrorReason;

  constructor(reason: DatabaseErrorReason, message: string, cause?: unknown) {
    super('system', { ...reasons[reason], message, cause });
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
