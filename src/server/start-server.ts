import { type Limits, type Plan, plans } from '../api/plan.js';
import type { Clock } from '../clock.js';
import {
  type ApiKeyRecord,
  addApiKey,
  addFirstApiKey,
  generateApiKey,
  matchesApiKey,
  updateLimitsStatement,
} from './api-keys.js';
import type { Fault } from './fault.js';
import { withFaultInjection } from './fault-injection.js';
import { withHostCheck } from './host-check.js';
import { openDatabase } from './open-database.js';
import { isPostgresUrl } from './postgres-url.js';
import type { WindowLengths } from './rate-limits.js';
import { createQuotaReader, createRequestHandler } from './request-handler.js';
import { type Database, DatabaseError, sql } from './sql.js';
import { startListener } from './start-listener.js';

export interface ServerOptions {
  /** A file's path, `:memory:`, or the URL of a PostgreSQL. */
  readonly database: string;
  readonly host: string;
  readonly port: number;
  /** A key to serve; without one the first start makes it. */
  readonly key: string | undefined;
  /** What the key may send; without it a new key gets the Free plan's, a known one keeps its own. */
  readonly limits: Limits | undefined;
  /** What these limits are called; without it the plan that has them. */
  readonly plan?: Plan | undefined;
  readonly clock: Clock;
  readonly nodeVersion: string;
  readonly log: (line: string) => void;
  /** Told of what should not happen. */
  readonly onError: (error: unknown) => void;
  /** Names in `Host` that lead here, beside the loopback ones and the address itself. */
  readonly allowedHosts?: readonly string[];
  readonly faults?: readonly Fault[];
  /** Milliseconds that every answer takes longer. */
  readonly latency?: number;
  /** Of the faults. */
  readonly seed?: number;
  readonly windows?: WindowLengths;
  /** Answers `GET /metrics`. */
  readonly metrics?: boolean;
}

export interface RunningServer {
  readonly port: number;
  /** The key in full, only where this start made it. */
  readonly newKey: string | undefined;
  readonly keyPrefix: string;
  /** What the key may send. */
  readonly limits: Limits;
  close(): Promise<void>;
}

/** Opens the store and serves it; resolves once it accepts requests. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { clock, onError, database: path, nodeVersion } = options;
  const database = await openDatabase({ path, clock, nodeVersion });
  try {
    if (!isPostgresUrl(path)) await checkIntegrity(database, path);
    await deleteExpiredAddressCounters(database, clock.now());
    const closed = new AbortController();
    const metrics = options.metrics
      ? await (await import('./metrics.js')).openMetrics({ clock, database })
      : undefined;
    const { windows } = options;
    const plain = createRequestHandler({
      database,
      windows,
      onBan: metrics?.countBan,
      clock,
      onError,
    });
    const { faults = [], latency = 0, seed = 0, allowedHosts: allowed = [] } = options;
    const failing = faults.length > 0 || latency > 0;
    const { signal } = closed;
    const store = failing
      ? withFaultInjection(plain, {
          faults,
          latencyMs: latency,
          seed,
          clock,
          signal,
          readQuota: createQuotaReader({ database, windows, clock }),
        })
      : plain;
    const guarded = withHostCheck(metrics?.withMetricsPage(store) ?? store, {
      host: options.host,
      allowedHosts: allowed,
      clock,
    });
    const handle = metrics?.withRequestMetrics(guarded) ?? guarded;
    const listening = await startListener({ ...options, handler: handle });
    // A key is shown once, so that none is made before it is sure that this start succeeds.
    const { key, newKey } = await ensureApiKey(database, options).catch(async (error: unknown) => {
      await listening.close();
      throw error;
    });
    return {
      port: listening.port,
      newKey,
      keyPrefix: key.prefix,
      limits: key.limits,
      close: async () => {
        await listening.close();
        closed.abort();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A damaged page shows only once it is read, and a server that finds it then has told its address already. */
async function checkIntegrity(database: Database, path: string): Promise<void> {
  const [row] = await database.read(sql`PRAGMA quick_check(1)`);
  if (row?.quick_check === 'ok') return;
  throw new DatabaseError('unusable', `the database ${path} cannot be used: it is damaged`);
}

/** Addresses come and go, and what was counted of them a day ago means nothing. */
async function deleteExpiredAddressCounters(database: Database, now: number): Promise<void> {
  const most = 10_000;
  for (let forgotten = most; forgotten === most; ) {
    const rows = await database.write(sql`
      DELETE FROM meters WHERE subject IN (
        SELECT subject FROM meters
        WHERE day_end < ${now} AND banned_until < ${now} AND subject LIKE 'address %' LIMIT ${most})
      RETURNING subject`);
    forgotten = rows.length;
  }
}

async function ensureApiKey(
  database: Database,
  { key: given, limits, plan, clock }: ServerOptions,
): Promise<{ key: ApiKeyRecord; newKey: string | undefined }> {
  const secret = given ?? generateApiKey();
  const add = given === undefined ? addFirstApiKey : addApiKey;
  const key = await add(database, secret, limits ?? plans.free, clock.now(), { plan });
  if (given === undefined && matchesApiKey(key, secret)) return { key, newKey: secret };
  if (!limits) return { key, newKey: undefined };
  await database.write(updateLimitsStatement(key, limits, plan));
  return { key: { ...key, limits }, newKey: undefined };
}
