import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.js';
import { checkHeaders } from './check-headers.js';
import { ConnectionReset } from './fault-injection.js';
import { limitConnections } from './limit-connections.js';
import { PacedConnection } from './paced-connection.js';
import { drainThenClose, rejectOnSocket, rejectUnparsable } from './reject-on-socket.js';
import type { RequestHandler } from './request-handler.js';
import { Rejection, RequestAborted, uncountedResponse } from './responses.js';
import { maxBodyBytes, type ServerRequest } from './routes.js';

export interface ListenerOptions {
  readonly handler: RequestHandler;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly clock: Clock;
  /** Receives one line per request: method, path, status and milliseconds. */
  readonly log: (line: string) => void;
  /** Called with unexpected errors; the connection is destroyed. */
  readonly onError: (error: unknown) => void;
}

/** Serves the handler with node:http. Resolves once it accepts connections, rejects if the address is not available. */
export async function startListener(options: ListenerOptions) {
  const { host, port, clock, log } = options;
  const server = createServer({
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16_384,
    // A missing Host gets the same kind of response as every other rejected request.
    requireHostHeader: false,
  });
  // Node.js drops lines above its maximum silently; `maxHeaderSize` limits the bytes already.
  server.maxHeadersCount = 0;
  // For a client that neither sends nor reads.
  server.timeout = stallTimeoutMs;
  const connections = limitConnections(maxConnections);
  acceptPacedConnections(server, connections, clock);
  const lastResponses = new WeakMap<Duplex, ServerResponse>();
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const connection = connectionOf(incoming);
    connections.addRequest(connection, incoming, outgoing);
    const run = () =>
      respond(incoming, outgoing, server, options).catch((error) => {
        options.onError(error);
        outgoing.destroy();
      });
    // A request that was read ahead waits for the response before it.
    const previous = lastResponses.get(connection);
    lastResponses.set(connection, outgoing);
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
    const status = rejectOnSocket(rejection, connection, clock.now());
    log(`CONNECT - ${status} 0 ms`);
  });
  server.on('clientError', (error: Error, stream: Duplex) => {
    const connection = stream as PacedConnection;
    // A second response must not be written into the middle of the current one.
    if (connections.isResponding(connection)) return connections.destroyAfterResponse(connection);
    const status = rejectUnparsable(error, connection, clock.now());
    if (status !== undefined) log(`- - ${status} 0 ms`);
  });
  server.on('timeout', (stream: Duplex) => {
    const connection = stream as PacedConnection;
    // A slow handler is no reason to close the connection, but a response that the client does not read is.
    if (connections.isResponding(connection) && connection.writableLength === 0) connection.setTimeout(stallTimeoutMs);
    else connection.destroy();
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Accepts no more connections, finishes requests in flight (5 s at most), then resolves. */
    close: () => shutDown(server, connections.destroyIdle),
  };
}

/** Replaces the sockets that node:http serves with paced connections, and limits their number. */
function acceptPacedConnections(server: Server, connections: ReturnType<typeof limitConnections>, clock: Clock): void {
  const [serve] = server.listeners('connection') as [(connection: Duplex) => void];
  server.removeAllListeners('connection');
  let rejectedCount = 0;
  server.on('connection', (socket: Socket) => {
    if (connections.makeRoom()) {
      const connection = new PacedConnection(socket, connections.isResponding);
      connections.add(connection);
      return serve.call(server, connection);
    }
    if (rejectedCount >= maxConnections) return void socket.destroy();
    rejectedCount += 1;
    socket.on('error', () => {});
    socket.on('close', () => {
      rejectedCount -= 1;
    });
    const rejection = new Rejection('unavailable', 'the server has no free connection', { 'retry-after': '1' });
    return void rejectOnSocket(rejection, socket, clock.now());
  });
}

function connectionOf({ socket }: IncomingMessage): PacedConnection {
  return socket as Duplex as PacedConnection;
}

const maxConnections = 256;
const stallTimeoutMs = 20_000;
const shutdownTimeoutMs = 5_000;
const idleTimeoutMs = 500;

function shutDown(server: Server, destroyIdleConnections: () => void): Promise<void> {
  return new Promise((resolve) => {
    // New connections get a moment to send a request.
    const idleTimer = setTimeout(destroyIdleConnections, idleTimeoutMs);
    const shutdownTimer = setTimeout(() => server.closeAllConnections(), shutdownTimeoutMs);
    server.close(() => {
      clearTimeout(idleTimer);
      clearTimeout(shutdownTimer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  server: Server,
  { handler, clock, log }: ListenerOptions,
): Promise<void> {
  const start = clock.now();
  const rejection = checkHeaders(incoming);
  if (rejection) {
    // The parser reports an invalid body only after the headers, and may respond to it in the meantime.
    await undefined;
    if (!connectionOf(incoming).writable) return;
  }
  // A client that waits before a body gets this when the body is read.
  const { 'content-length': length, 'transfer-encoding': coding, expect } = incoming.headers;
  if (expect !== undefined && length === undefined && coding === undefined && !rejection) {
    writeContinue(incoming, outgoing);
  }
  const path = (incoming.url ?? '').split('?')[0];
  const logOutcome = (outcome: number | string) =>
    log(`${incoming.method} ${path} ${outcome} ${clock.now() - start} ms`);
  try {
    const request = toServerRequest(incoming, () => readBody(incoming, outgoing));
    const response = rejection
      ? uncountedResponse(request, rejection)
      : await handler(request, connectionOf(incoming).remoteAddress);
    // The rest of the body would be read as the next request.
    const isBodyUnread = !incoming.complete;
    const closing = (isBodyUnread || !server.listening) && { connection: 'close' };
    // Node.js would send the time of the machine, which `--clock` may override.
    const date = formatDate(clock.now());
    outgoing.writeHead(response.status, { date, ...closing, ...(response.headers as Record<string, string>) });
    logOutcome(response.status);
    if (!isBodyUnread) return void outgoing.end(response.body);
    outgoing.write(response.body);
    drainThenClose(incoming, () => outgoing.end());
  } catch (error) {
    if (error instanceof RequestAborted) return void outgoing.destroy();
    if (!(error instanceof ConnectionReset)) throw error;
    connectionOf(incoming).resetAndDestroy();
    logOutcome('reset');
  }
}

/** HTTP/1.0 has no 1xx responses (RFC 9110 §10.1.1). */
function writeContinue({ httpVersion }: IncomingMessage, outgoing: ServerResponse): void {
  if (httpVersion !== '1.0') outgoing.writeContinue();
}

/** Returns the value of `Date`, which changes once per second. */
function formatDate(now: number): string {
  const second = Math.floor(now / 1000);
  if (second !== lastDate.second) lastDate = { second, text: new Date(second * 1000).toUTCString() };
  return lastDate.text;
}

let lastDate = { second: Number.NaN, text: '' };

function toServerRequest(incoming: IncomingMessage, body: () => Promise<Uint8Array>): ServerRequest {
  // `headers` drops duplicates of some fields silently; here a repeated field becomes a list.
  const headers: Record<string, string | readonly string[]> = {};
  const { rawHeaders } = incoming;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = [rawHeaders[index]?.toLowerCase(), rawHeaders[index + 1]];
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  return {
    method: incoming.method ?? '',
    origin: `http://${incoming.headers.host}`,
    target: incoming.url ?? '',
    httpVersion: incoming.httpVersion,
    headers,
    readBody: body,
  };
}

/** Returns the body, or its beginning beyond `maxBodyBytes`. Rejects with `RequestAborted` if the client disconnects. */
async function readBody(incoming: IncomingMessage, outgoing: ServerResponse): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (incoming.headers.expect !== undefined) writeContinue(incoming, outgoing);
  try {
    for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk as Uint8Array);
      size += (chunk as Uint8Array).length;
      if (size > maxBodyBytes) break;
    }
  } catch (error) {
    throw new RequestAborted('the client disconnected', { cause: error });
  }
  return Buffer.concat(chunks);
}
