import type { Quota } from '../api/rate-limit-headers.js';
import { type Client, createClient } from '../client/client.js';
import { findProxy } from '../client/find-proxy.js';
import { compose, type Middleware, withReadOnly, withSignal } from '../client/middleware.js';
import { withDeadline } from '../client/with-deadline.js';
import { type OnWait, type QuotaPolicy, withQuota } from '../client/with-quota.js';
import { type RetryOptions, withRetries } from '../client/with-retries.js';
import { withSpinner, withTrace } from '../client/with-trace.js';
import { type Clock, delayAbort } from '../clock.js';
import type { BaseUrl } from '../config/base-url.js';
import type { Secret } from '../config/secret.js';
import { getTargetFlags, type Settings } from '../config/settings.js';
import type { Target } from '../config/target.js';
import { formatDuration } from '../format/duration.js';
import { toSafeText } from '../format/safe-text.js';
import { wrapMessage } from '../format/wrap.js';
import { findSupport } from '../quota/idempotency-support.js';
import type { QuotaState } from '../quota/quota-state.js';
import { hashAccount } from '../quota/quota-store.js';
import { formatQuota } from '../quota/rate-limit-info.js';
import type { CommandTerminal } from './command-terminal.js';
import type { Parts } from './parts.js';
import { openStore } from './quota.js';
import { readOnlyError } from './read-only.js';

/** Where a connection shows what it waits for, its warnings and its trace. */
export interface ConnectionDisplay extends Pick<CommandTerminal, 'countDown' | 'startWork'> {
  readonly warn: (text: string) => void;
  /** Prints a line about a request or response. */
  readonly errorLine: (text: string) => void;
}

interface ConnectionOptions {
  /** Shows waits and warnings elsewhere than the terminal does. */
  readonly display?: Partial<ConnectionDisplay>;
  /** Set for an import, which waits for the responses to its requests in flight if it is canceled. */
  readonly isImport?: boolean;
}

/** A connection to one service with one API key. */
export type Connection = Awaited<ReturnType<typeof openConnection>>;

/** Returns functions that open connections; nothing is loaded or opened before. */
export function createConnections(parts: Parts) {
  let client: Promise<Client> | undefined;
  let reported: { readonly label: string; readonly state: QuotaState } | undefined;
  const report = (label: string, state: QuotaState) => {
    reported = { label, state };
  };
  /** Opens a connection to the service that settings, profile and credentials select. */
  const connect = async (options: ConnectionOptions = {}) =>
    openConnection(await parts.config.resolveTarget(), parts, options, report);
  return {
    connect,
    /** Returns the client of a connection that is opened once. */
    client: () => {
      client ??= connect().then((connection) => connection.client);
      return client;
    },
    /** Opens a connection to a base URL with an API key that is not stored yet. */
    clientAt: async (baseUrl: BaseUrl, key: Secret, label: string) => {
      const target = { kind: 'remote', label, baseUrl, key, keySource: 'the login' } as const;
      return (await openConnection(target, parts, {}, report)).client;
    },
    /** Prints the service that responded last, and its quota. Call it when the connections are closed. */
    printQuota: async () => {
      // During a pause, the failure says when it ends. What remains afterwards is unknown.
      if (reported && !reported.state.block && !parts.settings.quiet) {
        await printQuota(reported.label, reported.state.quota, parts);
      }
    },
  };
}

/** How long a canceled import waits for the responses to its requests in flight, in milliseconds. */
const importGraceMs = 1_000;

/** The number of permits that this process has asked for. */
let permits = 0;

/** Opens the transport to a target, and puts middleware and a client in front of it. */
async function openConnection(
  target: Target,
  parts: Parts,
  { display: ownDisplay, isImport = false }: ConnectionOptions,
  onQuota: (label: string, state: QuotaState) => void,
) {
  const { runtime, settings, onClose } = parts;
  const { clock, random, createUuid, signal, redactor } = runtime;
  const { timeoutMs, maxWaitMs } = settings;
  const { warn, errorLine, countDown, startWork } = parts.terminal;
  const display: ConnectionDisplay = { warn, errorLine, countDown, startWork, ...ownDisplay };
  const transport =
    target.kind === 'remote'
      ? await openNetwork(target, parts)
      : await (await import('./sandbox.js')).openSandboxTransport(parts);
  const { label, origin, path: basePath, key } = transport;
  redactor.add(key);
  const account = hashAccount(origin, key);
  const store = await openStore(account, target.kind, parts, display.warn);
  const findProof = async () => findSupport(await store.read(), basePath, clock.now());
  const inFlight = isImport ? delayAbort(signal, importGraceMs, clock) : undefined;
  let hasReported = false;
  onClose(async () => {
    inFlight?.stop();
    await store.flush();
    // Other processes may have sent requests since the last response.
    if (hasReported) onQuota(label, await store.read());
    await store.close();
    await transport.close?.();
  });
  // Loading node:crypto for a UUID would take 6 % of `pets list`.
  const createId = () => `${random().toString(36).slice(2)}-${++permits}`;
  const quotaOptions = {
    store,
    clock,
    random,
    createId,
    basePath,
    timeoutMs,
    maxWaitMs,
    onWait: showWaits(display),
    onQuota: () => {
      hasReported = true;
    },
  };
  const onRetry = showRetries(display, settings, clock);
  const retryOptions = { clock, random, timeoutMs, maxWaitMs, findSupport: findProof, onRetry };
  /** Lists the middleware, outermost first: it sees a request first and its outcome last. */
  const listMiddleware = (policy: QuotaPolicy, inner: readonly Middleware[]) => [
    ...(settings.readOnly ? [withReadOnly] : []),
    ...(policy.once ? [] : [withRetries(retryOptions)]),
    withQuota(quotaOptions, policy),
    ...inner,
    ...(inFlight ? [withSignal(inFlight.signal)] : []),
    withDeadline({ timeoutMs, clock }),
    // Innermost, so that it shows each attempt but no wait for the quota.
    settings.verbose
      ? withTrace(display.errorLine, clock)
      : withSpinner((host) => display.startWork(`Waiting for ${host}`)),
  ];
  const authorization = `Bearer ${key.reveal()}`;
  const client = createClient({
    endpoint: { origin, basePath, authorization, userAgent: `petstore-cli/${runtime.version}` },
    open: (policy, inner) => compose(listMiddleware(policy, inner), transport.send),
    clock,
    signal,
    label,
    serviceFlags: getTargetFlags(settings),
    keySource: transport.keySource,
    maxWaitMs,
    limitHint: transport.limitHint,
    createReadOnlyError: () => readOnlyError(settings),
    idempotency: { createKey: createUuid, findSupport: findProof },
    onWarning: display.warn,
  });
  return {
    client,
    /** The service's name in messages about the quota. */
    label,
    /** A digest of origin and API key. */
    account,
    /** Returns the id of the data in the sandbox, which changes with each reset; undefined for other services. */
    dataId: transport.dataId,
    /** Returns the quota state, which other processes update too. */
    quotaState: store.read,
  };
}

/** Returns a function that shows the waits for the quota. */
function showWaits({ countDown, startWork }: ConnectionDisplay): OnWait {
  return ({ reason, endsAt }) => {
    if (reason === 'probe-in-flight') return startWork('Waiting for another petstore process');
    return countDown(endsAt, reason === 'leave' ? 'to leave half of the quota' : 'for the quota');
  };
}

/** Returns a function that shows the waits before retries. */
function showRetries(
  { errorLine, countDown, startWork }: ConnectionDisplay,
  { verbose }: Settings,
  clock: Clock,
): RetryOptions['onRetry'] {
  return ({ waitSource, delayMs, reason, maxRetries }, retries) => {
    // The quota shows its own waits.
    const isShown = waitSource !== 'quota';
    if (verbose) {
      const when = isShown ? ` in ${formatDuration(delayMs)}` : '';
      errorLine(`* ${reason}; retrying${when} (${retries} of at most ${maxRetries})`);
    }
    if (!isShown) return () => {};
    return waitSource === 'service' ? countDown(clock.now() + delayMs, `to retry (${reason})`) : startWork('Retrying');
  };
}

async function openNetwork(
  { label, baseUrl, key, keySource }: Extract<Target, { kind: 'remote' }>,
  { runtime, terminal }: Parts,
) {
  if (baseUrl.warning !== undefined) terminal.warn(baseUrl.warning);
  const { origin, path } = baseUrl;
  const proxy = findProxy(baseUrl, runtime.env);
  const { compileParserEagerly, connectDirectly, createSender } = await import('../client/send.js');
  const wrapConnector = await compileParserEagerly(runtime.nodeVersion);
  const connectThrough = proxy && (await import('../client/proxy-connection.js')).connectThrough;
  const send = createSender((origin) =>
    proxy && connectThrough ? connectThrough(proxy, wrapConnector) : connectDirectly(origin, wrapConnector),
  );
  const dataId = async () => undefined;
  return { label, origin, path, key, keySource, limitHint: undefined, dataId, send, close: undefined };
}

async function printQuota(label: string, given: Quota, { runtime, settings }: Parts): Promise<void> {
  const { clock, terminal } = runtime;
  const quota = formatQuota(given, clock.now());
  if (quota === undefined) return;
  const { stderr, createStyle } = terminal;
  const style = await createStyle('stderr', settings.color);
  const line = toSafeText(`${label} · ${quota}`);
  const text = stderr.columns === undefined ? line : wrapMessage(line, stderr.columns).trimEnd();
  await stderr.write(`${style.dim(text)}\n`);
}
