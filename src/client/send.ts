import type { Socket } from 'node:net';
import type { buildConnector, Dispatcher } from 'undici';
import connectorOf from 'undici/lib/core/connect.js';
import Client from 'undici/lib/dispatcher/client.js';
import { type HttpRequest, type HttpResponse, isSafe, type Transport } from '../api/http.js';
import { TransportError } from './transport-error.js';

export interface Sender {
  /** Rejects with a `TransportError`. */
  readonly send: Transport;
  /**
   * Gives up what was not answered. A connection that idles keeps no process from ending, and ends within a second;
   * closing it would take as long as the whole request.
   */
  close(): Promise<void>;
}

/** Connections to an origin. To destroy them gives up one that is being made, too, for which undici would wait. */
export type Connections = Pick<Dispatcher, 'dispatch' | 'destroy'>;

type Connect = (origin: string, given: typeof options) => Connections;

/** Something to be done around every connection that is made. */
export type Around = (connect: buildConnector.connector) => buildConnector.connector;

/** Sends requests over HTTP/1.1; follows no redirect and sends nothing twice. */
export function createSender(connect: Connect = connectDirectly): Sender {
  const kept = new Map<string, Opened>();
  const keptFor = (origin: string) => {
    const opened = kept.get(origin) ?? open(connect, origin);
    kept.set(origin, opened);
    return opened;
  };
  return {
    send: async (request, signal) => {
      const { origin, method } = request;
      if (isSafe(method)) return answered(keptFor(origin), request, signal);
      // A connection that idled may be gone without notice, and a change must not be sent to find out.
      const fresh = open(connect, origin);
      try {
        return await answered(fresh, request, signal);
      } finally {
        await closeUnlessAnswered(fresh);
      }
    },
    close: async () => {
      await Promise.all([...kept.values()].map(closeUnlessAnswered));
    },
  };
}

interface Opened {
  readonly connections: Connections;
  /** Requests that wait for an answer, or never got one. */
  unanswered: number;
}

async function answered(
  opened: Opened,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResponse> {
  opened.unanswered += 1;
  const answer = await exchange(opened.connections, request, signal);
  opened.unanswered -= 1;
  return answer;
}

async function closeUnlessAnswered({ unanswered, connections }: Opened): Promise<void> {
  if (unanswered > 0) await connections.destroy();
}

function open(connect: Connect, origin: string): Opened {
  return { connections: connect(origin, options), unanswered: 0 };
}

/**
 * Sends many changes, several at once. A connection whose answer has just come is used again; one that idled for
 * a second was closed, and so is never found gone.
 */
export function createBulkSender(connect: Connect): Sender {
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
    // What was not answered is closed already.
    close: async () => {},
  };
}

/** Connections to the origin itself. */
export function connectDirectly(
  origin: string,
  given: typeof options,
  around: Around = (connect) => connect,
): Connections {
  const connect = connectorOf(given.connect);
  let socket: Socket | undefined;
  const client = new Client(origin, {
    ...given,
    connect: around((target, callback) => {
      socket = connect(target, callback);
    }),
  });
  return givenUpBy(() => socket?.destroy(new Error('unwanted')), client);
}

/** The connections of a dispatcher, with what gives up the one that is being made. */
export function givenUpBy(giveUp: () => void, dispatcher: Connections): Connections {
  return {
    dispatch: (...exchange) => dispatcher.dispatch(...exchange),
    destroy: async () => {
      const closed = dispatcher.destroy();
      giveUp();
      await closed;
    },
  };
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
