import type { Connection, FieldDef, PoolClient } from 'pg';
import type { SqlRow, SqlValue, Statement } from './sql.js';

/** State of one connection. */
export interface Session {
  /** Names of the statements that are prepared; `undefined` if none may be. */
  readonly prepared: Set<string> | undefined;
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
    const results: SqlRow[][] = [];
    let rows: SqlRow[] = [];
    let fields: readonly FieldDef[] = [];
    const finishStatement = () => {
      results.push(rows);
      rows = [];
      fields = [];
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
        for (const statement of all) sendStatement(connection, statement, prepared);
        connection.sync();
        connection.stream.uncork();
      },
      handleRowDescription: (message: { readonly fields: readonly FieldDef[] }) => {
        fields = message.fields;
      },
      handleDataRow: (message: { readonly fields: readonly (string | null)[] }) => {
        rows.push(parseRow(fields, message.fields));
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

function sendStatement(connection: Connection, { pieces, values }: Statement, prepared: Set<string> | undefined): void {
  const text = pieces.reduce((before, piece, index) => `${before}$${index}${piece}`);
  let name = '';
  if (prepared) {
    name = statementNames.get(text) ?? `petstore_${statementNames.size}`;
    statementNames.set(text, name);
  }
  if (!prepared?.has(name)) connection.parse({ name, text, types: [] }, true);
  prepared?.add(name);
  const texts = values.map((value) => (value === null ? null : String(value)));
  connection.bind({ statement: name, values: texts }, true);
  connection.describe({ type: 'P', name: '' }, true);
  connection.execute({ portal: '', rows: '' }, true);
}

/** Integers are parsed as `bigint`, other types as text. */
function parseRow(fields: readonly FieldDef[], texts: readonly (string | null)[]): SqlRow {
  const row: Record<string, SqlValue> = {};
  for (const [index, { name, dataTypeID }] of fields.entries()) {
    const text = texts[index] ?? null;
    row[name] = text !== null && integerTypeIds.includes(dataTypeID) ? BigInt(text) : text;
  }
  return row;
}

/** Object ids of int8, int2 and int4 in `pg_type`. */
const integerTypeIds = [20, 21, 23];
