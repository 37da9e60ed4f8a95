import type { Connection, FieldDef, PoolClient } from 'pg';
import { formatSql, type SqlRow, type SqlValue, type Statement } from './sql.js';

/** A column of a result. */
interface Column {
  readonly name: string;
  readonly isInteger: boolean;
}

/** State of one connection. */
export interface Session {
  /** Columns of the prepared statements by text; `undefined` if none may be prepared. */
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
    const texts: string[] = [];
    const columnsByText = prepared ?? new Map<string, readonly Column[]>();
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
        for (const statement of all) {
          const text = textOf(statement);
          // The unnamed statement lasts until the next one is parsed. Behind PgBouncer, this triples the lists per second.
          const isParsed = prepared ? prepared.has(text) : text === texts.at(-1);
          if (!isParsed) columnsByText.set(text, []);
          sendStatement(connection, { text, name: prepared ? nameOf(text) : '', isParsed, values: statement.values });
          texts.push(text);
        }
        connection.sync();
        connection.stream.uncork();
      },
      handleRowDescription: (message: { readonly fields: readonly FieldDef[] }) => {
        columns = message.fields.map(toColumn);
        columnsByText.set(texts[results.length] as string, columns);
      },
      handleDataRow: (message: { readonly fields: readonly (string | null)[] }) => {
        columns ??= columnsByText.get(texts[results.length] as string) ?? [];
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

interface ParsedStatement {
  readonly text: string;
  /** Empty if the statement is not prepared. */
  readonly name: string;
  /** Whether PostgreSQL has parsed the text under this name. */
  readonly isParsed: boolean;
  readonly values: readonly SqlValue[];
}

function sendStatement(connection: Connection, { text, name, isParsed, values }: ParsedStatement): void {
  if (!isParsed) connection.parse({ name, text, types: [] }, true);
  const valueTexts = values.map((value) => (value === null ? null : String(value)));
  connection.bind({ statement: name, values: valueTexts }, true);
  if (!isParsed) connection.describe({ type: 'P', name: '' }, true);
  connection.execute({ portal: '', rows: '' }, true);
}

/** Texts of statements by their pieces: formatting and hashing that of the count takes 5 % of a list. */
const statementTexts = new WeakMap<Statement['pieces'], string>();

function textOf(statement: Statement): string {
  const text = statementTexts.get(statement.pieces) ?? formatSql(statement, '$');
  statementTexts.set(statement.pieces, text);
  return text;
}

/** Names of prepared statements by text. */
const statementNames = new Map<string, string>();

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
