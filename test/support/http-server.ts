import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A response that a test has prepared. */
export interface CannedResponse {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Reads the request and never responds. */
  readonly hang?: true;
  /** Responds once `respond` of the server was called. */
  readonly waits?: true;
}

/** A service with prepared responses. */
export interface CannedServer {
  readonly env: Readonly<Record<string, string>>;
  readonly origin: string;
  /** Sends the responses that wait. */
  readonly respond: () => void;
  /** Resolves once a complete request has arrived. */
  readonly firstRequest: Promise<void>;
  /** The received requests. */
  readonly requests: readonly ReceivedRequest[];
}

interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/**
 * Starts a service on loopback that sends these responses and then repeats the last one. A function chooses the response
 * to a request.
 */
export async function startCannedServer(
  ...answers: readonly (CannedResponse | ((request: ReceivedRequest) => CannedResponse))[]
): Promise<CannedServer> {
  const requests: ReceivedRequest[] = [];
  let arrive = () => {};
  const reached = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let respond = () => {};
  const permission = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const server = createHttpServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const chosen = answers[Math.min(requests.length, answers.length - 1)];
    const received = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    requests.push(received);
    const answer = typeof chosen === 'function' ? chosen(received) : chosen;
    arrive();
    if (answer?.hang) return;
    if (answer?.waits) await permission;
    response.writeHead(answer?.status ?? 200, {
      'content-type': 'application/json',
      ...answer?.headers,
    });
    response.end(answer?.body ?? '[]');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    firstRequest: reached,
    respond,
    requests,
    env: { PETSTORE_BASE_URL: `${origin}/v1`, PETSTORE_API_KEY: 'pets_canary_0123456789' },
  };
}

/** A TCP server that reads complete requests. */
export interface RawServer {
  readonly origin: string;
  /** The complete requests with head and body. */
  readonly requests: readonly string[];
  /** Resolves once the first complete request has arrived. */
  readonly firstRequest: Promise<void>;
  /** Returns the number of accepted connections. */
  readonly connections: () => number;
}

/** Starts a TCP server whose `respond` writes raw bytes to the socket. */
export async function startRawServer(respond: (socket: Socket, request: string) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;
  let report = () => {};
  const asked = new Promise<void>((resolve) => {
    report = resolve;
  });
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!isWhole(text)) return;
      const request = text;
      text = '';
      requests.push(request);
      report();
      respond(socket, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, requests, firstRequest: asked, connections: () => connections };
}

/** Returns an origin on a closed port. */
export async function newClosedOrigin(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}

/** Returns a free local port. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /^content-length: *(\d+)/im.exec(text.slice(0, end))?.[1] ?? '0';
  return text.length >= end + 4 + Number(length);
}
