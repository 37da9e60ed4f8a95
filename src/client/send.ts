import type { Dispatcher } from 'undici';
import Client from 'undici/lib/dispatcher/client.js';
import {
  type HttpRequest,
  type HttpResponse,
  isSafe,
  type Transport,
} from '../contract/exchange.js';
import { TransportError } from './transport-error.js';

export interface Sender {
  /** Rejects with a `TransportError`. */
  readonly send: Transport;
  /** Lets go of every connection, so that the process can end. */
  close(): Promise<void>;
}

/** Connections to an origin. */
export type Connections = Pick<Dispatcher, 'dispatch' | 'destroy'>;

/** Sends requests over HTTP/1.1; follows no redirect and sends nothing twice. */
export function createSender(
  connect: (origin: string, options: Client.Options) => Connections = connectDirectly,
): Sender {
  const kept = new Map<string, Connections>();
  const keptFor = (origin: string) => {
    const connections = kept.get(origin) ?? connect(origin, options);
    kept.set(origin, connections);
    return connections;
  };
  return {
    send: async (request, signal) => {
      if (isSafe(request.method)) return exchange(keptFor(request.origin), request, signal);
      // A connection that idled may be gone without notice, and a change must not be sent to find out.
      const fresh = connect(request.origin, options);
      try {
        return await exchange(fresh, request, signal);
      } finally {
        await fresh.destroy();
      }
    },
    close: async () => {
      await Promise.all([...kept.values()].map((connections) => connections.destroy()));
    },
  };
}

/**
 * Sends many changes in a row, as many at once as are asked for. A connection whose answer has just come is
 * used again; one that idled for a second was closed, and so is never found gone.
 */
export function createBulkSender(
  connect: (origin: string, options: Client.Options) => Connections = connectDirectly,
): Sender {
  const free: Connections[] = [];
  return {
    send: async (request, signal) => {
      const connections = free.pop() ?? connect(request.origin, options);
      try {
        const answer = await exchange(connections, request, signal);
        free.push(connections);
        return answer;
      } catch (error) {
        await connections.destroy();
        throw error;
      }
    },
    close: async () => {
      await Promise.all(free.map((connections) => connections.destroy()));
    },
  };
}

function connectDirectly(origin: string, given: Client.Options): Connections {
  return new Client(origin, given);
}

const options = {
  connect: { timeout: 5_000 },
  // The deadline of the whole request bounds headers and body.
  headersTimeout: 0,
  bodyTimeout: 0,
  // What idled for longer, as through any wait, may be gone, or hold an answer that nobody asked for.
  keepAliveTimeout: 1_000,
  keepAliveMaxTimeout: 1_000,
  maxHeaderSize: 65_536,
  maxResponseSize: 16 * 1024 * 1024,
  allowH2: false,
} as const satisfies Client.Options;

function exchange(
  connections: Connections,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    let sent = false;
    let answer: Omit<HttpResponse, 'body'> | undefined;
    const chunks: Uint8Array[] = [];
    let controller: Dispatcher.DispatchController | undefined;
    const fail = (error: Error) => {
      signal.removeEventListener('abort', abort);
      reject(new TransportError(error, { sent, answer }));
    };
    const abort = () => {
      const reason = signal.reason as Error;
      // Before the connection stands there is no controller yet, and nothing was sent.
      if (controller) controller.abort(reason);
      else fail(reason);
    };
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort, { once: true });
    connections.dispatch(
      {
        origin: request.origin,
        method: request.method as Dispatcher.HttpMethod,
        path: request.target,
        headers: request.headers as Record<string, string>,
        ...(request.body && { body: request.body }),
      },
      {
        onRequestStart: (started) => {
          if (signal.aborted) return started.abort(signal.reason as Error);
          controller = started;
          sent = true;
        },
        onResponseStart: (_, status, headers) => {
          if (status >= 200) answer = { status, headers };
        },
        onResponseData: (_, chunk) => void chunks.push(chunk),
        onResponseEnd: () => {
          signal.removeEventListener('abort', abort);
          resolve({ ...(answer as Omit<HttpResponse, 'body'>), body: Buffer.concat(chunks) });
        },
        onResponseError: (_, error) => fail(error),
      },
    );
  });
}
