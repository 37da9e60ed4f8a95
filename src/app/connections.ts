import { mergeQuota, type Quota } from '../api/rate-limit-headers.js';
import { type Client, createClient } from '../client/client.js';
import { compose, withDeferredSignals, withReadOnly, withTrace, withWaitIndicator } from '../client/middleware.js';
import { type RetryOptions, withRetries } from '../client/with-retries.js';
import { type Clock, delayAbort } from '../clock.js';
import { createLocks } from '../config/files.js';
import { getTargetFlags } from '../config/settings.js';
import { resolveTarget, type Target } from '../config/target.js';
import { hashAccount, openFileQuotaStore } from '../quota/file-quota-store.js';
import { createLimitHint, openGate } from '../quota/gate.js';
import { trackIdempotencySupport } from '../quota/idempotency-support.js';
import { deferSignalsOnUpdate, type QuotaStore } from '../quota/quota-state.js';
import type { RedisQuotaStore } from '../quota/redis-quota-store.js';
import type { AppContext, Connection, ConnectionOptions, Connections } from './context.js';
import { readOnlyError } from './read-only.js';
import { openTransport, targetOptions } from './transport.js';
import { openWaits } from './waits.js';

export function openConnections(context: AppContext): Connections {
  const { runtime, settings } = context;
  let connection: OpenConnection | undefined;
  let client: Promise<Client> | undefined;
  /** The options of `open`; undefined for a command that sends one request. */
  let connectionOptions: ConnectionOptions | undefined;
  let isQuotaHidden = false;
  const connect = async (target: Target, options?: ConnectionOptions) => {
    connection = await openConnection(target, context, options);
    context.onClose(connection.close);
    return connection;
  };
  return {
    client: () => {
      client ??= resolveTarget(targetOptions(context)).then(async (target) => (await connect(target)).client);
      return client;
    },
    open: async (options) => {
      connectionOptions = options;
      const opened = await connect(await resolveTarget(targetOptions(context)), options);
      // Between two requests too, a signal must not end the process.
      const release = runtime.deferSignals();
      context.onClose(async () => release());
      return opened;
    },
    clientAt: async (baseUrl, key, label) => {
      const target = { kind: 'remote', label, baseUrl, key, keySource: 'the login' } as const;
      return (await connect(target)).client;
    },
    getReportedQuota: async () => {
      if (!connection || isQuotaHidden) return undefined;
      const { label, quotaState, reportedQuota } = connection;
      // Other processes may have sent requests since the last response.
      if (connectionOptions) await quotaState();
      const quota = reportedQuota();
      return quota && { label, quota };
    },
    hideQuota: () => {
      isQuotaHidden = true;
    },
    checkWriteAllowed: async () => {
      if (settings.readOnly) throw readOnlyError(settings);
    },
    flushQuota: async () => connection?.flushQuota(),
    throwIfAborted: () => {
      if (connection && !connectionOptions?.endsOnSignal) context.signal.throwIfAborted();
    },
  };
}

interface OpenConnection extends Connection {
  /** Resolves once the quota of every response is saved. */
  flushQuota(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the transport to a target and puts middleware and a client in front of it. */
async function openConnection(
  target: Target,
  context: AppContext,
  options: ConnectionOptions = {},
): Promise<OpenConnection> {
  const { runtime, clock, settings } = context;
  const { quota: quotaDirectory } = context.config.paths;
  const { random, redactor, deferSignals } = runtime;
  const { isImport = false, onDiagnostic: warn = context.terminal.warn } = options;
  const signal = options.signal ? AbortSignal.any([context.signal, options.signal]) : context.signal;
  const openLocal = (account: string) =>
    openFileQuotaStore(quotaDirectory, account, createLocks(runtime), (error) =>
      warn(`cannot use the quota state in ${quotaDirectory}: ${(error as Error).message}`),
    );
  const sharedStore = await openMachineSharedStore(target, openLocal, context);
  const transport = await openTransport(target, context, isImport).catch((error) => {
    sharedStore?.close();
    throw error;
  });
  redactor.add(transport.key);
  const quota = createQuotaTracker(clock);
  const waits = openWaits(transport, context, options);
  const serviceFlags = getTargetFlags(context.flags);
  const { maxWaitMs } = settings;
  const limitHint = createLimitHint({ serviceHint: transport.limitHint, maxWaitMs });
  const account = hashAccount(transport.origin, transport.key);
  const store = deferSignalsOnUpdate(sharedStore ?? openLocal(account), deferSignals);
  // Other processes may have used the quota.
  const readState = async () => {
    const state = await store.find();
    quota.refresh(state.quota);
    return state;
  };
  const idempotency = trackIdempotencySupport(store, transport.path, clock);
  const gate = openGate({
    store,
    clock,
    label: transport.label,
    random,
    maxWaitMs,
    limitHint,
    onWait: (obstacle) => {
      void readState();
      return waits.onGateWait(obstacle);
    },
  });
  const inFlight = isImport ? delayAbort(signal, importGraceMs, clock) : undefined;
  const middleware = createMiddleware(context, waits, {
    gate,
    idempotency,
    clock,
    random,
    timeoutMs: settings.timeoutMs,
    maxWaitMs,
    inFlightSignal: inFlight?.signal,
    onRetry: waits.onRetry,
    onQuota: quota.update,
  });
  return {
    client: createClient({
      endpoint: {
        origin: transport.origin,
        basePath: transport.path,
        authorization: `Bearer ${transport.key.reveal()}`,
        userAgent: `petstore-cli/${runtime.version}`,
      },
      send: compose(middleware, transport.send),
      clock,
      signal,
      keySource: transport.keySource,
      serviceFlags,
      limitHint,
      idempotency: { createKey: runtime.createUuid, findSupport: idempotency.findSupport },
      onWarning: warn,
    }),
    reportedQuota: quota.last,
    label: transport.label,
    account,
    dataId: transport.dataId,
    quotaState: async () => {
      await store.flush();
      return readState();
    },
    flushQuota: store.flush,
    close: async () => {
      inFlight?.stop();
      await store.flush();
      sharedStore?.close();
      await transport.close();
    },
  };
}

/**
 * Returns the middleware of a connection, outermost first. The outermost one sees a request first and its response last.
 */
function createMiddleware(context: AppContext, waits: ReturnType<typeof openWaits>, retryOptions: RetryOptions) {
  const { clock, runtime, settings } = context;
  return [
    ...(settings.readOnly ? [withReadOnly(() => readOnlyError(settings))] : []),
    // Around the retries, so that a canceled command knows the outcome of its request.
    withDeferredSignals(runtime.deferSignals),
    // Before each attempt it passes the quota gate. It puts `withDeadline` around each attempt itself, since all
    // attempts share one timeout that excludes the waits between them.
    withRetries(retryOptions),
    // Innermost, so that it shows each attempt but no wait for the quota.
    settings.verbose ? withTrace(waits.trace, clock) : withWaitIndicator(waits.showWaiting),
  ];
}

/** How long a canceled import waits for the responses to its requests in flight, in milliseconds. */
const importGraceMs = 1_000;

/** Stores the latest quota that the service reported, until it expires. */
function createQuotaTracker(clock: Clock) {
  let quota: Quota | undefined;
  let blockedUntil: number | undefined;
  return {
    update: (latest: Quota, until?: number) => {
      quota = mergeQuota(quota, latest);
      blockedUntil = until;
    },
    /** Receives the latest quota that another process may have seen. */
    refresh: (latest: Quota) => {
      quota &&= mergeQuota(quota, latest);
    },
    last: () => {
      // What remains after a block is unknown.
      const isStale = blockedUntil !== undefined && blockedUntil <= clock.now();
      return isStale ? undefined : quota;
    },
  };
}

/** Opens the quota store that machines share, if one is set. The quota of the sandbox is always local. */
async function openMachineSharedStore(
  target: Target,
  openLocal: (account: string) => QuotaStore,
  context: AppContext,
): Promise<RedisQuotaStore | undefined> {
  if (!context.settings.quotaStore || target.kind === 'sandbox') return undefined;
  const account = hashAccount(target.baseUrl.origin, target.key);
  const { openSharedQuotaStore } = await import('./shared-quota-store.js');
  const sharedStore = openSharedQuotaStore(account, openLocal(account), context);
  sharedStore.prefetch();
  return sharedStore;
}
