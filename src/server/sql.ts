/** A parameter or a column. Integers in rows are always `bigint`. */
export type SqlValue = string | number | bigint | null;
export type SqlRow = Readonly<Record<string, SqlValue>>;

/** SQL text split at its parameters, which stay separate from it. */
export interface Statement {
  readonly pieces: readonly string[];
  readonly values: readonly SqlValue[];
  /** The number of the parameter after each piece but the last (default: 1, 2, 3, …). */
  readonly numbers?: readonly number[];
}

/** Returns the text of a statement with numbered parameters. SQLite marks them with `?`, PostgreSQL with `$`. */
export function formatSql({ pieces, numbers }: Statement, marker: '?' | '$'): string {
  return pieces.reduce((before, piece, index) => `${before}${marker}${numbers?.[index - 1] ?? index}${piece}`);
}

/**
 * `away` and `busy` are transient; `full` is about the disk; `refused` means that the user lacks access; `untrusted` is
 * about certificates, `no_tls` about a server without TLS; `unusable` needs a repair.
 */
export type DatabaseErrorReason =
  | 'no_sqlite'
  | 'no_postgres'
  | 'no_tls'
  | 'away'
  | 'busy'
  | 'full'
  | 'newer'
  | 'refused'
  | 'untrusted'
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

/** The clock of a database, so that servers whose clocks differ count requests alike. */
export interface DatabaseClock {
  /** Returns milliseconds since the Unix epoch, estimated by this process. */
  now(): number;
  /** Expression of the exact time, which is constant within a statement. */
  readonly expression: Statement;
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
  /**
   * Like `write`, but survives only a crash of the process, not a power cut. `subject` is given if the statement counts a
   * request of that subject, and so locks only its row.
   */
  writeUnsynced(statement: Statement, subject?: string): Promise<readonly SqlRow[]>;
  /** Returns a number that changes when another process or `write` may have changed the data. */
  version?(): number;
  /** Counts connections, and statements that wait for one. Only with a connection pool. */
  poolStats?(): { readonly size: number; readonly idle: number; readonly waiting: number };
  /** The dialect of SQL that it understands. */
  readonly dialect: 'sqlite' | 'postgres';
  /** Decides windows and bans; `undefined` if the clock of this process does. */
  readonly clock?: DatabaseClock;
  close(): Promise<void>;
}

/** A parameter whose value is given later. */
export interface SqlParameter<Name extends string> {
  readonly parameter: Name;
}

/** A statement that lacks values. */
export interface StatementTemplate<Name extends string> {
  readonly pieces: readonly string[];
  readonly values: readonly (SqlValue | SqlParameter<Name>)[];
}

/**
 * Returns a function that gives the parameters of a statement their values, so that its text is built only once. A
 * parameter that appears several times is sent once.
 */
export function prepareSql<Name extends string>({
  pieces,
  values,
}: StatementTemplate<Name>): (given: Readonly<Record<Name, SqlValue>>) => Statement {
  const isParameter = (value: SqlValue | SqlParameter<Name>): value is SqlParameter<Name> =>
    typeof value === 'object' && value !== null;
  const keys = values.map((value, index) => (isParameter(value) ? value.parameter : index));
  const uniqueKeys = [...new Set(keys)];
  const numbers = keys.map((key) => uniqueKeys.indexOf(key) + 1);
  const uniqueValues = uniqueKeys.map((key) => values[keys.indexOf(key)] as SqlValue | SqlParameter<Name>);
  return (given) => ({
    pieces,
    numbers,
    values: uniqueValues.map((value) => (isParameter(value) ? given[value.parameter] : value)),
  });
}

/** Builds a statement from a template: values become parameters, nested statements are inlined. */
export function sql(text: readonly string[], ...inserts: readonly (SqlValue | Statement)[]): Statement;
export function sql<Name extends string>(
  text: readonly string[],
  ...inserts: readonly (SqlValue | SqlParameter<Name> | StatementTemplate<Name>)[]
): StatementTemplate<Name>;
export function sql(
  text: readonly string[],
  ...inserts: readonly (SqlValue | SqlParameter<string> | StatementTemplate<string>)[]
): StatementTemplate<string> {
  const pieces = [text[0] ?? ''];
  const values: (SqlValue | SqlParameter<string>)[] = [];
  inserts.forEach((insert, index) => {
    const after = text[index + 1] ?? '';
    if (typeof insert === 'object' && insert !== null && 'pieces' in insert) {
      pieces[pieces.length - 1] += insert.pieces[0] ?? '';
      pieces.push(...insert.pieces.slice(1));
      values.push(...insert.values);
      pieces[pieces.length - 1] += after;
    } else {
      values.push(insert);
      pieces.push(after);
    }
  });
  return { pieces, values };
}

/** Casts to a 64-bit integer in an expression: PostgreSQL cannot infer the type of a bare parameter. */
export function castToBigint(value: number | bigint | Statement): Statement {
  return sql`CAST(${value} AS BIGINT)`;
}
