import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../contract/clock.js';
import type { HttpRequest } from '../contract/exchange.js';
import { type Handle, largestBody } from './handle.js';

export interface ListenOptions {
  readonly handle: Handle;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly clock: Clock;
  /** One line for each request: method, path, status and milliseconds. */
  readonly log: (line: string) => void;
}

export interface Listening {
  /** The port that was taken. */
  readonly port: number;
  /** Takes no new connections, finishes what is in flight (5 s at most), then resolves. */
  close(): Promise<void>;
}

/** Puts the store on node:http; resolves once it accepts, rejects where the address cannot be had. */
export async function listen(options: ListenOptions): Promise<Listening> {
  const server = createServer(
    {
      headersTimeout: 10_000,
      requestTimeout: 15_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 5_000,
      maxHeaderSize: 16_384,
    },
    (incoming, outgoing) => void answer(incoming, outgoing, server, options),
  );
  server.maxConnections = 256;
  await accepting(server, options);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => finishAndClose(server),
  };
}

const longestGoodbye = 5_000;

function accepting(server: Server, { port, host }: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function finishAndClose(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const impatience = setTimeout(() => server.closeAllConnections(), longestGoodbye);
    server.close(() => {
      clearTimeout(impatience);
      resolve();
    });
    server.closeIdleConnections();
  });
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  server: Server,
  { handle, clock, log }: ListenOptions,
): Promise<void> {
  const start = clock.now();
  const body = await bodyOf(incoming).catch(() => undefined);
  if (body === undefined) return void outgoing.destroy();
  const response = await handle(requestOf(incoming, body), incoming.socket.remoteAddress ?? '');
  if (body.length > largestBody || !server.listening) outgoing.setHeader('connection', 'close');
  outgoing.writeHead(response.status, response.headers as Record<string, string>);
  outgoing.end(response.body);
  const path = (incoming.url ?? '').split('?')[0];
  log(`${incoming.method} ${path} ${response.status} ${clock.now() - start} ms`);
}

function requestOf(incoming: IncomingMessage, body: Uint8Array): HttpRequest {
  return {
    method: incoming.method ?? '',
    origin: `http://${incoming.headers.host}`,
    target: incoming.url ?? '',
    headers: incoming.headers,
    body,
  };
}

/** The body, cut off one byte past the bound; rejects where the client goes away before its end. */
async function bodyOf(incoming: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk as Uint8Array);
    size += (chunk as Uint8Array).length;
    if (size > largestBody) break;
  }
  return Buffer.concat(chunks);
}
