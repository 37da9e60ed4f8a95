import { overrideLimits, plans } from '../api/plan.js';
import { sha256Hex } from '../format/sha256.js';
import { addApiKey, addFirstApiKey, generateApiKey, isExpired, prefixOf, updateApiKey } from './api-keys.js';
import { readDocsPage } from './docs-page.js';
import { withFaultInjection } from './fault-injection.js';
import type { RequestLogEntry } from './format-log-line.js';
import { withHostCheck } from './host-check.js';
import { type ListenerOptions, startListener } from './listener.js';
import { openDatabase } from './open-database.js';
import { isPostgresUrl } from './postgres-url.js';
import { deleteExpiredAddressCounters } from './rate-limits.js';
import type { Respond } from './request-context.js';
import { createRequestHandler } from './request-handler.js';
import { completeResponses } from './responses.js';
import type { ServerOptions } from './server-options.js';
import { type Database, DatabaseError } from './sql.js';

export type RunningServer = Awaited<ReturnType<typeof startServer>>;

/** Opens the database and serves it. Resolves once the server accepts requests. */
export async function startServer(options: ServerOptions) {
  // Loaded before the first use: an upgrade may replace the files while the server runs.
  await import('../../openapi.yaml');
  const { database: path, nodeVersion, clock, metricsPort, docsDirectory, onError } = options;
  const database = await openDatabase({ path, clock, nodeVersion });
  let isDraining = false;
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
    const listen = async (handler: Respond, changes: Partial<ListenerOptions> = {}) => {
      const checked = completeResponses(withHostCheck(handler, options), onError);
      listeners.push(await startListener({ ...options, isDraining: () => isDraining, handler: checked, ...changes }));
    };
    const metrics = metricsPort === undefined ? undefined : await (await import('./metrics.js')).openMetrics();
    const log = (entry: RequestLogEntry) => {
      metrics?.observe(entry);
      options.log(entry);
    };
    const handler = createRequestHandler({
      ...options,
      database,
      isDraining: () => isDraining,
      wrapOperation: (operate) => withFaultInjection(operate, options, closed.signal),
      ...(docsDirectory !== undefined && { files: await readDocsPage(docsDirectory) }),
    });
    await listen(handler, { log });
    if (metrics && metricsPort !== undefined) await listen(metrics.respond, { port: metricsPort });
    const { newKey, ...key } = await ensureApiKey(database, options);
    const [port = 0, boundMetricsPort] = listeners.map((listener) => listener.port);
    return {
      port,
      metricsPort: boundMetricsPort,
      /** The API key, if this start generated it. */
      newKey,
      keyPrefix: key.prefix,
      /** Why requests with the given API key get 401, if they do. */
      keyProblem: key.problem,
      limits: key.limits,
      /** Makes `GET /readyz` respond with 503, and each response the last of its connection. */
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

/** Throws if a page of the SQLite file is damaged: otherwise only a later request would notice. */
async function checkIntegrity(database: Database, path: string): Promise<void> {
  const [row] = await database.read({ text: 'PRAGMA quick_check(1)' });
  if (row?.quick_check === 'ok') return;
  throw new DatabaseError('unusable', `the database ${path} cannot be used: it is damaged`);
}

/** Returns the given API key, or the oldest valid one of the database, which gets a new one if it has none. */
async function ensureApiKey(database: Database, options: ServerOptions) {
  const { key: given, plan, clock, log } = options;
  const now = clock.now();
  const secret = given ?? generateApiKey();
  const add = given === undefined ? addFirstApiKey : addApiKey;
  const newLimits = overrideLimits(plans[plan ?? 'free'], options);
  const key = await add(database, secret, { limits: newLimits }, now);
  if (!key) return { prefix: prefixOf(secret), limits: newLimits, newKey: undefined, problem: 'was revoked' };
  const limits = overrideLimits(plan ? plans[plan] : key.limits, options);
  const { perMinute, perDay } = limits;
  const isNew = given === undefined && key.digest === sha256Hex(secret);
  const isChanged = plan !== undefined || options.perMinute !== undefined || options.perDay !== undefined;
  if (isChanged && !isNew) await updateApiKey(database, key, { limits });
  // Without a given key, it can be the key of any client.
  if (perMinute !== key.limits.perMinute || perDay !== key.limits.perDay) {
    const message = `changed the limits of API key ${key.prefix} to ${perMinute} requests per minute and ${perDay} per day`;
    log({ time: now, level: 'warning', message });
  }
  const problem = isExpired(key, now) ? 'has expired' : undefined;
  return { prefix: key.prefix, limits, problem, newKey: isNew ? secret : undefined };
}
