import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionTracker {
  /** True while a request that came whole is being answered on it. */
  isResponding(socket: Socket): boolean;
  /** Ends it once what came whole is answered. */
  destroyAfterResponse(socket: Socket): void;
  /** Ends those that carry no request. */
  destroyIdle(): void;
}

/**
 * Bounds the connections of a server. Where all are taken, the one that has idled longest makes room for a new
 * one, else the first whose request has not come whole; where all are being answered, the new one is turned away.
 */
export function limitConnections(server: Server, most: number): ConnectionTracker {
  // In the order in which they began to idle.
  const idle = new Set<Socket>();
  const busy = new Map<Socket, Set<IncomingMessage>>();
  const ending = new WeakSet<Socket>();
  const isAnswering = (socket: Socket) =>
    [...(busy.get(socket) ?? [])].some(({ complete }) => complete);
  const begin = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { socket } = incoming;
    idle.delete(socket);
    const requests = busy.get(socket) ?? new Set();
    busy.set(socket, requests.add(incoming));
    outgoing.on('close', () => {
      requests.delete(incoming);
      if (ending.has(socket) && !isAnswering(socket)) socket.destroySoon();
      if (requests.size > 0) return;
      busy.delete(socket);
      if (!socket.destroyed) idle.add(socket);
    });
  };
  server.on('connection', (socket: Socket) => {
    if (idle.size + busy.size >= most) {
      const dispensable = [...idle, ...busy.keys()].find((candidate) => !isAnswering(candidate));
      if (!dispensable) return void socket.destroy();
      idle.delete(dispensable);
      busy.delete(dispensable);
      dispensable.destroy();
    }
    idle.add(socket);
    socket.on('close', () => {
      idle.delete(socket);
      busy.delete(socket);
    });
  });
  server.on('request', begin);
  server.on('checkExpectation', begin);
  return {
    isResponding: isAnswering,
    destroyAfterResponse: (socket) => void ending.add(socket),
    destroyIdle: () => {
      for (const socket of idle) socket.destroy();
    },
  };
}
