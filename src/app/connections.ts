import type { Quota } from '../api/rate-limit-headers.js';
import { type Client, createClient, type SendOptions } from '../client/client.js';
import { createLimitHint } from '../client/limit-hint.js';
import { compose, withReadOnly, withSignal } from '../client/middleware.js';
import { withDeadline } from '../client/with-deadline.js';
import { withQuota } from '../client/with-quota.js';
import { withRetries } from '../client/with-retries.js';
import { withSpinner, withTrace } from '../client/with-trace.js';
import { delayAbort } from '../clock.js';
import { getTargetFlags } from '../config/settings.js';
import { resolveTarget, type Target } from '../config/target.js';
import { findSupport } from '../quota/idempotency-support.js';
import { findPrintedQuota, type QuotaState } from '../quota/quota-state.js';
import { hashAccount } from '../quota/quota-store.js';
import type { AppContext, Connection, ConnectionOptions, Connections } from './context.js';
import { openStore } from './quota.js';
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
      // The import and the screen report what became of their requests.
      runtime.holdEnd(new Promise<void>((resolve) => context.onClose(async () => resolve())));
      return opened;
    },
    clientAt: async (baseUrl, key, label) => {
      const target = { kind: 'remote', label, baseUrl, key, keySource: 'the login' } as const;
      return (await connect(target)).client;
    },
    getReportedQuota: async () => {
      if (!connection || isQuotaHidden) return undefined;
      const { label, quotaState, flushQuota, reportedQuota } = connection;
      // Other processes may have sent requests since the last response.
      await (connectionOptions ? quotaState() : flushQuota());
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

/** The number of permits that this process has asked for. */
let permits = 0;

/** How long a canceled import waits for the responses to its requests in flight, in milliseconds. */
const importGraceMs = 1_000;

/** Opens the transport to a target, and puts middleware and a client in front of it. */
async function openConnection(
  target: Target,
  context: AppContext,
  options: ConnectionOptions = {},
): Promise<OpenConnection> {
  const { runtime, clock, settings } = context;
  const { isImport = false, onDiagnostic: warn = context.terminal.warn } = options;
  const signal = options.signal ? AbortSignal.any([context.signal, options.signal]) : context.signal;
  const transport = await openTransport(target, context);
  const { label, origin, path: basePath, key } = transport;
  runtime.redactor.add(key);
  const account = hashAccount(origin, key);
  const store = await openStore(account, target.kind, context, warn);
  const quota = createQuotaView(context);
  const waits = openWaits(transport, context, options);
  const serviceFlags = getTargetFlags(settings);
  const { timeoutMs, maxWaitMs } = settings;
  const limitHint = createLimitHint({ serviceHint: transport.limitHint, maxWaitMs, serviceFlags });
  const findProof = async () => findSupport(await store.read(), basePath, clock.now());
  const inFlight = isImport ? delayAbort(signal, importGraceMs, clock) : undefined;
  const { random, createUuid } = runtime;
  // Loading node:crypto for a UUID would take 6 % of `pets list`.
  const createId = () => `${random().toString(36).slice(2)}-${++permits}`;
  const quotaOptions = {
    ...{ store, clock, random, createId, label, basePath, timeoutMs, maxWaitMs, limitHint },
    onWait: waits.onQuotaWait,
    onQuota: quota.update,
  };
  const retryOptions = { clock, random, timeoutMs, maxWaitMs, findSupport: findProof, onRetry: waits.onRetry };
  /** Lists the middleware, outermost first: it sees a request first and its outcome last. */
  const listMiddleware = (policy: SendOptions) => [
    ...(settings.readOnly ? [withReadOnly(() => readOnlyError(settings))] : []),
    ...(policy.once ? [] : [withRetries(retryOptions)]),
    withQuota(quotaOptions, policy),
    ...(policy.observe ? [policy.observe] : []),
    ...(inFlight ? [withSignal(inFlight.signal)] : []),
    withDeadline({ timeoutMs, clock }),
    // Innermost, so that it shows each attempt but no wait for the quota.
    settings.verbose ? withTrace(waits.trace, clock) : withSpinner(waits.showWaiting),
  ];
  const authorization = `Bearer ${key.reveal()}`;
  return {
    client: createClient({
      endpoint: { origin, basePath, authorization, userAgent: `petstore-cli/${runtime.version}` },
      open: (policy) => compose(listMiddleware(policy), transport.send),
      clock,
      signal,
      keySource: transport.keySource,
      serviceFlags,
      limitHint,
      idempotency: { createKey: createUuid, findSupport: findProof },
      onWarning: warn,
    }),
    reportedQuota: quota.last,
    label,
    account,
    dataId: transport.dataId,
    quotaState: async () => quota.refresh(await store.read()),
    flushQuota: store.flush,
    close: async () => {
      inFlight?.stop();
      await store.close();
      await transport.close();
    },
  };
}

/** Holds the latest quota state, once a response has reported a quota. */
function createQuotaView({ clock }: AppContext) {
  let latest: QuotaState | undefined;
  return {
    update: (state: QuotaState) => {
      latest = state;
    },
    /** Receives a state that another process may have changed. */
    refresh: (state: QuotaState) => {
      latest &&= state;
      return state;
    },
    last: (): Quota | undefined => latest && findPrintedQuota(latest, clock.now()),
  };
}
