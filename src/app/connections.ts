import { mergeQuota, type Quota } from '../api/rate-limit-headers.js';
import { type Client, createClient } from '../client/client.js';
import { compose, withDeferredSignals, withTrace, withWaitIndicator } from '../client/middleware.js';
import { withRetries } from '../client/with-retries.js';
import { type Clock, delayAbort } from '../clock.js';
import { createLocks } from '../config/lock.js';
import { sandboxOrigin } from '../config/profile.js';
import { resolveTarget, type Target } from '../config/target.js';
import { hashAccount, openFileLedger } from '../quota/file-ledger.js';
import { createLimitHint, openGate } from '../quota/gate.js';
import { trackIdempotencySupport } from '../quota/idempotency-support.js';
import { emptyLedgerEntry, type Ledger, type LedgerEntry } from '../quota/ledger.js';
import type { RedisLedger } from '../quota/redis-ledger.js';
import type { AppContext, Connection, ConnectionOptions, Connections } from './context.js';
import type { Runtime } from './runtime.js';
import { openTransport, targetFlags, targetOptions } from './transport.js';
import { openWaits } from './waits.js';

export function openConnections(context: AppContext): Connections {
  const { runtime, settings } = context;
  let connection: OpenConnection | undefined;
  let client: Promise<Client> | undefined;
  let endsOnSignal = false;
  let isQuotaHidden = false;
  const connect = async (target: Target, options?: ConnectionOptions) => {
    connection = await openConnection(target, context, options);
    context.onClose(connection.close);
    return connection;
  };
  return {
    client: () => {
      client ??= settings.curl
        ? import('./curl.js').then(({ openCurlClient }) => openCurlClient(context))
        : resolveTarget(targetOptions(context)).then(async (target) => (await connect(target)).client);
      return client;
    },
    open: async (options) => {
      if (settings.curl && options.isImport) {
        throw (await import('./curl.js')).importNotPreviewable();
      }
      endsOnSignal = options.endsOnSignal ?? false;
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
    reached: () => {
      const quota = connection?.reportedQuota();
      return connection && quota && !isQuotaHidden ? { label: connection.label, quota } : undefined;
    },
    hideQuota: () => {
      isQuotaHidden = true;
    },
    settled: async () => connection?.settled(),
    throwIfAborted: () => {
      if (connection && !endsOnSignal) context.signal.throwIfAborted();
    },
  };
}

/** Returns the ledger entry of the account in use. It is empty if no request could be sent. */
export async function findLastQuota(context: AppContext): Promise<LedgerEntry> {
  const { runtime, settings, config } = context;
  const { baseUrl, key, problem } = await config.account();
  if (!key || problem) return emptyLedgerEntry;
  const origin = baseUrl === undefined ? sandboxOrigin : config.parseBaseUrl(baseUrl).origin;
  const account = hashAccount(origin, key);
  const local = openFileLedger(config.paths.quota, account, createLocks(runtime), () => {});
  if (!settings.ledger || baseUrl === undefined) return local.find();
  const { openSharedLedger } = await import('./redis-ledger.js');
  const sharedLedger = openSharedLedger(account, local, context);
  try {
    return await sharedLedger.find();
  } finally {
    sharedLedger.close();
  }
}

interface OpenConnection extends Connection {
  /** Resolves once the quota of every response is saved. */
  settled(): Promise<void>;
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
    openFileLedger(quotaDirectory, account, createLocks(runtime), (error) =>
      warn(`cannot save the quota state in ${quotaDirectory}: ${(error as Error).message}`),
    );
  const redisLedger = await openMachineSharedLedger(target, openLocal, context);
  const transport = await openTransport(target, context, isImport).catch((error) => {
    redisLedger?.close();
    throw error;
  });
  redactor.add(transport.key);
  const quota = createQuotaTracker(clock);
  const waits = openWaits(transport, context, options);
  const limitHint = createLimitHint(transport.limitHint, settings.maxWaitMs);
  const account = hashAccount(transport.origin, transport.key);
  const ledger = deferSignalsOnUpdate(redisLedger ?? openLocal(account), deferSignals);
  const idempotency = trackIdempotencySupport(ledger, transport.path, clock);
  const lease = isImport && (await import('../quota/lease.js')).leaseLedger(ledger, clock);
  const gate = openGate({
    ledger: lease || ledger,
    clock,
    random,
    maxWaitMs: settings.maxWaitMs,
    limitHint,
    onWait: waits.onGateWait,
  });
  const inFlight = isImport ? delayAbort(signal, importGraceMs, clock) : undefined;
  // The first middleware is outermost: it sees a request first and its response last.
  const middleware = [
    // Outermost, so that a canceled command knows the outcome of its request, retries included.
    withDeferredSignals(deferSignals),
    // Before each attempt it passes the quota gate. It puts `withDeadline` around each attempt itself, since all
    // attempts share one timeout that excludes the waits between them.
    withRetries({
      gate,
      idempotency,
      clock,
      random,
      timeoutMs: settings.timeoutMs,
      maxWaitMs: settings.maxWaitMs,
      inFlightSignal: inFlight?.signal,
      onRetry: waits.onRetry,
      onQuota: quota.update,
    }),
    // Innermost, so that it shows each attempt but no wait for the quota.
    settings.verbose ? withTrace(waits.trace) : withWaitIndicator(waits.showWaiting),
  ];
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
      serviceFlags: () => targetFlags(transport.origin + transport.path, { settings, env: runtime.env }),
      limitHint,
      idempotency: { createKey: runtime.createUuid, findSupport: idempotency.findSupport },
      onWarning: warn,
    }),
    reportedQuota: quota.last,
    label: transport.label,
    account,
    dataId: transport.dataId,
    ledgerEntry: async () => {
      await ledger.flush();
      return ledger.find();
    },
    settled: ledger.flush,
    close: async () => {
      inFlight?.stop();
      await ledger.flush();
      if (lease) await lease.release();
      redisLedger?.close();
      await transport.close();
    },
  };
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
    last: () => {
      // What remains after a block is unknown.
      const isStale = blockedUntil !== undefined && blockedUntil <= clock.now();
      return isStale ? undefined : quota;
    },
  };
}

/** Opens the ledger that machines share, if one is set. The quota of the sandbox is always local. */
async function openMachineSharedLedger(
  target: Target,
  openLocal: (account: string) => Ledger,
  context: AppContext,
): Promise<RedisLedger | undefined> {
  if (!context.settings.ledger || target.kind === 'sandbox') return undefined;
  const account = hashAccount(target.baseUrl.origin, target.key);
  const { openSharedLedger } = await import('./redis-ledger.js');
  const redisLedger = openSharedLedger(account, openLocal(account), context);
  redisLedger.prefetch();
  return redisLedger;
}

/** Postpones signals until the ledger is written and its lock is released. */
function deferSignalsOnUpdate(ledger: Ledger, deferSignals: Runtime['deferSignals']): Ledger {
  return {
    ...ledger,
    update: async (edit) => {
      const release = deferSignals();
      try {
        return await ledger.update(edit);
      } finally {
        release();
      }
    },
  };
}
