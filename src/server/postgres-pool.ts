import type { Pool, PoolClient, PoolConfig } from 'pg';
import { DatabaseError, type SqlRow, type Statement } from './sql.js';

/** Returns the Pool class of pg, an optional package. */
export async function loadPool(): Promise<typeof Pool> {
  const { Pool } = await import('pg').catch((error: unknown) => {
    const message = 'the optional package pg, which PostgreSQL requires, is not installed';
    throw new DatabaseError('no_postgres', message, error);
  });
  return Pool;
}

/** Opens a pool; an error on a connection closes it, which rolls back its transaction. */
export function openPool(PoolClass: typeof Pool, config: PoolConfig, displayUrl: string) {
  const pool = new PoolClass(config);
  const throughBreaker = createCircuitBreaker(
    () => new DatabaseError('away', `the database ${displayUrl} cannot be reached`),
  );
  // The pool replaces idle connections that break.
  pool.on('error', ignore);
  return {
    use: async <Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> => {
      let client: PoolClient | undefined;
      try {
        client = await throughBreaker(() => pool.connect());
        // If the connection breaks between two statements, the second one rejects.
        client.on('error', ignore);
        const result = await work(client);
        client.off('error', ignore);
        client.release();
        return result;
      } catch (error) {
        client?.release(true);
        throw mapPostgresError(error, displayUrl);
      }
    },
    pool,
  };
}

function ignore(): void {}

/** Runs `work` in a transaction that holds an advisory lock. After an error the connection must be closed. */
export async function runInTransaction<Result>(
  client: PoolClient,
  lock: bigint,
  work: () => Promise<Result>,
): Promise<Result> {
  await client.query('BEGIN');
  await client.query(`SELECT pg_advisory_xact_lock(${lock})`);
  const result = await work();
  await client.query('COMMIT');
  return result;
}

const statementNames = new Map<string, string>();

/** Runs a statement under a name, so that every connection prepares it once. */
export async function runStatement(client: PoolClient, { pieces, values }: Statement): Promise<readonly SqlRow[]> {
  const text = pieces.reduce((before, piece, index) => `${before}$${index}${piece}`);
  const name = statementNames.get(text) ?? `petstore_${statementNames.size}`;
  statementNames.set(text, name);
  return (await client.query({ name, text, values: [...values] })).rows;
}

/**
 * Allows any number of concurrent attempts until one fails. Then allows one at a time until one succeeds, and rejects
 * the others with `createError` at once: after a slow failure, all of them would wait.
 */
export function createCircuitBreaker(
  createError: () => Error,
): <Result>(attempt: () => Promise<Result>) => Promise<Result> {
  let isOpen = false;
  let isProbing = false;
  return async (attempt) => {
    if (isProbing) throw createError();
    isProbing = isOpen;
    const isProbe = isProbing;
    try {
      const result = await attempt();
      isOpen = false;
      return result;
    } catch (error) {
      isOpen = true;
      throw error;
    } finally {
      if (isProbe) isProbing = false;
    }
  };
}

/** Maps an error of PostgreSQL, of pg or of the network to a `DatabaseError`. */
export function mapPostgresError(error: unknown, displayUrl: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const { severity, code = '', message } = error as Error & { severity?: string; code?: string };
  // Errors without a severity come from the connection, not from PostgreSQL.
  const known = reasonsByCodePrefix.find(([prefix]) => code.startsWith(prefix));
  const reason = severity === undefined ? 'away' : (known?.[1] ?? 'unusable');
  const detail = [message, code].find((text) => text !== '' && text !== undefined) ?? 'no response';
  const text = `the database ${displayUrl} ${descriptions[reason]}: ${detail}`;
  return new DatabaseError(reason, text, error);
}

const descriptions = {
  away: 'cannot be reached',
  busy: 'is busy',
  refused: 'cannot be used',
  unusable: 'cannot be used',
} as const;

/** Reasons by prefix of SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html). */
const reasonsByCodePrefix = [
  // Broken connections, too many connections, servers that start, stop or only replicate.
  ['08', 'away'],
  ['25006', 'away'],
  ['53300', 'away'],
  ['57P', 'away'],
  // Deadlocks, lock timeouts, statement timeouts.
  ['40', 'busy'],
  ['55P03', 'busy'],
  ['57014', 'busy'],
  // Authentication, unknown databases, missing privileges.
  ['28', 'refused'],
  ['3D', 'refused'],
  ['42501', 'refused'],
] as const;
