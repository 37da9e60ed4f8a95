import { isLoopback } from '../api/http.js';
import { versionSegment } from '../api/operations.js';
import { resolveLimits } from '../api/plan.js';
import { clockFrom } from '../clock.js';
import { readApiKeyFile } from '../config/api-key.js';
import { Secret } from '../config/secret.js';
import { Failure, usageError } from '../failure.js';
import { toSafeText } from '../format/safe-text.js';
import { startServer } from '../server/start-server.js';
import type { AppContext } from './context.js';
import { toDatabaseFailure } from './database-failure.js';
import { resolveDatabaseLocation } from './database-place.js';
import type { ServeOptions, StartedServer } from './serve-types.js';

/** Runs the store on a socket until the command is ended. */
export async function runServer(
  options: ServeOptions,
  context: AppContext,
): Promise<StartedServer> {
  const { runtime, clock, settings, config, signal } = context;
  const { terminal, redactor, deferSignals } = runtime;
  const key =
    options.apiKeyFile === undefined
      ? undefined
      : readApiKeyFile(options.apiKeyFile, '--api-key-file');
  if (key) redactor.add(key);
  const { path: database, shown } = resolveDatabaseLocation(
    options.database,
    config.paths,
    redactor,
  );
  if (options.host === '') throw usageError('invalid_flag', '--host must name an address');
  if (!isLoopback(options.host)) {
    context.terminal.warn(
      `the store can be reached by others at ${options.host}, without encryption`,
    );
  }
  const serving = await startServer({
    database,
    host: options.host,
    port: options.port,
    key: key?.reveal(),
    limits: options.plan && resolveLimits(options.plan, options),
    plan: options.plan,
    clock: options.clock === undefined ? clock : clockFrom(options.clock, clock),
    nodeVersion: runtime.nodeVersion,
    allowedHosts: options.allowHost ?? [],
    faults: options.fault?.faults ?? [],
    seed: options.fault?.seed ?? Math.floor(runtime.random() * 2 ** 32),
    latencyMs: options.latency ?? 0,
    metrics: options.metrics ?? false,
    onError: (error) => {
      const { message, stack } = error as Error;
      const told = settings.debug ? (stack ?? message) : message;
      void terminal.stderr.write(`error: ${toSafeText(told, { multiline: settings.debug })}\n`);
    },
    log: (line) => {
      if (!settings.quiet) void terminal.stderr.write(`${toSafeText(withoutKeys(line))}\n`);
    },
  }).catch((error: unknown) => {
    throw listenFailure(error, options) ?? toDatabaseFailure(error);
  });
  const release = deferSignals();
  let closing: Promise<void> | undefined;
  const end = () => {
    closing ??= serving.close().finally(release);
    return closing;
  };
  context.onClose(end);
  const newKey = serving.newKey === undefined ? undefined : new Secret(serving.newKey);
  if (newKey) redactor.add(newKey);
  return {
    baseUrl: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${serving.port}${versionSegment}`,
    ...(newKey && { apiKey: newKey }),
    keyPrefix: serving.keyPrefix,
    limits: serving.limits,
    database: shown,
    ended: aborted(signal).then(end),
    end,
  };
}

/** Resolves once the signal is aborted. */
function aborted(signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', resolve, { once: true });
  });
}

/** Somebody may put a key into a path, of which only the digest is known here. */
function withoutKeys(line: string): string {
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
      ? [`${place} is in use`, '--port 0 takes any free port']
      : code === 'EACCES'
        ? [
            `${place} may not be used by this user`,
            'ports below 1024 need privileges; pass another --port',
          ]
        : [`${place} cannot be listened on (${code})`, 'check --host'];
  return new Failure('system', { code: 'cannot_listen', message, hint, cause: error });
}
