/** What a statement takes and a row holds: whole numbers are always `bigint` in a row. */
export type SqlValue = string | number | bigint | null;
export type Row = Readonly<Record<string, SqlValue>>;

/** A statement with its values beside it, never inside it. */
export interface Statement {
  /** One piece more than there are values. */
  readonly pieces: readonly string[];
  readonly values: readonly SqlValue[];
}

/** Where the store keeps what it knows. Statements are SQL that SQLite and PostgreSQL both read. */
export interface Database {
  read(statement: Statement): Promise<readonly Row[]>;
  /** Runs one statement on its own: once this resolves it survives a crash, once it rejects it never was. */
  write(statement: Statement): Promise<readonly Row[]>;
  close(): Promise<void>;
}

/** Builds a statement: a value becomes a parameter, a statement inside another is spliced in. */
export function sql(
  text: readonly string[],
  ...holes: readonly (SqlValue | Statement)[]
): Statement {
  const pieces = [text[0] ?? ''];
  const values: SqlValue[] = [];
  for (const [index, hole] of holes.entries()) {
    const after = text[index + 1] ?? '';
    if (typeof hole === 'object' && hole !== null) {
      const [first = '', ...rest] = hole.pieces;
      pieces[pieces.length - 1] += first;
      pieces.push(...rest);
      values.push(...hole.values);
      pieces[pieces.length - 1] += after;
    } else {
      values.push(hole);
      pieces.push(after);
    }
  }
  return { pieces, values };
}
