import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AcceptOptions, acceptConnections } from './accept-connections.js';
import { checkHeaders } from './check-headers.js';
import { headersTimeoutMs, keepAliveTimeoutMs, requestTimeoutMs, stallTimeoutMs } from './connection-limits.js';
import { beginRequest, type LoggedRequest } from './logged-request.js';
import type { PacedConnection } from './paced-connection.js';
import { connectionOf } from './receive-request.js';
import { rejectOnSocket, rejectUnparsable } from './reject-on-socket.js';
import { type ResponderOptions, respond } from './respond.js';
import { Rejection } from './responses.js';

export interface ListenerOptions extends Omit<ResponderOptions, 'isClosing'>, AcceptOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Whether the server is about to shut down. */
  readonly isDraining?: () => boolean;
  /** Called with unexpected errors and the id of the request; the connection is destroyed. */
  readonly onError: (error: unknown, requestId: string) => void;
}

/** Serves the handler with node:http. Resolves once it accepts connections, rejects if the address is not available. */
export async function startListener(options: ListenerOptions) {
  const { host, port, isDraining = () => false } = options;
  const server = createHttpServer();
  const connections = acceptConnections(server, options);
  let isClosing = false;
  serveRequests(server, connections, { ...options, isClosing: () => isClosing });
  // Bun serves the sockets of its node:http natively. It emits none that `acceptConnections` could replace.
  const listener = 'Bun' in globalThis ? new NetServer((socket) => server.emit('connection', socket)) : server;
  listener.listen(port, host);
  await once(listener, 'listening');
  return {
    port: (listener.address() as AddressInfo).port,
    /** Accepts no more connections, finishes requests in flight (5 s at most), then resolves. */
    close: () => {
      isClosing = true;
      return shutDown(server, listener, connections.destroyIdle, isDraining());
    },
  };
}

function createHttpServer(): Server {
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    maxHeaderSize: 16_384,
    // A missing Host gets the same kind of response as every other rejected request.
    requireHostHeader: false,
  });
  // Node.js drops lines above its maximum silently; `maxHeaderSize` limits the bytes already.
  server.maxHeadersCount = 0;
  server.timeout = stallTimeoutMs;
  return server;
}

type Connections = ReturnType<typeof acceptConnections>;

/** Passes each request to the handler, and rejects invalid ones. */
function serveRequests(server: Server, connections: Connections, options: ListenerOptions & ResponderOptions): void {
  const { clock, trustedProxies, onWireRejection } = options;
  const lastRequests = new WeakMap<Duplex, { readonly outgoing: ServerResponse; readonly request: LoggedRequest }>();
  const begin = (connection: PacedConnection, incoming?: IncomingMessage) => {
    const peer = connection.remoteAddress;
    const forwardedFor = incoming?.headers['x-forwarded-for'] as string | undefined;
    return beginRequest(incoming, trustedProxies?.findClient(peer, forwardedFor) ?? peer, options);
  };
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const connection = connectionOf(incoming);
    connections.addRequest(connection, incoming, outgoing);
    const request = begin(connection, incoming);
    const run = () =>
      respond(incoming, outgoing, request, options).catch((error) => {
        options.onError(error, request.id);
        request.end('aborted');
        outgoing.destroy();
      });
    // A request that was read ahead waits for the response before it.
    const previous = lastRequests.get(connection)?.outgoing;
    lastRequests.set(connection, { outgoing, request });
    if (previous && !previous.destroyed) previous.once('close', run);
    else void run();
  };
  server.on('request', onRequest);
  // Without these listeners, Node.js answers an Expect header before the request is checked.
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('connect', (incoming: IncomingMessage) => {
    const connection = connectionOf(incoming);
    if (connections.isResponding(connection)) return connections.destroyAfterResponse(connection);
    const allow = 'GET, HEAD, POST';
    const rejection =
      checkHeaders(incoming) ?? new Rejection('method_not_allowed', 'this server is not a proxy', { allow });
    const request = begin(connection, incoming);
    request.end(rejectOnSocket(rejection, connection, { now: clock.now(), requestId: request.id, onWireRejection }));
  });
  server.on('clientError', (error: Error, stream: Duplex) => {
    const connection = stream as PacedConnection;
    // A second response must not be written into the middle of the current one.
    if (connections.isResponding(connection)) return connections.destroyAfterResponse(connection);
    const last = lastRequests.get(connection);
    // The rest of a request whose headers were valid, or bytes after the last request.
    const request = last && !last.outgoing.req.complete ? last.request : begin(connection);
    const status = rejectUnparsable(error, connection, { now: clock.now(), requestId: request.id, onWireRejection });
    if (status !== undefined) request.end(status);
  });
  server.on('timeout', (stream: Duplex) => {
    const connection = stream as PacedConnection;
    // A slow handler keeps the connection open. A client that does not read its response loses it.
    if (connections.isResponding(connection) && connection.writableLength === 0) connection.setTimeout(stallTimeoutMs);
    else connection.destroy();
  });
}

const timeoutCheckMs = 1_000;
const shutdownTimeoutMs = 5_000;
const idleTimeoutMs = 500;

/** Enough turns of the event loop to accept a full backlog, which has 511 connections. */
const maxTurns = 1_000;

async function shutDown(
  server: Server,
  listener: NetServer,
  destroyIdleConnections: () => void,
  isDrained: boolean,
): Promise<void> {
  await emptyBacklog(listener);
  await new Promise<void>((resolve) => {
    const shutdownTimer = setTimeout(() => server.closeAllConnections(), shutdownTimeoutMs);
    // New connections get a moment to send a request.
    const idleTimer = isDrained ? undefined : setTimeout(destroyIdleConnections, idleTimeoutMs);
    const onClosed = () => {
      clearTimeout(idleTimer);
      clearTimeout(shutdownTimer);
      resolve();
    };
    // A reverse proxy may send a request on an idle connection at this moment. `close` of node:http would close that
    // connection, but `close` of node:net only stops listening.
    if (isDrained) return void NetServer.prototype.close.call(listener, onClosed);
    listener.close(onClosed);
    server.closeIdleConnections();
  });
}

/**
 * Resolves once the system has no connection that the server has not accepted: when the server stops listening, the
 * system resets those. Each turn of the event loop accepts one connection.
 */
function emptyBacklog(server: NetServer): Promise<void> {
  return new Promise((resolve) => {
    let hasAccepted = true;
    const onConnection = () => {
      hasAccepted = true;
    };
    server.on('connection', onConnection);
    const finishTurn = (turn: number) => {
      if (hasAccepted && turn < maxTurns) {
        hasAccepted = false;
        // The first one may run in this turn, which has accepted already.
        setImmediate(() => setImmediate(finishTurn, turn + 1));
      } else {
        server.off('connection', onConnection);
        resolve();
      }
    };
    finishTurn(0);
  });
}
