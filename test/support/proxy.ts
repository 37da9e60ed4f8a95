import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A running CONNECT proxy. */
export interface Proxy {
  /** Host and port. */
  readonly address: string;
  /** The targets of the CONNECT requests. */
  readonly asked: readonly {
    readonly target: string;
    readonly headers: Readonly<Record<string, unknown>>;
  }[];
  /** The bytes that clients sent through tunnels. */
  readonly sent: () => Buffer;
}

/** Starts a CONNECT proxy that tunnels every target to one origin, or responds with a status. */
export async function openProxy(to: { readonly origin: string } | { readonly status: number }): Promise<Proxy> {
  const asked: { target: string; headers: Record<string, unknown> }[] = [];
  const sent: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createHttpServer((_, response) => response.writeHead(400).end());
  server.on('connection', (socket) => sockets.add(socket));
  server.on('connect', ({ url = '', headers }, socket: Socket, head: Buffer) => {
    asked.push({ target: url, headers });
    socket.on('error', () => {});
    if ('status' in to) {
      socket.end(`HTTP/1.1 ${to.status} No\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    const { hostname, port } = new URL(to.origin);
    const origin = connect(Number(port), hostname);
    sockets.add(origin);
    origin.on('error', () => socket.destroy());
    socket.on('data', (chunk) => sent.push(chunk));
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    origin.write(head);
    socket.pipe(origin).pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    sent: () => Buffer.concat(sent),
  };
}

/** Where a faulty proxy sends requests. */
export interface FaultyProxyOptions {
  /** Returns the base URLs of the servers; creates take turns. */
  readonly targets: () => readonly string[];
  /** Removes what shows that the servers honor idempotency keys. */
  readonly ignoresKeys?: boolean;
}

/**
 * Starts a proxy that spoils creates, by their number: it loses the response of every third, and of others resets the
 * connection before the server gets the request, truncates the response, or replaces it with a 503.
 */
export async function startFaultyProxy({ targets, ignoresKeys = false }: FaultyProxyOptions): Promise<string> {
  let creates = 0;
  const server = createHttpServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    if (incoming.method === 'POST') creates += 1;
    const fault = incoming.method === 'POST' ? faultOf(creates) : undefined;
    if (fault === 'reset') return void incoming.socket.resetAndDestroy();
    const addresses = targets();
    const target = addresses[creates % addresses.length] ?? '';
    const response = await forward(target, incoming, Buffer.concat(chunks), ignoresKeys).catch(() => undefined);
    if (!response || fault === 'lost') return void incoming.socket.destroy();
    const { status, headers, body } = response;
    if (fault === 'failed') return void outgoing.writeHead(503).end();
    if (ignoresKeys) delete headers['idempotency-key-lifetime'];
    outgoing.writeHead(status, headers as Record<string, string>);
    if (fault === 'truncated') truncate(outgoing, body);
    else outgoing.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

function faultOf(create: number): 'lost' | 'reset' | 'truncated' | 'failed' | undefined {
  if (create % 3 === 0) return 'lost';
  return ({ 10: 'reset', 20: 'truncated', 25: 'failed' } as const)[create % 30];
}

function truncate(outgoing: ServerResponse, body: Buffer): void {
  outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
}

async function forward(
  baseUrl: string,
  { method, url = '', headers }: IncomingMessage,
  body: Buffer,
  ignoresKeys: boolean,
) {
  const { origin } = new URL(baseUrl);
  const { host: _, connection: __, ...rest } = headers;
  if (ignoresKeys) delete rest['idempotency-key'];
  const sent = request(`${origin}${url}`, { method, headers: rest, agent: false });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, headers: { ...response.headers }, body: Buffer.concat(chunks) };
}

/** Opens a TCP port that forwards to a server, as a network does that can lose or close its connections. */
export async function openVirtualAddress(first: NetConnectOpts) {
  let target = first;
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((client) => {
    const backend = connect(target);
    for (const socket of [client, backend]) socket.on('error', () => {});
    client.pipe(backend).pipe(client);
    backend.on('close', () => client.destroy());
    pairs.add([client, backend]);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closeConnections = () => {
    for (const [client] of pairs) client.resetAndDestroy();
    pairs.clear();
  };
  onTestFinished(() => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    closeConnections,
    /** From now on, nothing that existing connections send arrives. */
    loseConnections: () => {
      for (const [client, backend] of pairs) {
        client.unpipe().resume();
        backend.unpipe().resume();
      }
    },
    /** Forwards new connections to another server. Existing connections stay. */
    switchTo: (other: NetConnectOpts) => {
      target = other;
    },
  };
}
