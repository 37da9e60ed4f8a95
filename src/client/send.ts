import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import createConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import { type HttpRequest, isSafeMethod } from '../api/http.js';
import type { Outcome, ResponseHead, Transport } from '../api/outcome.js';
import { completeOutcome, lostOutcome } from './outcome.js';

export interface Sender {
  readonly send: Transport;
  /**
   * Aborts pending requests. Idle connections are left open: they do not keep the process alive, and closing one
   * takes as long as a request.
   */
  close(): Promise<void>;
}

/** Connections to one origin. `destroy` also aborts a pending connect, which undici would wait for. */
export type ConnectionPool = Pick<Dispatcher, 'dispatch' | 'destroy'>;

type OpenPool = (origin: string, clientOptions: typeof options) => ConnectionPool;

/** A function that adds behavior to a connector. */
export type ConnectorWrapper = (connect: buildConnector.connector) => buildConnector.connector;

/** Returns a sender for one origin over HTTP/1.1. It follows no redirects and retries nothing. */
export function createSender(openPool: OpenPool = connectDirectly, { isImport = false } = {}): Sender {
  const idle: ConnectionPool[] = [];
  const busy = new Set<ConnectionPool>();
  return {
    send: async (request, signal) => {
      // The server may have closed an idle connection, and a request that changes data must not be sent twice. An import
      // reuses connections right after a response, and they close before a server is likely to.
      const canReuse = isImport || isSafeMethod(request.method);
      const pool = (canReuse && idle.pop()) || openPool(request.origin, options);
      busy.add(pool);
      const outcome = await dispatch(pool, request, signal);
      if (outcome.lost) await pool.destroy();
      else if (canReuse) idle.push(pool);
      busy.delete(pool);
      return outcome;
    },
    close: async () => {
      await Promise.all([...busy].map((pool) => pool.destroy()));
    },
  };
}

/** Opens connections to the origin without a proxy. */
export function connectDirectly(
  origin: string,
  clientOptions: typeof options,
  wrapConnector: ConnectorWrapper = (connect) => connect,
): ConnectionPool {
  const connect = createConnector(clientOptions.connect);
  let socket: Socket | undefined;
  const client = new Client(origin, {
    ...clientOptions,
    connect: wrapConnector((target, callback) => {
      socket = connect(target, callback);
    }),
  });
  return abortConnectOnDestroy(() => socket?.destroy(new Error('the connection is no longer needed')), client);
}

/** Returns a pool whose `destroy` also calls `abortConnect`. */
export function abortConnectOnDestroy(abortConnect: () => void, dispatcher: ConnectionPool): ConnectionPool {
  return {
    dispatch: (...args) => dispatcher.dispatch(...args),
    destroy: async () => {
      const destroyed = dispatcher.destroy();
      abortConnect();
      await destroyed;
    },
  };
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

const options = {
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

function dispatch(pool: ConnectionPool, request: HttpRequest, signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    let sent = false;
    let head: ResponseHead | undefined;
    const chunks: Uint8Array[] = [];
    let controller: Dispatcher.DispatchController | undefined;
    const fail = (error: Error) => {
      signal.removeEventListener('abort', abort);
      resolve(lostOutcome(request, error, { sent, response: head }));
    };
    const abort = () => {
      const reason = signal.reason as Error;
      // Until the connection is established there is no controller, and nothing was sent.
      if (controller) controller.abort(reason);
      else fail(reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    pool.dispatch(
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
