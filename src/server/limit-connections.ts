import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits the connections of a server. If it is full, a new connection replaces the one that has been idle longest, else
 * the first with an incomplete request. If every connection is being responded to, the new one is destroyed.
 */
export function limitConnections(server: Server, maxConnections: number) {
  // In the order in which they became idle.
  const idle = new Set<Socket>();
  const busy = new Map<Socket, Set<IncomingMessage>>();
  const closing = new WeakSet<Socket>();
  const isResponding = (socket: Socket) => [...(busy.get(socket) ?? [])].some(({ complete }) => complete);
  const trackRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    idle.delete(socket);
    const requests = busy.get(socket) ?? new Set();
    busy.set(socket, requests.add(incoming));
    outgoing.on('close', () => {
      requests.delete(incoming);
      if (closing.has(socket) && !isResponding(socket)) socket.destroySoon();
      if (requests.size > 0) return;
      busy.delete(socket);
      if (!socket.destroyed) idle.add(socket);
    });
  };
  server.on('connection', (socket: Socket) => {
    if (idle.size + busy.size >= maxConnections) {
      const replaceable = [...idle, ...busy.keys()].find((candidate) => !isResponding(candidate));
      if (!replaceable) return void socket.destroy();
      idle.delete(replaceable);
      busy.delete(replaceable);
      replaceable.destroy();
    }
    idle.add(socket);
    socket.on('close', () => {
      idle.delete(socket);
      busy.delete(socket);
    });
  });
  server.on('request', trackRequest);
  server.on('checkExpectation', trackRequest);
  return {
    /** Returns whether a completely received request on this connection awaits its response. */
    isResponding,
    destroyAfterResponse: (socket: Socket) => void closing.add(socket),
    destroyIdle: () => {
      for (const socket of idle) socket.destroy();
    },
  };
}
