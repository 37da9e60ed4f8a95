import type { Connection, FieldDef, PoolClient } from 'pg';
import { formatSql, type SqlRow, type SqlValue, type Statement } from './sql.js';

/** A column of a result. */
interface Column {
  readonly name: string;
  readonly isInteger: boolean;
}

/** State of one connection. */
export interface Session {
  /** Columns of the prepared statements by name; `undefined` if none may be prepared. */
  readonly prepared: Map<string, readonly Column[]> | undefined;
  /** Runs first in each transaction; `undefined` if the session has its settings. */
  readonly settings: Statement | undefined;
}

/**
 * Runs the statements in one round trip and one transaction, and returns the rows of each. PostgreSQL commits at the
 * only Sync message (postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). After an error, nothing
 * was written, and the connection must be closed.
 */
export function runBatch(
  client: PoolClient,
  session: Session,
  statements: readonly Statement[],
  timeoutMs?: number,
): Promise<readonly (readonly SqlRow[])[]> {
  const { settings, prepared } = session;
  const all = settings && statements.length > 0 ? [settings, ...statements] : statements;
  return new Promise((resolve, reject) => {
    const names: string[] = [];
    const results: SqlRow[][] = [];
    let rows: SqlRow[] = [];
    let columns: readonly Column[] | undefined;
    const finishStatement = () => {
      results.push(rows);
      rows = [];
      columns = undefined;
    };
    const query = {
      query_timeout: timeoutMs,
      // pg replaces it to stop the timer of the timeout.
      callback: (error: unknown) => {
        if (error) reject(error);
        else resolve(all === statements ? results : results.slice(1));
      },
      submit: (connection: Connection) => {
        connection.stream.cork();
        for (const statement of all) names.push(sendStatement(connection, statement, prepared));
        connection.sync();
        connection.stream.uncork();
      },
      handleRowDescription: (message: { readonly fields: readonly FieldDef[] }) => {
        columns = message.fields.map(toColumn);
        prepared?.set(names[results.length] as string, columns);
      },
      handleDataRow: (message: { readonly fields: readonly (string | null)[] }) => {
        columns ??= prepared?.get(names[results.length] as string) ?? [];
        rows.push(parseRow(columns, message.fields));
      },
      handleCommandComplete: finishStatement,
      handleEmptyQuery: finishStatement,
      handleReadyForQuery: () => query.callback(undefined),
      handleError: (error: unknown) => query.callback(error),
    };
    client.query(query);
  });
}

/** Names of prepared statements by text. */
const statementNames = new Map<string, string>();

/** Sends a statement and returns its name, which is empty if it is not prepared. */
function sendStatement(connection: Connection, statement: Statement, prepared: Session['prepared']): string {
  const text = formatSql(statement, '$');
  const name = prepared ? nameOf(text) : '';
  const isPrepared = prepared?.has(name) ?? false;
  if (!isPrepared) connection.parse({ name, text, types: [] }, true);
  prepared?.set(name, prepared.get(name) ?? []);
  const texts = statement.values.map((value) => (value === null ? null : String(value)));
  connection.bind({ statement: name, values: texts }, true);
  if (!isPrepared) connection.describe({ type: 'P', name: '' }, true);
  connection.execute({ portal: '', rows: '' }, true);
  return name;
}

function nameOf(text: string): string {
  const name = statementNames.get(text) ?? `petstore_${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

function toColumn({ name, dataTypeID }: FieldDef): Column {
  return { name, isInteger: integerTypeIds.includes(dataTypeID) };
}

/** Object ids of int8, int2 and int4 in `pg_type`. */
const integerTypeIds = [20, 21, 23];

/** Integers are parsed as `bigint`, other types as text. */
function parseRow(columns: readonly Column[], texts: readonly (string | null)[]): SqlRow {
  const row: Record<string, SqlValue> = {};
  for (let index = 0; index < columns.length; index += 1) {
    const { name, isInteger } = columns[index] as Column;
    const text = texts[index] ?? null;
    row[name] = isInteger && text !== null ? BigInt(text) : text;
  }
  return row;
}
