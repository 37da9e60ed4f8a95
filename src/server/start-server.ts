import { type LimitOverrides, overrideLimits, type Plan, plans } from '../api/plan.js';
import { sha256Hex } from '../format/sha256.js';
import { deleteExpiredAddressCounters } from './address-counters.js';
import {
  addFirstApiKey,
  addUnlessRevoked,
  generateApiKey,
  isExpired,
  prefixOf,
  updateLimitsStatement,
} from './api-keys.js';
import { readDocsPage, withDocsPage } from './docs-page.js';
import { type FaultInjectionOptions, withFaultInjection } from './fault-injection.js';
import type { LogEntry, MessageLogEntry, RequestLogEntry } from './format-log-line.js';
import { type HostCheckOptions, withHostCheck } from './host-check.js';
import type { Metrics } from './metrics.js';
import { openDatabase } from './open-database.js';
import { isPostgresUrl } from './postgres-url.js';
import { createRequestHandler, type RequestHandler, type RequestHandlerOptions } from './request-handler.js';
import { type Database, DatabaseError, sql } from './sql.js';
import { type ListenerOptions, startListener } from './start-listener.js';

export interface ServerOptions
  extends Omit<ListenerOptions, 'handler' | 'isDraining' | 'onError' | 'log'>,
    Partial<Pick<FaultInjectionOptions, 'faults' | 'latencyMs' | 'seed'>>,
    Partial<Pick<HostCheckOptions, 'allowedHosts'>> {
  /** Path of a file, `:memory:`, or a PostgreSQL URL. */
  readonly database: string;
  /** API key to accept; `undefined` generates one for a new database. */
  readonly key: string | undefined;
  /** Limits of the key that replace those of the plan. */
  readonly limits?: LimitOverrides | undefined;
  /** Plan of the key. Defaults to Free for a new key; an existing one keeps its limits. */
  readonly plan?: Plan | undefined;
  readonly nodeVersion: string;
  /** Called with unexpected errors, their time by the clock of the server, and the id of the request. */
  readonly onError: (error: unknown, context: Pick<MessageLogEntry, 'time' | 'requestId'>) => void;
  /** Called with each request, and with warnings. */
  readonly log: (entry: LogEntry) => void;
  /** Length of the minute window, which tests shorten. */
  readonly minuteMs?: number;
  /** Serves `GET /metrics` on this port; 0 for any free port. */
  readonly metricsPort?: number | undefined;
  /** Folder with the files of the API reference page; without it, there is no such page. */
  readonly docsDirectory?: string;
}

export type RunningServer = Awaited<ReturnType<typeof startServer>>;

/** Opens the database and serves it. Resolves once the server accepts requests. */
export async function startServer(serverOptions: ServerOptions) {
  // Loaded before the first use: an upgrade may replace the files while the server runs.
  await import('../../openapi.yaml');
  const { database: path, nodeVersion } = serverOptions;
  let { clock } = serverOptions;
  const onError = (error: unknown, requestId?: string) =>
    serverOptions.onError(error, { time: clock.now(), requestId });
  const warn = (message: string) => serverOptions.log({ time: clock.now(), level: 'warning', message });
  const database = await openDatabase({ path, clock, nodeVersion, isBatched: true });
  clock = { ...clock, ...(database.clock && { now: database.clock.now }) };
  let isDraining = false;
  const log = (entry: RequestLogEntry) =>
    serverOptions.log(isDraining && isRejectedProbe(entry) ? { ...entry, level: 'info' } : entry);
  const options = { ...serverOptions, clock, onError, log, isDraining: () => isDraining };
  const closed = new AbortController();
  const listeners: Awaited<ReturnType<typeof startListener>>[] = [];
  const close = async () => {
    await Promise.all(listeners.map((listener) => listener.close()));
    closed.abort();
    await database.close();
  };
  try {
    if (!isPostgresUrl(path)) await checkIntegrity(database, path);
    await deleteExpiredAddressCounters(database, clock.now());
    const { metricsPort } = serverOptions;
    const metrics =
      metricsPort === undefined
        ? undefined
        : await (await import('./metrics.js')).openMetrics(clock, database.poolStats);
    const handler = await createWrappedHandler(database, metrics, options, closed.signal);
    const onWireRejection = metrics?.countWireRejection;
    listeners.push(await startListener({ ...options, handler, onWireRejection }));
    if (metrics && metricsPort !== undefined) {
      const page = withHostCheck(metrics.handleRequest, toHostCheckOptions(serverOptions));
      listeners.push(await startListener({ ...options, port: metricsPort, handler: page }));
    }
    // Last, since a generated key is shown only once: nothing may fail after it.
    const { newKey, ...key } = await ensureApiKey(database, { ...options, warn });
    const [port = 0, boundMetricsPort] = listeners.map((listener) => listener.port);
    return {
      port,
      metricsPort: boundMetricsPort,
      /** The API key, if this start generated it. */
      newKey,
      /** Deletes the API key that this start generated. */
      discardKey: async () => {
        if (newKey !== undefined) await database.write(sql`DELETE FROM keys WHERE digest = ${sha256Hex(newKey)}`);
      },
      keyPrefix: key.prefix,
      /** Why requests with the given API key get 401, if they do. */
      keyProblem: key.problem,
      limits: key.limits,
      /** Makes `GET /readyz` respond with 503, and `close` wait for requests on idle connections. */
      startDraining: () => {
        isDraining = true;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Creates the request handler and wraps it, from the inside out. */
async function createWrappedHandler(
  database: Database,
  metrics: Metrics | undefined,
  {
    clock,
    minuteMs,
    isDraining,
    onError,
    faults = [],
    latencyMs = 0,
    seed = 0,
    ...options
  }: Omit<ServerOptions, 'onError' | 'log'> & Pick<RequestHandlerOptions, 'isDraining' | 'onError'>,
  signal: AbortSignal,
): Promise<RequestHandler> {
  const onBan = metrics?.countBan;
  let handler = createRequestHandler({ database, minuteMs, clock, isDraining, onBan, onError });
  if (faults.length > 0 || latencyMs > 0) {
    handler = withFaultInjection(handler, { faults, latencyMs, seed, clock, signal, database });
  }
  if (options.docsDirectory !== undefined) handler = withDocsPage(handler, await readDocsPage(options.docsDirectory));
  handler = withHostCheck(handler, toHostCheckOptions(options));
  return metrics ? metrics.withRequestMetrics(handler) : handler;
}

function toHostCheckOptions({ host, allowedHosts = [] }: Pick<ServerOptions, 'host' | 'allowedHosts'>) {
  return { host, allowedHosts };
}

/** Returns whether a readiness probe got 503, which is expected while the server drains. */
function isRejectedProbe({ path = '', status }: RequestLogEntry): boolean {
  return status === 503 && /^\/(?:readyz|healthz)$/.test(path);
}

/** Throws if a page of the SQLite file is damaged: otherwise only a later request would notice. */
async function checkIntegrity(database: Database, path: string): Promise<void> {
  const [row] = await database.read(sql`PRAGMA quick_check(1)`);
  if (row?.quick_check === 'ok') return;
  throw new DatabaseError('unusable', `the database ${path} cannot be used: it is damaged`);
}

/** Returns the given API key, or the oldest valid one of the database, which gets a new one if it has none. */
async function ensureApiKey(
  database: Database,
  {
    key: given,
    limits = {},
    plan,
    clock,
    warn,
  }: Pick<ServerOptions, 'key' | 'limits' | 'plan' | 'clock'> & { readonly warn: (message: string) => void },
) {
  const secret = given ?? generateApiKey();
  const add = given === undefined ? addFirstApiKey : addUnlessRevoked;
  const newLimits = overrideLimits(plans[plan ?? 'free'], limits);
  const key = await add(database, secret, newLimits, clock.now(), { plan });
  if (!key) return { prefix: prefixOf(secret), limits: newLimits, newKey: undefined, problem: 'was revoked' };
  const keyLimits = overrideLimits(plan ? plans[plan] : key.limits, limits);
  const isChanged = plan !== undefined || limits.perMinute !== undefined || limits.perDay !== undefined;
  if (isChanged) await database.write(updateLimitsStatement(key, keyLimits, plan));
  const { perMinute, perDay } = keyLimits;
  // Without a given key, it can be the key of any client.
  if (perMinute !== key.limits.perMinute || perDay !== key.limits.perDay) {
    warn(`changed the limits of API key ${key.prefix} to ${perMinute} requests per minute and ${perDay} per day`);
  }
  const isNew = given === undefined && key.digest === sha256Hex(secret);
  return {
    prefix: key.prefix,
    limits: keyLimits,
    problem: isExpired(key, clock.now()) ? 'has expired' : undefined,
    newKey: isNew ? secret : undefined,
  };
}
