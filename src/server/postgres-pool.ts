import type { Pool, PoolClient, PoolConfig } from 'pg';
import { runBatch, type Session } from './postgres-batch.js';
import { isReadOnlyError, isShutdownError, mapPostgresError } from './postgres-errors.js';
import { type SessionSettings, startSession } from './postgres-session.js';
import { DatabaseError, type SqlRow, type Statement } from './sql.js';

/** Returns the Pool class of pg, an optional package. */
export async function loadPool(): Promise<typeof Pool> {
  const { Pool } = await import('pg').catch((error: unknown) => {
    const message = 'the optional package pg, which PostgreSQL requires, is not installed';
    throw new DatabaseError('no_postgres', message, error);
  });
  return Pool;
}

interface PoolOptions {
  readonly config: PoolConfig;
  readonly settings: SessionSettings;
  readonly displayUrl: string;
  /** Called with PostgreSQL's time in milliseconds once a connection is open. */
  readonly onTime: (timeMs: number) => void;
}

type Work<Result> = (client: PoolClient, session: Session) => Promise<Result>;

interface RunOptions {
  /** True if the work only reads, so that it can be repeated. */
  readonly isRead?: boolean;
}

/** Opens a pool; an error on a connection closes it, which rolls back its transaction. */
export function openPool(PoolClass: typeof Pool, { config, settings, displayUrl, onTime }: PoolOptions) {
  const sessions = new WeakMap<PoolClient, Session>();
  const sessionOf = (client: PoolClient) => sessions.get(client) as Session;
  const broken = new WeakSet<PoolClient>();
  const pool = new PoolClass({
    ...config,
    onConnect: async (client) => {
      const { session, timeMs } = await startSession(client as PoolClient, settings);
      sessions.set(client as PoolClient, session);
      onTime(timeMs);
      // If the connection breaks between two statements, the second one rejects.
      client.on('error', () => broken.add(client as PoolClient));
    },
  });
  // The pool replaces idle connections that break.
  pool.on('error', ignore);
  const idleSince = new WeakMap<PoolClient, number>();
  let brokenAt = 0;
  /** Returns a connection that works: the other side may be gone without a sign. */
  const connect = async (): Promise<PoolClient> => {
    for (;;) {
      const client = await pool.connect();
      const since = idleSince.get(client);
      if (since === undefined) return client;
      if (since > brokenAt) {
        if (performance.now() - since < maxUncheckedMs) return client;
        if (await isAlive(client, sessionOf(client))) return client;
        brokenAt = performance.now();
      }
      client.release(true);
    }
  };
  const throughBreaker = createCircuitBreaker();
  const tryOnce = async <Result>(work: Work<Result>, { isRead }: RunOptions) => {
    const client = await throughBreaker(connect);
    const isNew = !idleSince.has(client);
    const session = sessionOf(client);
    try {
      const result = await work(client, session);
      idleSince.set(client, performance.now());
      client.release();
      return { result };
    } catch (error) {
      client.release(true);
      const isBroken = broken.has(client);
      const isShutdown = isShutdownError(error);
      // After a failover, only new connections reach the primary.
      const isReadOnly = isReadOnlyError(error);
      if (isBroken || isShutdown || isReadOnly) brokenAt = performance.now();
      // A pooler that shuts down may send this error after a commit.
      const isRolledBack = (isShutdown && session.prepared !== undefined) || (isReadOnly && !isNew);
      return { error, canRetry: isRolledBack || (isRead && (isBroken || isShutdown)) };
    }
  };
  /** Retries work once on another connection if the first one broke, and nothing was written. */
  const use = async <Result>(work: Work<Result>, options: RunOptions = {}): Promise<Result> => {
    try {
      let outcome = await tryOnce(work, options);
      if (outcome.canRetry) outcome = await tryOnce(work, options);
      if ('result' in outcome) return outcome.result as Result;
      throw outcome.error;
    } catch (error) {
      throw mapPostgresError(error, displayUrl);
    }
  };
  return {
    pool,
    use,
    /** Runs the statements in one transaction, and returns the rows of each. */
    run: (statements: readonly Statement[], options?: RunOptions): Promise<readonly (readonly SqlRow[])[]> =>
      use((client, session) => runBatch(client, session, statements), options),
  };
}

/** A connection that was idle for longer is checked before its use. */
const maxUncheckedMs = 1_000;
const checkTimeoutMs = 1_000;

function isAlive(client: PoolClient, session: Session): Promise<boolean> {
  return runBatch(client, session, [], checkTimeoutMs).then(
    () => true,
    () => false,
  );
}

function ignore(): void {}

/**
 * Allows any number of concurrent attempts until one fails. Then allows one at a time until one succeeds; the others
 * wait for it, and fail if it fails.
 */
export function createCircuitBreaker(): <Result>(attempt: () => Promise<Result>) => Promise<Result> {
  let isOpen = false;
  let probe: Promise<unknown> | undefined;
  return async (attempt) => {
    if (probe) await probe;
    const attempted = attempt();
    if (isOpen) probe = attempted;
    try {
      const result = await attempted;
      isOpen = false;
      return result;
    } catch (error) {
      isOpen = true;
      throw error;
    } finally {
      if (probe === attempted) probe = undefined;
    }
  };
}
