import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isLoopback } from '../api/http.js';
import { versionSegment } from '../api/operations.js';
import { type Clock, clockFrom } from '../clock.js';
import { readApiKeyFile } from '../config/api-key.js';
import { Secret } from '../config/secret.js';
import type { Settings } from '../config/settings.js';
import { Failure, usageError } from '../failure.js';
import { formatNumber } from '../format/duration.js';
import { formatLogLine, type LogEntry } from '../server/format-log-line.js';
import { isUnspecified, toUrlHost } from '../server/host-check.js';
import { trustProxies } from '../server/listener.js';
import type { ServeFlags } from '../server/server-options.js';
import { startServer } from '../server/start-server.js';
import { locateDatabase } from './database.js';
import type { Parts } from './parts.js';
import type { Runtime } from './runtime.js';

/** Runs a server until a signal ends the command. */
export async function runServer(options: ServeFlags, { runtime, settings, terminal, config, onClose }: Parts) {
  const { redactor } = runtime;
  const clock = options.clock === undefined ? runtime.clock : clockFrom(options.clock, runtime.clock);
  const log = await openLog(options, settings, clock, runtime);
  const warn = (message: string) => {
    if (options.log === 'json') log({ time: clock.now(), level: 'warning', message });
    else terminal.warn(message);
  };
  const key = options.apiKeyFile === undefined ? undefined : readKey(options.apiKeyFile, runtime, warn);
  const { path: database, displayName } = locateDatabase(options, true, config.paths, redactor);
  if (options.host === '')
    throw usageError('invalid_flag', '--host must name an address', 'pass an address such as 127.0.0.1');
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
    isTrustedProxy: trustProxies(options.trustProxy ?? []),
    onError: (error, requestId) => {
      const { message: summary, stack = summary } = error as Error;
      const message = settings.verbose ? stack : summary;
      log({ time: clock.now(), level: 'error', message, requestId });
    },
    log,
  }).catch((error: unknown) => {
    throw listenFailure(error, options) ?? error;
  });
  const newKey = server.newKey === undefined ? undefined : new Secret(server.newKey);
  if (newKey) redactor.add(newKey);
  const shutDown = async () => {
    if (options.drain > 0) {
      server.startDraining();
      const message = `draining for ${options.drain / 1000} s: GET /readyz responds with 503`;
      log({ time: clock.now(), level: 'info', message });
      await clock.sleep(options.drain);
    }
    return server.close();
  };
  const { signal } = runtime;
  const ended = (signal.aborted ? Promise.resolve() : once(signal, 'abort')).then(shutDown);
  runtime.holdEnd(ended);
  onClose(() => (signal.aborted ? ended : server.close()));
  if (key && server.keyProblem)
    warn(`the API key in --api-key-file ${server.keyProblem}: requests with this key get 401`);
  // Clients cannot send to `0.0.0.0` and `::`.
  const localHost = options.host === '::' ? '::1' : '127.0.0.1';
  const origin = `http://${toUrlHost(isUnspecified(options.host) ? localHost : options.host)}`;
  return {
    baseUrl: `${origin}:${server.port}${versionSegment}`,
    metricsUrl: server.metricsPort === undefined ? undefined : `${origin}:${server.metricsPort}/metrics`,
    /** The API key, if this start created one. */
    apiKey: newKey,
    /** The first characters of the API key in the database. */
    keyPrefix: server.keyPrefix,
    /** The limits of that key. */
    limits: server.limits,
    /** The path or URL without its password. */
    database: displayName,
    /** Resolves after shutdown: no request in flight, the database closed. */
    ended,
  };
}

/** Reads the API key of a file. Warns if every user can read it; a group may, such as that of a service. */
function readKey(path: string, { userId, redactor }: Runtime, warn: (message: string) => void): Secret {
  const key = readApiKeyFile(path, '--api-key-file', userId);
  redactor.add(key);
  const stats = statSync(path);
  // On Windows, the mode has no meaning.
  if (userId !== undefined && stats.isFile() && (stats.mode & 0o004) !== 0) {
    warn(`every user of this machine can read the API key in --api-key-file (${path})`);
  }
  return key;
}

/** Opens the log of a server on stderr. The format `none` and `--quiet` leave only errors. */
async function openLog(
  { log: format }: ServeFlags,
  { quiet }: Settings,
  clock: Clock,
  { terminal, redactor }: Runtime,
): Promise<(entry: LogEntry) => void> {
  const isDisabled = format === 'none' || quiet;
  const lineOptions = { format: format === 'json' ? format : 'text', redact: redactor.redact } as const;
  const writeLine = await terminal.openLog((count) => {
    const lines = `${formatNumber(count)} log ${count === 1 ? 'line' : 'lines'}`;
    const message = `dropped ${lines}, because nothing read them in time`;
    return formatLogLine({ time: clock.now(), level: 'warning', message }, lineOptions);
  });
  return (entry) => {
    if (isDisabled && !('message' in entry && entry.level === 'error')) return;
    writeLine(formatLogLine(entry, lineOptions));
  };
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
