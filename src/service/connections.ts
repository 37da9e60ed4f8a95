import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Bounds the connections of a server. Where all are taken, the one that has idled longest makes room for a new
 * one; where none idles, the new one is turned away. What it returns tells whether a connection carries a
 * request that came whole and is being answered.
 */
export function boundConnections(server: Server, most: number): (socket: Socket) => boolean {
  // In the order in which they began to idle.
  const idle = new Set<Socket>();
  const busy = new Map<Socket, Set<IncomingMessage>>();
  server.on('connection', (socket: Socket) => {
    if (idle.size + busy.size >= most) {
      const [longest] = idle;
      if (!longest) return void socket.destroy();
      idle.delete(longest);
      longest.destroy();
    }
    idle.add(socket);
    socket.on('close', () => {
      idle.delete(socket);
      busy.delete(socket);
    });
  });
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    idle.delete(socket);
    const requests = busy.get(socket) ?? new Set();
    busy.set(socket, requests.add(incoming));
    outgoing.on('close', () => {
      requests.delete(incoming);
      if (requests.size > 0) return;
      busy.delete(socket);
      if (!socket.destroyed) idle.add(socket);
    });
  });
  return (socket) => [...(busy.get(socket) ?? [])].some(({ complete }) => complete);
}
