import type { PoolClient } from 'pg';
import { runBatch, type Session } from './postgres-batch.js';
import { castToBigint, type SqlRow, type Statement, sql } from './sql.js';

/** Values of PostgreSQL's settings by name. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * Applies the settings to a new connection, and reads PostgreSQL's time in milliseconds. Behind a connection pooler such
 * as PgBouncer, each transaction may run on another connection, which other clients use too. Settings of a session
 * would reach their transactions, and prepared statements would be missing. There, each transaction sets all settings
 * for itself, and no statement is prepared. A pooler is recognized by the id of the backend, which it replaces.
 */
export async function startSession(
  client: PoolClient,
  settings: SessionSettings,
): Promise<{ session: Session; timeMs: number }> {
  const { processID = null } = client as PoolClient & { readonly processID?: number | null };
  const isDirect = sql`pg_backend_pid() = ${processID}`;
  const [[row = {}] = []] = await runBatch(client, { prepared: undefined, settings: undefined }, [
    sql`
      SELECT CASE WHEN ${isDirect} THEN 'direct' ELSE 'pooled' END AS connection,
        ${castToBigint(sql`date_part('epoch', clock_timestamp()) * 1000`)} AS time,
        (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit') AS synchronous_commit,
        CASE WHEN ${isDirect} THEN ${setAll(settings, 'session')} END AS settings`,
  ]);
  return { session: sessionFor(row, settings), timeMs: Number(row.time) };
}

function sessionFor({ connection, synchronous_commit }: SqlRow, settings: SessionSettings): Session {
  if (connection === 'direct') return { prepared: new Map(), settings: undefined };
  // Other clients of the pooler may have changed it in this session.
  const all = { synchronous_commit: String(synchronous_commit), ...settings };
  return { prepared: undefined, settings: sql`SELECT ${setAll(all, 'transaction')} AS settings` };
}

/** Returns an expression that sets all settings. */
function setAll(settings: SessionSettings, scope: 'session' | 'transaction'): Statement {
  const isLocal = sql([String(scope === 'transaction')]);
  return Object.entries(settings)
    .map(([name, value]) => sql`set_config(${name}, ${value}, ${isLocal})`)
    .reduce((all, one) => sql`${all} || ${one}`);
}
