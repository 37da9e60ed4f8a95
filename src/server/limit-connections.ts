import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { PacedConnection } from './paced-connection.js';

export const headersTimeoutMs = 10_000;
/** Headers included. */
export const requestTimeoutMs = 15_000;
/** Between requests. */
export const keepAliveTimeoutMs = 5_000;
/** For a client that neither sends nor reads. */
export const stallTimeoutMs = 20_000;

/**
 * Limits the connections of a server. If it is full, a new connection replaces the one whose unfinished request or
 * initial silence is oldest, else the one that has been idle longest. A connection that is being responded to stays. `now`
 * returns the time since any moment, in milliseconds.
 */
export function limitConnections(maxConnections: number, now = () => performance.now()) {
  // Both in the order in which they got there, with the time in milliseconds.
  const unfinished = new Map<PacedConnection, number>();
  const idle = new Map<PacedConnection, { readonly since: number; readonly bytesRead: number }>();
  const requests = new Map<PacedConnection, Set<IncomingMessage>>();
  const closing = new WeakSet<PacedConnection>();
  const destroyIfStalled = createStallCheck();
  const isResponding = (connection: PacedConnection) => {
    for (const { complete } of requests.get(connection) ?? []) if (complete) return true;
    return false;
  };
  const markUnfinished = (connection: PacedConnection) => {
    if (!unfinished.has(connection)) unfinished.set(connection, now());
  };
  const findReplaceable = () =>
    [...unfinished.keys()].find((connection) => !isResponding(connection)) ?? idle.keys().next().value;
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
          if (requests.has(connection) && !idle.has(connection)) markUnfinished(connection);
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
      markUnfinished(connection);
      outgoing.on('close', () => {
        pending?.delete(incoming);
        if (closing.has(connection) && !isResponding(connection)) connection.destroySoon();
        if (pending?.size === 0 && !connection.destroyed) {
          unfinished.delete(connection);
          idle.set(connection, { since: now(), bytesRead: connection.bytesRead });
        }
        connection.continueAfterResponse(pending?.size === 0);
      });
    },
    destroyAfterResponse: (connection: PacedConnection) => void closing.add(connection),
    /**
     * Calls `onTimeout` for each connection whose request is late. Destroys those that are idle or read nothing. Only Bun
     * needs this: Node.js checks the timeouts of all connections.
     */
    checkTimeouts: (onTimeout: (connection: PacedConnection) => void): void => {
      const time = now();
      for (const [connection, since] of unfinished) {
        const timeoutMs = requests.get(connection)?.size ? requestTimeoutMs : headersTimeoutMs;
        if (time - since >= timeoutMs && !isResponding(connection)) onTimeout(connection);
      }
      for (const [connection, { since, bytesRead }] of idle) {
        if (connection.bytesRead > bytesRead) {
          idle.delete(connection);
          markUnfinished(connection);
        } else if (time - since >= keepAliveTimeoutMs) connection.destroy();
      }
      for (const connection of requests.keys()) destroyIfStalled(connection, time);
    },
    /** Destroys connections without a request. */
    destroyIdle: (): void => {
      for (const [connection, { size }] of requests) if (size === 0) connection.destroy();
    },
  };
}

/** Returns a function that destroys a connection whose client reads nothing. Call it regularly with the current time. */
function createStallCheck() {
  const sending = new WeakMap<PacedConnection, { readonly since: number; readonly sentParts: number }>();
  return (connection: PacedConnection, time: number): void => {
    const { sentParts, writableLength } = connection;
    const last = sending.get(connection);
    if (writableLength === 0) sending.delete(connection);
    else if (last?.sentParts !== sentParts) sending.set(connection, { since: time, sentParts });
    else if (time - last.since >= stallTimeoutMs) connection.destroy();
  };
}
