import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { HttpRequest } from '../api/http.js';
import type { Clock } from '../clock.js';
import { ConnectionReset } from './fault-injection.js';
import { drainThenClose } from './forget.js';
import { type ConnectionTracker, limitConnections } from './limit-connections.js';
import { rejectOnSocket, rejectUnparsable } from './reject-on-socket.js';
import { Rejection } from './rejection.js';
import type { RequestHandler } from './request-handler.js';
import { errorResponse, unknownQuota, withQuotaHeaders } from './responses.js';
import { maxBodyBytes } from './routes.js';

export interface ListenerOptions {
  readonly handler: RequestHandler;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly clock: Clock;
  /** One line for each request: method, path, status and milliseconds. */
  readonly log: (line: string) => void;
  /** Told of what should not happen; the connection is ended. */
  readonly onError: (error: unknown) => void;
}

export interface Listener {
  /** The port that was taken. */
  readonly port: number;
  /** Takes no new connections, finishes what is in flight (5 s at most), then resolves. */
  close(): Promise<void>;
}

/** Puts the store on node:http; resolves once it accepts, rejects where the address cannot be had. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { clock, log } = options;
  const server = createServer({
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 5_000,
    maxHeaderSize: 16_384,
    // What is missing is answered as everything else is.
    requireHostHeader: false,
  });
  // Node.js would leave out what is above its bound and say nothing; the bytes are bounded already.
  server.maxHeadersCount = 0;
  // A client that neither sends nor reads.
  server.timeout = 30_000;
  const connections = limitConnections(server, maxConnections);
  const answering = new WeakMap<Socket, Promise<void>>();
  // One after the other on a connection: who sends thousands and reads none gets no thousands of answers.
  const take = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    const ended = new Promise<void>((resolve) => outgoing.once('close', resolve));
    const before = answering.get(socket);
    const act = () =>
      respond(incoming, outgoing, server, options).catch((error) => {
        options.onError(error);
        outgoing.destroy();
      });
    answering.set(socket, ended);
    if (before) void before.then(act);
    else void act();
  };
  server.on('request', take);
  // Node.js answers other expectations than 100-continue by itself; here they are a request like any other.
  server.on('checkExpectation', take);
  server.on('connect', (_: IncomingMessage, socket: Socket) => {
    if (connections.isResponding(socket)) return connections.destroyAfterResponse(socket);
    const status = rejectOnSocket(connectRejection(), socket, clock.now());
    log(`CONNECT - ${status} 0 ms`);
  });
  server.on('clientError', (error: Error, socket: Socket) => {
    // An answer that is under way must not get another one into its middle.
    if (connections.isResponding(socket)) return connections.destroyAfterResponse(socket);
    const status = rejectUnparsable(error, socket, clock.now());
    if (status !== undefined) log(`- - ${status} 0 ms`);
  });
  await bindServer(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => shutDown(server, connections),
  };
}

const maxConnections = 256;
const maxHeaderLines = 200;
const shutdownTimeoutMs = 5_000;
const idleTimeoutMs = 500;

function connectRejection(): Rejection {
  return new Rejection('method_not_allowed', 'this store is no proxy', {
    allow: 'GET, HEAD, POST',
  });
}

function bindServer(server: Server, { port, host }: ListenerOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function shutDown(server: Server, connections: ConnectionTracker): Promise<void> {
  return new Promise((resolve) => {
    // A request may be on its way on a connection that was just made; one that stays silent holds nothing up.
    const hint = setTimeout(() => connections.destroyIdle(), idleTimeoutMs);
    const impatience = setTimeout(() => server.closeAllConnections(), shutdownTimeoutMs);
    server.close(() => {
      clearTimeout(hint);
      clearTimeout(impatience);
      resolve();
    });
    server.closeIdleConnections();
  });
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  server: Server,
  options: ListenerOptions,
): Promise<void> {
  const { handler: handle, clock, log } = options;
  const start = clock.now();
  // What cannot be served for its headers is not read on.
  const rejection = checkHeaders(incoming);
  const body = rejection ? new Uint8Array() : await readBody(incoming).catch(() => undefined);
  if (body === undefined) return void outgoing.destroy();
  const path = (incoming.url ?? '').split('?')[0];
  const tell = (outcome: number | string) =>
    log(`${incoming.method} ${path} ${outcome} ${clock.now() - start} ms`);
  try {
    const request = toHttpRequest(incoming, body);
    const response = rejection
      ? withQuotaHeaders(request, errorResponse(rejection), unknownQuota(clock.now()))
      : await handle(request, incoming.socket.remoteAddress ?? '');
    const isCutOff = rejection !== undefined || body.length > maxBodyBytes;
    if (isCutOff || !server.listening) outgoing.setHeader('connection', 'close');
    // Node.js would tell the machine's time, which need not be the store's.
    outgoing.setHeader('date', new Date(clock.now()).toUTCString());
    outgoing.writeHead(response.status, response.headers as Record<string, string>);
    tell(response.status);
    if (!isCutOff) return void outgoing.end(response.body);
    outgoing.write(response.body);
    drainThenClose(incoming, () => outgoing.end());
  } catch (error) {
    if (!(error instanceof ConnectionReset)) throw error;
    incoming.socket.resetAndDestroy();
    tell('reset');
  }
}

/** What Node.js lets through, and the interface has no use for. */
function checkHeaders({ rawHeaders, headers: { expect } }: IncomingMessage): Rejection | undefined {
  if (rawHeaders.length > 2 * maxHeaderLines) {
    return new Rejection(
      'headers_too_large',
      `a request must have at most ${maxHeaderLines} headers`,
    );
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return new Rejection('expectation_failed', 'only 100-continue can be expected');
  }
  return undefined;
}

function toHttpRequest(incoming: IncomingMessage, body: Uint8Array): HttpRequest {
  // What came twice is a list: Node.js would drop the second of some headers and say nothing.
  const headers = Object.entries(incoming.headersDistinct).map(([name, values]) => [
    name,
    values?.length === 1 ? values[0] : values,
  ]);
  return {
    method: incoming.method ?? '',
    origin: `http://${incoming.headers.host}`,
    target: incoming.url ?? '',
    headers: Object.fromEntries(headers),
    body,
  };
}

/** The body, cut off one byte past the bound; rejects where the client goes away before its end. */
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
