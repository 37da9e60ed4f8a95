/** What a statement takes and a row holds: whole numbers are always `bigint` in a row. */
export type SqlValue = string | number | bigint | null;
export type Row = Readonly<Record<string, SqlValue>>;

/** A statement with its values beside it, never inside it. */
export interface Statement {
  /** One piece more than there are values. */
  readonly pieces: readonly string[];
  readonly values: readonly SqlValue[];
}

/**
 * `away` and `busy` pass by themselves; `refused` is a database that does not let this user in; `unusable` stays
 * until somebody looks after it.
 */
export type DatabaseErrorReason =
  | 'no-sqlite'
  | 'no-postgres'
  | 'away'
  | 'busy'
  | 'newer'
  | 'refused'
  | 'unusable';

/** A database that cannot do what it is asked; `reason` says why, the message names it. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  readonly reason: DatabaseErrorReason;

  constructor(reason: DatabaseErrorReason, message: string, cause?: unknown) {
    super(message, { cause });
    this.reason = reason;
  }
}

/** Where the store keeps what it knows. Whatever goes wrong in it is a `DatabaseError`. */
export interface Database {
  read(statement: Statement): Promise<readonly Row[]>;
  /**
   * Runs the statements as one, and resolves to the rows of the last: once this resolves they survive a
   * crash. Once it rejects they never were, unless the database went away while they were made to last. Several
   * statements run while no other several do, in any process.
   */
  write(...statements: readonly Statement[]): Promise<readonly Row[]>;
  /** As `write`, for one statement that outlives the process; a power cut may take it back. */
  writeUnsynced(statement: Statement): Promise<readonly Row[]>;
  /** Its connections, where it has several, and the statements that wait for one. */
  poolStats?(): { readonly size: number; readonly idle: number; readonly waiting: number };
  close(): Promise<void>;
}

/** Builds a statement: a value becomes a parameter, a statement inside another is spliced in. */
export function sql(
  text: readonly string[],
  ...holes: readonly (SqlValue | Statement)[]
): Statement {
  const pieces = [text[0] ?? ''];
  const values: SqlValue[] = [];
  holes.forEach((hole, index) => {
    const after = text[index + 1] ?? '';
    if (typeof hole === 'object' && hole !== null) {
      pieces[pieces.length - 1] += hole.pieces[0] ?? '';
      pieces.push(...hole.pieces.slice(1));
      values.push(...hole.values);
      pieces[pieces.length - 1] += after;
    } else {
      values.push(hole);
      pieces.push(after);
    }
  });
  return { pieces, values };
}

/** A whole number of 64 bits in an expression: a parameter alone has no type that PostgreSQL would know. */
export function castToBigint(value: number | bigint): Statement {
  return sql`CAST(${value} AS BIGINT)`;
}
