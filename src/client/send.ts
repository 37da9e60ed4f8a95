import type { buildConnector, Dispatcher } from 'undici';
import createConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import type { HttpRequest } from '../api/http.js';
import type { Loss, Outcome, ResponseHead, Transport } from '../api/outcome.js';
import { completeOutcome, lostOutcome } from './outcome.js';

/** A connection to one origin, opened again if it was closed. */
export type Connection = Pick<Dispatcher, 'dispatch' | 'destroy'>;

/** A function that adds behavior to a connector. */
export type ConnectorWrapper = (connect: buildConnector.connector) => buildConnector.connector;

/**
 * Returns a transport to one origin over HTTP/1.1. It follows no redirects and retries nothing. Idle connections are left
 * open: they do not keep the process alive, and closing one takes as long as a request.
 */
export function createSender(open: (origin: string) => Connection): Transport {
  // Closed after a second without a request, before a server is likely to: a create must not be sent to a closed one.
  const idle: Connection[] = [];
  return async (request, signal) => {
    const connection = idle.pop() ?? open(request.origin);
    const outcome = await dispatch(connection, request, signal);
    // Not awaited: undici would wait until a pending connect has timed out.
    if (outcome.lost) void connection.destroy();
    else idle.push(connection);
    return outcome;
  };
}

/** Opens connections to the origin without a proxy. */
export function connectDirectly(origin: string, wrapConnector: ConnectorWrapper): Connection {
  return new Client(origin, { ...clientOptions, connect: wrapConnector(createConnector(clientOptions.connect)) });
}

/**
 * Makes Node.js 20 compile undici's WebAssembly parser once, without optimizing. Otherwise V8 compiles it a second
 * time in the background and waits for that at exit: `pets list --json` then uses 2.9 times the CPU time. The flags
 * are set only while the first connection is handed to undici, because V8 rejects cached code that was compiled under
 * other flags. Node.js 22 and later do not wait.
 */
export async function compileParserEagerly(nodeVersion: string): Promise<ConnectorWrapper> {
  if (Number.parseInt(nodeVersion, 10) >= 22) return (connect) => connect;
  const { setFlagsFromString } = await import('node:v8');
  let isCompiled = false;
  return (connect) => (target, callback) =>
    connect(target, (...result) => {
      const [error] = result;
      if (isCompiled || error) return callback(...result);
      isCompiled = true;
      for (const flag of compileFlags) setFlagsFromString(flag);
      try {
        callback(...result);
      } finally {
        for (const flag of defaultFlags) setFlagsFromString(flag);
      }
    });
}

const compileFlags = ['--liftoff-only', '--no-wasm-lazy-compilation'];

/** The defaults of Node.js 20. `--liftoff-only` also changes the two in the middle. */
const defaultFlags = ['--no-liftoff-only', '--wasm-tier-up', '--wasm-dynamic-tiering', '--wasm-lazy-compilation'];

/** The options of every connection. Proxies use them, too. */
export const clientOptions = {
  connect: { timeout: 5_000 },
  // `withDeadline` limits the whole request.
  headersTimeout: 0,
  bodyTimeout: 0,
  // A connection that idled longer may be closed, or hold an unsolicited response.
  keepAliveTimeout: 1_000,
  keepAliveMaxTimeout: 1_000,
  maxHeaderSize: 65_536,
  maxResponseSize: 16 * 1024 * 1024,
  allowH2: false,
} as const satisfies Client.Options;

function dispatch(connection: Connection, request: HttpRequest, signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    let sent = false;
    let head: ResponseHead | undefined;
    const chunks: Uint8Array[] = [];
    let controller: Dispatcher.DispatchController | undefined;
    const fail = (error: Error) => {
      signal.removeEventListener('abort', abort);
      const code = (error as NodeJS.ErrnoException).code ?? error.name;
      const lost: Loss = signal.aborted ? { kind: 'canceled' } : { kind: 'network', code };
      resolve(lostOutcome(request, lost, { sent, response: head }));
    };
    const abort = () => {
      const reason = signal.reason as Error;
      // Until the connection is established there is no controller, and nothing was sent.
      if (controller) controller.abort(reason);
      else fail(reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    connection.dispatch(
      {
        origin: request.origin,
        method: request.method as Dispatcher.HttpMethod,
        path: request.target,
        headers: request.headers as Record<string, string>,
        ...(request.body && { body: request.body }),
      },
      {
        onRequestStart: (requestController) => {
          if (signal.aborted) return requestController.abort(signal.reason as Error);
          controller = requestController;
          sent = true;
        },
        onResponseStart: (_, status, headers) => {
          if (status >= 200) head = { status, headers };
        },
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd: () => {
          signal.removeEventListener('abort', abort);
          resolve(completeOutcome(request, { ...(head as ResponseHead), body: Buffer.concat(chunks) }));
        },
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}
