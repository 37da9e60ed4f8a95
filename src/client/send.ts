import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import createConnector from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import { type HttpRequest, type HttpResponse, isSafeMethod, type Transport } from '../api/http.js';
import { TransportError } from './transport-error.js';

export interface Sender {
  /** Rejects with a `TransportError`. */
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

/** Returns a sender over HTTP/1.1 that follows no redirects and retries nothing. */
export function createSender(openPool: OpenPool = connectDirectly): Sender {
  const pools = new Map<string, TrackedPool>();
  const poolFor = (origin: string) => {
    const pool = pools.get(origin) ?? open(openPool, origin);
    pools.set(origin, pool);
    return pool;
  };
  return {
    send: async (request, signal) => {
      const { origin, method } = request;
      if (isSafeMethod(method)) return track(poolFor(origin), request, signal);
      // The server may have closed an idle connection, and a change cannot be sent again to find out.
      const fresh = open(openPool, origin);
      try {
        return await track(fresh, request, signal);
      } finally {
        await destroyIfPending(fresh);
      }
    },
    close: async () => {
      await Promise.all([...pools.values()].map(destroyIfPending));
    },
  };
}

interface TrackedPool {
  readonly pool: ConnectionPool;
  /** Requests that have no response yet, or failed. */
  pending: number;
}

async function track(
  tracked: TrackedPool,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  tracked.pending += 1;
  const response = await dispatch(tracked.pool, request, signal);
  tracked.pending -= 1;
  return response;
}

async function destroyIfPending({ pending, pool }: TrackedPool): Promise<void> {
  if (pending > 0) await pool.destroy();
}

function open(openPool: OpenPool, origin: string): TrackedPool {
  return { pool: openPool(origin, options), pending: 0 };
}

/**
 * Returns a sender for many concurrent changes. It reuses a connection only right after a response: an idle one is
 * closed after a second, before the server is likely to close it.
 */
export function createImportSender(openPool: OpenPool): Sender {
  const idle: ConnectionPool[] = [];
  return {
    send: async (request, signal) => {
      const pool = idle.pop() ?? openPool(request.origin, options);
      try {
        const response = await dispatch(pool, request, signal);
        idle.push(pool);
        return response;
      } catch (error) {
        await pool.destroy();
        throw error;
      }
    },
    // Failed requests have destroyed their connections already.
    close: async () => {},
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
  return abortConnectOnDestroy(() => socket?.destroy(new Error('unwanted')), client);
}

/** Returns a pool whose `destroy` also calls `abortConnect`. */
export function abortConnectOnDestroy(
  abortConnect: () => void,
  dispatcher: ConnectionPool,
): ConnectionPool {
  return {
    dispatch: (...args) => dispatcher.dispatch(...args),
    destroy: async () => {
      const destroyed = dispatcher.destroy();
      abortConnect();
      await destroyed;
    },
  };
}

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

function dispatch(
  pool: ConnectionPool,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let sent = false;
    let head: Omit<HttpResponse, 'body'> | undefined;
    const chunks: Uint8Array[] = [];
    let controller: Dispatcher.DispatchController | undefined;
    const fail = (error: Error) => {
      signal.removeEventListener('abort', abort);
      reject(new TransportError(error, { sent, response: head }));
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
          resolve({ ...(head as Omit<HttpResponse, 'body'>), body: Buffer.concat(chunks) });
        },
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}
