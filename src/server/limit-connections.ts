import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PacedConnection } from './paced-connection.js';

/**
 * Limits the connections of a server. If it is full, a new connection replaces the one whose unfinished request or
 * initial silence is oldest, else the one that has been idle longest. A connection that is being responded to stays.
 */
export function limitConnections(maxConnections: number) {
  // Both in the order in which they got there.
  const unfinished = new Set<PacedConnection>();
  const idle = new Set<PacedConnection>();
  const requests = new Map<PacedConnection, Set<IncomingMessage>>();
  const closing = new WeakSet<PacedConnection>();
  const isResponding = (connection: PacedConnection) => {
    for (const { complete } of requests.get(connection) ?? []) if (complete) return true;
    return false;
  };
  const findReplaceable = () =>
    [...unfinished].find((connection) => !isResponding(connection)) ?? idle.values().next().value;
  return {
    /** Returns whether a completely received request on this connection awaits its response. */
    isResponding,
    /** Returns whether there is room for a new connection, which may have replaced another. */
    makeRoom: (): boolean => {
      if (requests.size < maxConnections) return true;
      const replaceable = findReplaceable();
      replaceable?.destroy();
      return replaceable !== undefined;
    },
    add: (connection: PacedConnection): void => {
      requests.set(connection, new Set());
      // The next turn of the event loop reads its first bytes; until then nothing is known about it.
      setImmediate(() =>
        setImmediate(() => {
          if (requests.has(connection) && !idle.has(connection)) unfinished.add(connection);
        }),
      );
      connection.on('close', () => {
        unfinished.delete(connection);
        idle.delete(connection);
        requests.delete(connection);
      });
    },
    /** Called for each request once its headers are complete. */
    addRequest: (connection: PacedConnection, incoming: IncomingMessage, outgoing: ServerResponse): void => {
      const pending = requests.get(connection);
      pending?.add(incoming);
      connection.holdBody({ isChunked: incoming.headers['transfer-encoding'] !== undefined });
      idle.delete(connection);
      unfinished.add(connection);
      outgoing.on('close', () => {
        pending?.delete(incoming);
        if (closing.has(connection) && !isResponding(connection)) connection.destroySoon();
        if (pending?.size === 0 && !connection.destroyed) {
          unfinished.delete(connection);
          idle.add(connection);
        }
        connection.continueAfterResponse(pending?.size === 0);
      });
    },
    destroyAfterResponse: (connection: PacedConnection) => void closing.add(connection),
    /** Destroys connections without a request. */
    destroyIdle: (): void => {
      for (const [connection, { size }] of requests) if (size === 0) connection.destroy();
    },
  };
}
