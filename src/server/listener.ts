import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import proxyAddr from 'proxy-addr';
import type { HttpResponse } from '../api/http.js';
import { usageError } from '../failure.js';
import { unmapAddress } from './client-address.js';
import { type Connection, createConnections, isBusy } from './connections.js';
import type { RequestLogEntry } from './format-log-line.js';
import type { RequestContext, Respond } from './request-context.js';
import { maxBodyBytes } from './request-handler.js';
import { ConnectionReset, Rejection, RequestAborted, rejectionResponse } from './responses.js';
import { openContext } from './routes.js';
import type { IsTrustedProxy, ServerOptions } from './server-options.js';
import { discardRest, rejectOnSocket, toRejection } from './wire-rejections.js';

export interface ListenerOptions extends Omit<ServerOptions, 'database' | 'key' | 'log' | 'nodeVersion'> {
  readonly handler: Respond;
  /** Whether the server is about to shut down. */
  readonly isDraining: () => boolean;
  /** Receives one entry per request. */
  readonly log: (entry: RequestLogEntry) => void;
}

const timeouts = {
  headersTimeout: 10_000,
  /** Headers included. */
  requestTimeout: 15_000,
  /** Between requests. */
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
};
/** For a client that neither sends nor reads. */
const stallTimeoutMs = 20_000;
const shutdownTimeoutMs = 5_000;
const idleTimeoutMs = 500;

const maxHeaderLines = 200;
/** Requests on one connection that have no complete response. */
const maxUnanswered = 16;
/** Pieces of one body: each takes time, however short it is. */
const maxChunks = 256;

/** Serves the handler with node:http. Resolves once it accepts connections, rejects if the address is not available. */
export async function startListener(options: ListenerOptions) {
  const server = createServer({
    ...timeouts,
    maxHeaderSize: 16_384,
    // By default, Node.js rejects a request without a Host itself, and ignores repeated headers.
    requireHostHeader: false,
    joinDuplicateHeaders: true,
  });
  // Node.js drops lines above its maximum silently.
  server.maxHeadersCount = maxHeaderLines + 1;
  server.timeout = stallTimeoutMs;
  // A client that closes its side after its requests gets the responses (RFC 9112 §9.6).
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = createConnections(options);
  let isClosing = false;
  serveRequests(server, connections, { ...options, isDraining: () => isClosing || options.isDraining() });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    /** Accepts no more connections, finishes requests in flight (5 s at most), then resolves. */
    close: async () => {
      isClosing = true;
      const closed = once(server, 'close');
      server.close();
      // A connection that was just accepted gets a moment to send its request.
      const idleTimer = setTimeout(connections.destroyIdle, idleTimeoutMs);
      const shutdownTimer = setTimeout(() => server.closeAllConnections(), shutdownTimeoutMs);
      await closed;
      clearTimeout(idleTimer);
      clearTimeout(shutdownTimer);
    },
  };
}

type Connections = ReturnType<typeof createConnections>;

/** Passes each request to the handler, and rejects bytes that are not a valid request. */
function serveRequests(server: Server, connections: Connections, options: ListenerOptions): void {
  const reject = (socket: Socket, rejection: Rejection) => {
    const start = options.clock.now();
    const context = openContext({ method: '', target: '', headers: {} }, addressOf(socket), crypto.randomUUID());
    context.errorCode = rejection.code;
    logRequest({ context, start }, rejection.status, options);
    rejectOnSocket(socket, rejection, { now: start, requestId: context.id });
  };
  const rejectAfterResponses = (connection: Connection, rejection: Rejection) => {
    connection.onAnswered = () => reject(connection.socket, rejection);
    if (connection.exchanges.length === 0) connection.onAnswered();
  };
  server.on('connection', (socket) => {
    const rejection = connections.admit(socket);
    if (rejection === 'refused') socket.destroy();
    else if (rejection) reject(socket, rejection);
  });
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    // The parser reports the requests in the bytes that it has even after the connection was destroyed.
    if (incoming.socket.destroyed) return;
    addExchange(connections, connections.find(incoming.socket), { incoming, outgoing }, options);
  };
  server.on('request', onRequest);
  // Without these listeners, Node.js answers an Expect header before the request is checked.
  server.on('checkContinue', onRequest);
  server.on('checkExpectation', onRequest);
  server.on('connect', (incoming, stream) => {
    const allow = 'GET, HEAD, POST';
    const rejection = new Rejection('method_not_allowed', 'this server is not a proxy', { allow });
    rejectAfterResponses(connections.find(stream as Socket), checkHeaders(incoming) ?? rejection);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    if (!socket.writable || error.code === 'ECONNRESET' || socket.bytesRead === 0) return void socket.destroy();
    const connection = connections.find(socket);
    const last = connection.exchanges.at(-1);
    discardRest(socket);
    // The rest of a request whose headers were valid, or bytes after the last request.
    if (last && !last.incoming.complete) return last.failBody(toRejection(error));
    rejectAfterResponses(connection, toRejection(error));
  });
  server.on('timeout', (socket) => {
    // A slow handler keeps its connection. A client that does not read its response loses it.
    if (!isBusy(connections.find(socket))) socket.destroy();
  });
}

/** Adds a request to those of its connection, which are handled one after the other. */
function addExchange(
  connections: Connections,
  connection: Connection,
  { incoming, outgoing }: Pick<ReceivedRequest, 'incoming' | 'outgoing'>,
  options: ListenerOptions,
): void {
  const { exchanges, socket } = connection;
  connections.touch(connection);
  if (exchanges.length >= maxUnanswered) return void connections.refuse(connection);
  const body = collectBody(incoming, (count) => {
    if (count > maxChunks) connections.refuse(connection);
    else connections.touch(connection);
  });
  const request = readRequest(connection, { incoming, outgoing }, body.bytes, options);
  const start = () => respond(request, options);
  exchanges.push({ incoming, outgoing, start, failBody: body.fail });
  // In a microtask, since the parser may find an error in the bytes that follow.
  if (exchanges.length === 1) void Promise.resolve().then(start);
  outgoing.once('close', () => {
    connections.touch(connection);
    exchanges.shift();
    // The response was the last of its connection, or the client is gone.
    if (!socket.writable) return;
    if (exchanges[0]) void exchanges[0].start();
    else connection.onAnswered?.();
  });
}

interface ReceivedRequest {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly context: RequestContext;
  /** When its headers were complete. */
  readonly start: number;
}

/** Returns a request of node:http in the form that handlers take. */
function readRequest(
  { address: peer, network }: Connection,
  { incoming, outgoing }: Pick<ReceivedRequest, 'incoming' | 'outgoing'>,
  body: Promise<Uint8Array>,
  { clock, isTrustedProxy }: ListenerOptions,
): ReceivedRequest {
  const { method = '', url: target = '', httpVersion, headers } = incoming;
  const proxies = network === undefined ? isTrustedProxy : undefined;
  const readBody = () => {
    // HTTP/1.0 has no 1xx responses (RFC 9110 §10.1.1).
    if (headers.expect !== undefined && httpVersion !== '1.0') outgoing.writeContinue();
    return body;
  };
  // Web pages have the scheme that the proxy serves.
  const isTls = proxies !== undefined && headers['x-forwarded-proto'] === 'https';
  const address = (proxies && findClient(incoming, proxies)) ?? peer;
  const id = chooseRequestId(headers['x-request-id']);
  const context = openContext({ method, target, headers, isTls, readBody }, address, id);
  return { incoming, outgoing, context, start: clock.now() };
}

/** Returns the id of the client if it has 1 to 128 visible ASCII characters, else a new one. */
function chooseRequestId(given: string | readonly string[] | undefined): string {
  return typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : crypto.randomUUID();
}

/**
 * Collects a body while it arrives, or its beginning beyond `maxBodyBytes`: pieces that wait in the buffers of Node.js
 * could take any amount of memory. Rejects with `RequestAborted` if the client disconnects.
 */
function collectBody(incoming: IncomingMessage, onChunk: (count: number) => void) {
  const { 'content-length': length, 'transfer-encoding': coding } = incoming.headers;
  if (length === undefined && coding === undefined) return noBody;
  let fail: (error: Error) => void = () => {};
  const bytes = new Promise<Uint8Array>((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let size = 0;
    let count = 0;
    incoming.on('data', (chunk: Uint8Array) => {
      count += 1;
      onChunk(count);
      if (size > maxBodyBytes) return;
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBodyBytes) resolve(Buffer.concat(chunks));
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    fail = reject;
    const abort = (cause: Error | undefined) => reject(new RequestAborted('the client disconnected', { cause }));
    incoming.on('error', abort).on('close', abort);
    // Reports each piece as soon as it is parsed. Otherwise, Node.js would store 64 KiB of pieces first.
    incoming.read(0);
  });
  // An operation may not need it.
  bytes.catch(() => {});
  return { bytes, fail };
}

const noBody = { bytes: Promise.resolve(new Uint8Array()), fail: () => {} };

/** Responds to a request with what the handler returns. */
async function respond(request: ReceivedRequest, options: ListenerOptions): Promise<void> {
  const { incoming, outgoing, context } = request;
  try {
    const rejection = checkHeaders(incoming);
    context.errorCode = rejection?.code;
    writeResponse(request, rejection ? rejectionResponse(rejection) : await options.handler(context), options);
  } catch (error) {
    logRequest(request, error instanceof ConnectionReset ? 'reset' : 'aborted', options);
    if (error instanceof ConnectionReset) return void incoming.socket.resetAndDestroy();
    if (!(error instanceof RequestAborted)) options.onError(error, context.id);
    outgoing.destroy();
  }
}

/** Returns why a request is rejected by its headers alone. */
function checkHeaders({ rawHeaders, httpVersion, headers }: IncomingMessage): Rejection | undefined {
  const { host, 'transfer-encoding': coding } = headers;
  // A proxy may read the end of the body, or of the headers, elsewhere (RFC 9112 §6.1).
  const close = { connection: 'close' };
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || httpVersion === '1.0')) {
    return new Rejection('invalid_request', 'the only supported transfer coding is chunked, in HTTP/1.1', close, 501);
  }
  if (rawHeaders.length > 2 * maxHeaderLines) {
    const message = `a request must not have more than ${maxHeaderLines} header lines`;
    return new Rejection('invalid_request', message, close, 431);
  }
  // HTTP/1.0 has no Host header (RFC 9112 §3.2). Node.js joins several ones.
  const isHostValid = host === undefined ? httpVersion === '1.0' : !host.includes(',');
  return isHostValid ? undefined : new Rejection('invalid_request', 'exactly one Host header is required');
}

/** Writes a response, and closes the connection if the rest of the body would be read as the next request. */
function writeResponse(request: ReceivedRequest, response: HttpResponse, options: ListenerOptions): void {
  const { incoming, outgoing, context } = request;
  const { status, headers, body } = response;
  const isUnread = !incoming.complete;
  outgoing.writeHead(status, {
    // Node.js would send the time of the machine, which `--clock` may override.
    date: new Date(options.clock.now()).toUTCString(),
    'x-request-id': context.id,
    'content-length': body.length,
    ...((isUnread || options.isDraining()) && { connection: 'close' }),
    ...(headers as OutgoingHttpHeaders),
  });
  logRequest(request, status, options);
  if (!isUnread) return void outgoing.end(body);
  outgoing.write(body);
  discardRest(incoming.socket, () => outgoing.end());
}

/** Logs a request, or bytes that are not one. */
function logRequest(
  { context, start }: Pick<ReceivedRequest, 'context' | 'start'>,
  status: RequestLogEntry['status'],
  { clock, log }: ListenerOptions,
): void {
  const { method, path, id: requestId, key, address, route, errorCode } = context;
  const time = clock.now();
  const durationMs = Math.max(0, time - start);
  const operation = route?.operation;
  log({ time, method, path, status, durationMs, requestId, key: key?.prefix, address, operation, errorCode });
}

function addressOf(socket: Socket): string {
  // Undefined if the client is gone already.
  return unmapAddress(socket.remoteAddress ?? '');
}

/** Trusts the proxies in some networks, such as `10.0.0.0/8` or `::1`. Throws a usage error if one is malformed. */
export function trustProxies(networks: readonly string[]): IsTrustedProxy {
  try {
    return proxyAddr.compile([...networks]);
  } catch {
    const message = '--trust-proxy must be an IP address or a network in CIDR notation';
    const hint = 'pass a value such as --trust-proxy 10.0.0.0/8 or --trust-proxy ::1';
    throw usageError('invalid_flag', message, hint);
  }
}

/** Returns the address of the client behind a trusted proxy: of several ones, each appends the address that it saw. */
function findClient(incoming: IncomingMessage, isTrustedProxy: IsTrustedProxy): string | undefined {
  const address = proxyAddr(incoming, isTrustedProxy);
  return isIP(address) > 0 ? unmapAddress(address) : undefined;
}
