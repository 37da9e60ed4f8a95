import type { Client, ClientConfig, QueryConfig } from 'pg';
import { canRetry, isShutdownError, mapPostgresError } from './postgres-errors.js';
import type { SqlRow } from './sql.js';

interface ConnectionsOptions {
  readonly config: ClientConfig;
  readonly max: number;
  /** Statements that configure a session. */
  readonly settings: readonly string[];
  readonly displayUrl: string;
  /**
   * Behind a connection pooler such as PgBouncer, each transaction may run on another connection, which other clients use
   * too: the settings are those of the server.
   */
  readonly isPooled: boolean;
}

/** A connection that is opened again once it is lost. */
interface Lane {
  client: Client | undefined;
  /** Resolves once the client works. */
  ready: Promise<Client> | undefined;
  /** Number of queries in flight. */
  pending: number;
  /** When it last worked, in milliseconds of `performance.now()`. */
  usedAt: number;
}

type Work<Result> = (client: Client) => Promise<Result>;

/**
 * Opens connections on demand. Each has many queries in flight, and each query is a separate transaction: pg sends a query
 * before the earlier ones are answered.
 */
export function openConnections(
  ClientClass: typeof Client,
  { config, max, settings, displayUrl, isPooled }: ConnectionsOptions,
) {
  const lanes = Array.from(
    { length: max },
    (): Lane => ({ client: undefined, ready: undefined, pending: 0, usedAt: 0 }),
  );
  /** Connections that PostgreSQL closed, so that it carried out nothing that it did not answer. */
  const shutDown = new WeakSet<Client>();
  const forget = (lane: Lane, client: Client | undefined) => {
    if (lane.client === client) Object.assign(lane, { client: undefined, ready: undefined });
  };
  const connect = async (lane: Lane): Promise<Client> => {
    const client = new ClientClass({ ...config, pipeline: true } as ClientConfig);
    client.on('error', (error) => {
      if (isShutdownError(error)) shutDown.add(client);
      forget(lane, client);
    });
    client.on('end', () => forget(lane, client));
    await client.connect();
    if (!isPooled) await client.query(settings.join('; '));
    return client;
  };
  const open = (lane: Lane, opening: Promise<Client>): Promise<Client> => {
    Object.assign(lane, { client: undefined, ready: opening });
    opening.then(
      (client) => {
        lane.client = client;
      },
      () => {
        if (lane.ready === opening) lane.ready = undefined;
      },
    );
    return opening;
  };
  /** Returns the client of a lane. The other side of an idle connection may be gone without a sign. */
  const acquire = (lane: Lane): Promise<Client> => {
    const { ready, pending, usedAt } = lane;
    if (!ready) return open(lane, connect(lane));
    if (pending > 1 || performance.now() - usedAt < maxUncheckedMs) return ready;
    return open(
      lane,
      ready.then(check).catch(() => connect(lane)),
    );
  };
  const runOn = async <Result>(lane: Lane, work: Work<Result>): Promise<Result> => {
    lane.pending += 1;
    try {
      const result = await work(await acquire(lane));
      lane.usedAt = performance.now();
      return result;
    } finally {
      lane.pending -= 1;
    }
  };
  /** Runs the work, and repeats it on a new connection if the first one broke and nothing was written. */
  const run = async <Result>(work: Work<Result>, isRead: boolean): Promise<Result> => {
    const lane = lanes.reduce((best, each) => (each.pending < best.pending ? each : best));
    let client: Client | undefined;
    const remember: Work<Result> = (each) => {
      client = each;
      return work(each);
    };
    try {
      return await runOn(lane, remember);
    } catch (error) {
      if (client && isShutdownError(error)) shutDown.add(client);
      const isUnanswered = client !== undefined && shutDown.has(client) && !isPooled;
      if (!canRetry(error, { isRead: isRead || isUnanswered, isPooled })) throw mapPostgresError(error, displayUrl);
      // After a failover, only new connections reach the primary.
      forget(lane, client);
      client?.end().catch(() => {});
    }
    return runOn(lane, work).catch((error: unknown) => {
      throw mapPostgresError(error, displayUrl);
    });
  };
  return {
    query: async (query: QueryConfig, { isRead = false } = {}): Promise<readonly SqlRow[]> =>
      run(async (client) => (await client.query(query)).rows, isRead),
    /** Runs the queries in one transaction, and returns the rows of the last one. */
    transact: (queries: readonly QueryConfig[]): Promise<readonly SqlRow[]> =>
      run(async (client) => {
        // Sent together, so that no other query gets in between. If one fails, the last one rolls back.
        const [, ...results] = await Promise.all([
          // Another client of the pooler may have changed this setting.
          client.query('BEGIN; SET LOCAL synchronous_commit TO DEFAULT'),
          ...queries.map((query) => client.query(query)),
          client.query('COMMIT'),
        ]);
        return results[queries.length - 1]?.rows ?? [];
      }, false),
    close: async () => {
      await Promise.all(lanes.map(({ ready }) => ready?.then((client) => client.end()).catch(() => {})));
    },
  };
}

const maxUncheckedMs = 1_000;

/** Rejects if the other side does not answer within a second. */
async function check(client: Client): Promise<Client> {
  await client.query({ text: 'SELECT', query_timeout: 1_000 } as QueryConfig);
  return client;
}
