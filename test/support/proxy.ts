import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

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
  const server = createServer((_, response) => response.writeHead(400).end());
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
