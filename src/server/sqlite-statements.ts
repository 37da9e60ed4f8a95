import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite';
import { formatSql, type SqlRow, type SqlValue, type Statement } from './sql.js';

/** Returns a function that runs statements and prepares each text only once. */
export function createStatementRunner(connection: DatabaseSyncInstance): (statement: Statement) => readonly SqlRow[] {
  const prepared = new WeakMap<readonly string[], StatementSyncInstance>();
  const preparedByText = new Map<string, StatementSyncInstance>();
  const hasNumbers = acceptsNumbers(connection);
  const prepare = (statement: Statement) => {
    const { pieces, numbers } = statement;
    const text = numbers && hasNumbers ? formatSql(statement, '?') : pieces.join('?');
    let handle = preparedByText.get(text);
    if (!handle) {
      handle = connection.prepare(text);
      handle.setReadBigInts(true);
      preparedByText.set(text, handle);
    }
    prepared.set(pieces, handle);
    return handle;
  };
  return (statement) => {
    const values = hasNumbers ? statement.values : repeatValues(statement);
    return (prepared.get(statement.pieces) ?? prepare(statement)).all(...values);
  };
}

/** Returns whether a value can be bound to a numbered parameter, which Node.js 24.0 cannot do. */
function acceptsNumbers(connection: DatabaseSyncInstance): boolean {
  try {
    connection.prepare('SELECT ?1').all(1);
    return true;
  } catch {
    return false;
  }
}

/** Returns one value for each place where a parameter appears. */
function repeatValues({ values, numbers }: Statement): readonly SqlValue[] {
  return numbers ? numbers.map((number) => values[number - 1] ?? null) : values;
}
