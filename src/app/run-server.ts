import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isLoopback } from '../api/http.js';
import { versionSegment } from '../api/operations.js';
import { type Clock, clockFrom } from '../clock.js';
import { readApiKeyFile } from '../config/api-key.js';
import { Secret } from '../config/secret.js';
import { Failure, usageError } from '../failure.js';
import { isUnspecified, toUrlHost } from '../server/host-check.js';
import type { ServeFlags } from '../server/server-options.js';
import { type RunningServer, startServer } from '../server/start-server.js';
import { type IsTrustedProxy, trustProxies } from '../server/trusted-proxies.js';
import type { AppContext } from './context.js';
import { prepareDatabaseDirectory, resolveDatabaseLocation } from './database.js';
import type { StartedServer } from './server-control.js';
import { openServerLog, type ServerLog } from './server-log.js';

/** Runs a server until a signal ends the command. */
export async function runServer(options: ServeFlags, context: AppContext): Promise<StartedServer> {
  const { runtime, settings, config, signal } = context;
  const { redactor } = runtime;
  const clock = options.clock === undefined ? context.clock : clockFrom(options.clock, context.clock);
  const log = await openServerLog(options.log, clock, context);
  const warn = (message: string) => {
    if (options.log === 'json') log.write({ time: clock.now(), level: 'warning', message });
    else context.terminal.warn(message);
  };
  for (const warning of config.warnings) warn(warning);
  if ('Bun' in globalThis) {
    warn(
      'Node.js is recommended for servers: this executable responds more slowly and does not disconnect slow clients',
    );
  }
  const key =
    options.apiKeyFile === undefined ? undefined : readApiKeyFile(options.apiKeyFile, '--api-key-file', runtime.userId);
  if (key) redactor.add(key);
  const { path: database, displayName } = resolveDatabaseLocation(options, config.paths, redactor);
  prepareDatabaseDirectory(database, config.paths);
  if (options.host === '')
    throw usageError('invalid_flag', '--host must name an address', 'pass an address such as 127.0.0.1');
  const isTrustedProxy = parseTrustedProxies(options);
  if (options.apiKeyFile !== undefined) warnOfReadableKey(options.apiKeyFile, runtime.platform, warn);
  if (!isLoopback(options.host)) {
    warn(`the server accepts unencrypted requests from other machines at ${options.host}`);
  }
  const server = await startServer({
    ...options,
    seed: Math.floor(runtime.random() * 2 ** 32),
    nodeVersion: runtime.nodeVersion,
    docsDirectory: join(runtime.packageDirectory, 'dist/docs'),
    database,
    key: key?.reveal(),
    clock,
    isTrustedProxy,
    onError: (error, requestId) => {
      const { message: summary, stack = summary } = error as Error;
      const message = settings.verbose ? stack : summary;
      log.write({ time: clock.now(), level: 'error', message, requestId });
    },
    log: log.write,
  }).catch((error: unknown) => {
    throw listenFailure(error, options) ?? error;
  });
  const newKey = server.newKey === undefined ? undefined : new Secret(server.newKey);
  if (newKey) redactor.add(newKey);
  const { close, shutDown } = createShutdown(server, { drainMs: options.drain, clock, log });
  const ended = onceAborted(signal).then(shutDown);
  runtime.holdEnd(ended);
  context.onClose(close);
  if (key && server.keyProblem)
    warn(`the API key in --api-key-file ${server.keyProblem}: requests with this key get 401`);
  // Clients cannot send to `0.0.0.0` and `::`.
  const localHost = options.host === '::' ? '::1' : '127.0.0.1';
  const origin = `http://${toUrlHost(isUnspecified(options.host) ? localHost : options.host)}`;
  return {
    baseUrl: `${origin}:${server.port}${versionSegment}`,
    ...(server.metricsPort !== undefined && { metricsUrl: `${origin}:${server.metricsPort}/metrics` }),
    ...(newKey && { apiKey: newKey }),
    keyPrefix: server.keyPrefix,
    limits: server.limits,
    database: displayName,
    ended,
  };
}

/** Warns if every user of this machine can read the API key in a file. A group may read it, such as that of a service. */
function warnOfReadableKey(path: string, platform: string, warn: (message: string) => void): void {
  // On Windows, the mode has no meaning.
  if (platform === 'win32') return;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isFile() && (stats.mode & 0o004) !== 0) {
    warn(`every user of this machine can read the API key in --api-key-file (${path})`);
  }
}

function parseTrustedProxies({ trustProxy = [] }: ServeFlags): IsTrustedProxy {
  const isTrustedProxy = trustProxies(trustProxy);
  if (isTrustedProxy) return isTrustedProxy;
  throw usageError(
    'invalid_flag',
    '--trust-proxy must be an IP address or a network in CIDR notation',
    'pass a value such as --trust-proxy 10.0.0.0/8 or --trust-proxy ::1',
  );
}

interface ShutdownOptions {
  readonly drainMs: number;
  readonly clock: Clock;
  readonly log: ServerLog;
}

/** Returns a function that closes a server once, and another that drains the server first. */
function createShutdown(server: RunningServer, { drainMs, clock, log }: ShutdownOptions) {
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= server.close();
    return closing;
  };
  const shutDown = async () => {
    if (drainMs > 0) {
      server.startDraining();
      const message = `draining for ${drainMs / 1000} s: GET /readyz responds with 503`;
      log.write({ time: clock.now(), level: 'info', message });
      await clock.sleep(drainMs);
    }
    return close();
  };
  return { close, shutDown };
}

function onceAborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', resolve, { once: true });
  });
}

function listenFailure(error: unknown, { host, port, metricsPort }: ServeFlags): Failure | undefined {
  const { code, syscall, port: failedPort = port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (syscall !== 'listen' && syscall !== 'getaddrinfo' && syscall !== 'bind') return undefined;
  const place = `${host}:${failedPort}`;
  const flag = failedPort === metricsPort ? '--metrics-port' : '--port';
  const [message, hint] =
    code === 'EADDRINUSE'
      ? [`${place} is already in use`, `pass another ${flag}, or ${flag} 0 for any free port`]
      : code === 'EACCES'
        ? [
            `this user has no permission to listen on ${place}`,
            `pass a ${flag} from 1024 to 65535, or ${flag} 0 for any free port`,
          ]
        : [`cannot listen on ${place} (${code})`, 'check that --host is an address of this machine'];
  return new Failure('system', { code: 'cannot_listen', message, hint, cause: error });
}
