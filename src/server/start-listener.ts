import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { HttpRequest } from '../api/http.js';
import type { Clock } from '../clock.js';
import { ConnectionReset } from './fault-injection.js';
import { limitConnections } from './limit-connections.js';
import { drainThenClose, rejectOnSocket, rejectUnparsable } from './reject-on-socket.js';
import type { RequestHandler } from './request-handler.js';
import { Rejection, uncountedResponse } from './responses.js';
import { maxBodyBytes } from './routes.js';

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

/** Serves the handler with node:http. Resolves once it accepts connections; rejects if it cannot use the address. */
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
  server.timeout = 30_000;
  const connections = limitConnections(server, maxConnections);
  const previousResponses = new WeakMap<Socket, Promise<void>>();
  // Pipelined requests run one at a time: a client that reads no responses cannot pile them up in memory.
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    const closed = new Promise<void>((resolve) => outgoing.once('close', resolve));
    const previous = previousResponses.get(socket);
    const run = () =>
      respond(incoming, outgoing, server, options).catch((error) => {
        options.onError(error);
        outgoing.destroy();
      });
    previousResponses.set(socket, closed);
    if (previous) void previous.then(run);
    else void run();
  };
  server.on('request', onRequest);
  // Without this listener, Node.js responds to unknown expectations by itself.
  server.on('checkExpectation', onRequest);
  server.on('connect', (_: IncomingMessage, socket: Socket) => {
    if (connections.isResponding(socket)) return connections.destroyAfterResponse(socket);
    const allow = 'GET, HEAD, POST';
    const rejection = new Rejection('method_not_allowed', 'this server is not a proxy and does not support CONNECT', {
      allow,
    });
    const status = rejectOnSocket(rejection, socket, clock.now());
    log(`CONNECT - ${status} 0 ms`);
  });
  server.on('clientError', (error: Error, socket: Socket) => {
    // A second response must not be written into the middle of the current one.
    if (connections.isResponding(socket)) return connections.destroyAfterResponse(socket);
    const status = rejectUnparsable(error, socket, clock.now());
    if (status !== undefined) log(`- - ${status} 0 ms`);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Accepts no more connections, finishes requests in flight (5 s at most), then resolves. */
    close: () => shutDown(server, connections.destroyIdle),
  };
}

const maxConnections = 256;
const maxHeaderLines = 200;
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
  const body = rejection ? new Uint8Array() : await readBody(incoming).catch(() => undefined);
  if (body === undefined) return void outgoing.destroy();
  const path = (incoming.url ?? '').split('?')[0];
  const logOutcome = (outcome: number | string) =>
    log(`${incoming.method} ${path} ${outcome} ${clock.now() - start} ms`);
  try {
    const request = toHttpRequest(incoming, body);
    const response = rejection
      ? uncountedResponse(request, rejection)
      : await handler(request, incoming.socket.remoteAddress ?? '');
    const isBodyUnread = rejection !== undefined || body.length > maxBodyBytes;
    if (isBodyUnread || !server.listening) outgoing.setHeader('connection', 'close');
    // Node.js would send the time of the machine, which `--clock` may override.
    outgoing.setHeader('date', new Date(clock.now()).toUTCString());
    outgoing.writeHead(response.status, response.headers as Record<string, string>);
    logOutcome(response.status);
    if (!isBodyUnread) return void outgoing.end(response.body);
    outgoing.write(response.body);
    drainThenClose(incoming, () => outgoing.end());
  } catch (error) {
    if (!(error instanceof ConnectionReset)) throw error;
    incoming.socket.resetAndDestroy();
    logOutcome('reset');
  }
}

/** Returns why a request is rejected before its body is read. */
function checkHeaders({ rawHeaders, headers: { expect } }: IncomingMessage): Rejection | undefined {
  if (rawHeaders.length > 2 * maxHeaderLines) {
    const message = `a request must not have more than ${maxHeaderLines} header lines`;
    return new Rejection('headers_too_large', message);
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return new Rejection('expectation_failed', 'the only supported value of the Expect header is 100-continue');
  }
  return undefined;
}

function toHttpRequest(incoming: IncomingMessage, body: Uint8Array): HttpRequest {
  // `headers` drops duplicates of some fields silently; here a repeated field becomes a list.
  const headers = Object.entries(incoming.headersDistinct).map(([name, values]) => [
    name,
    values?.length === 1 ? values[0] : values,
  ]);
  return {
    method: incoming.method ?? '',
    origin: `http://${incoming.headers.host}`,
    target: incoming.url ?? '',
    httpVersion: incoming.httpVersion,
    headers: Object.fromEntries(headers),
    body,
  };
}

/** Returns the body, or its beginning beyond `maxBodyBytes`. Rejects if the client disconnects. */
async function readBody(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).length;
    if (size > maxBodyBytes) break;
  }
  return Buffer.concat(chunks);
}
