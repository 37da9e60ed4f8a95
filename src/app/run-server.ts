import { join } from 'node:path';
import { isLoopback } from '../api/http.js';
import { versionSegment } from '../api/operations.js';
import { clockFrom } from '../clock.js';
import { readApiKeyFile } from '../config/api-key.js';
import { Secret } from '../config/secret.js';
import { Failure, usageError } from '../failure.js';
import { toSafeText } from '../format/safe-text.js';
import { startServer } from '../server/start-server.js';
import type { AppContext } from './context.js';
import { resolveDatabaseLocation, toDatabaseFailure } from './database.js';
import type { ServeOptions, StartedServer } from './server-control.js';

/** Runs a server until a signal ends the command. */
export async function runServer(options: ServeOptions, context: AppContext): Promise<StartedServer> {
  const { runtime, clock, settings, config, signal } = context;
  const { terminal, redactor, deferSignals } = runtime;
  const key = options.apiKeyFile === undefined ? undefined : readApiKeyFile(options.apiKeyFile, '--api-key-file');
  if (key) redactor.add(key);
  const { path: database, displayName } = resolveDatabaseLocation(options.database, config.paths, redactor);
  if (options.host === '')
    throw usageError('invalid_flag', '--host must name an address', 'pass an address such as 127.0.0.1');
  if (!isLoopback(options.host)) {
    context.terminal.warn(`the server accepts unencrypted requests from other machines at ${options.host}`);
  }
  const log = await terminal.openLog();
  const server = await startServer({
    database,
    host: options.host,
    port: options.port,
    key: key?.reveal(),
    limits: { perMinute: options.perMinute, perDay: options.perDay },
    plan: options.plan,
    clock: options.clock === undefined ? clock : clockFrom(options.clock, clock),
    nodeVersion: runtime.nodeVersion,
    allowedHosts: options.allowHost ?? [],
    faults: options.fault?.faults ?? [],
    seed: options.fault?.seed ?? Math.floor(runtime.random() * 2 ** 32),
    latencyMs: options.latency ?? 0,
    metrics: options.metrics ?? false,
    docsDirectory: join(runtime.packageDirectory, 'dist/docs'),
    onError: (error) => {
      const { message, stack } = error as Error;
      const text = settings.debug ? (stack ?? message) : message;
      log.writeLine(`error: ${toSafeText(text, { multiline: settings.debug })}`);
    },
    log: (line) => {
      if (!settings.quiet) log.writeLine(toSafeText(redactKeyInPath(line)));
    },
  }).catch((error: unknown) => {
    throw listenFailure(error, options) ?? toDatabaseFailure(error);
  });
  const release = deferSignals();
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= server.close().finally(release);
    return closing;
  };
  context.onClose(close);
  const newKey = server.newKey === undefined ? undefined : new Secret(server.newKey);
  if (newKey) redactor.add(newKey);
  return {
    baseUrl: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${server.port}${versionSegment}`,
    ...(newKey && { apiKey: newKey }),
    keyPrefix: server.keyPrefix,
    limits: server.limits,
    database: displayName,
    ended: onceAborted(signal).then(close),
    close,
  };
}

function onceAborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', resolve, { once: true });
  });
}

/** Hides a path that contains an API key. The server knows only digests, so the key is recognized by its shape. */
function redactKeyInPath(line: string): string {
  return /(p|%70)(e|%65)(t|%74)(s|%73)(_|%5f)[^ ]{20}/i.test(line)
    ? line.replace(/ [^ ]* (?=[^ ]* [0-9]+ ms$)/, ' [redacted] ')
    : line;
}

function listenFailure(error: unknown, { host, port }: ServeOptions): Failure | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo' && syscall !== 'bind') return undefined;
  const place = `${host}:${port}`;
  const [message, hint] =
    code === 'EADDRINUSE'
      ? [`${place} is already in use`, 'pass another --port, or --port 0 for any free port']
      : code === 'EACCES'
        ? [
            `this user has no permission to listen on ${place}`,
            'pass a --port from 1024 to 65535, or --port 0 for any free port',
          ]
        : [`cannot listen on ${place} (${code})`, 'check that --host is an address of this machine'];
  return new Failure('system', { code: 'cannot_listen', message, hint, cause: error });
}
