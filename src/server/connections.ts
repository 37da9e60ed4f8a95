import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { clientNetwork, unmapAddress } from './client-address.js';
import { Rejection } from './responses.js';
import type { ServerOptions } from './server-options.js';

type ConnectionOptions = Pick<
  ServerOptions,
  'clock' | 'maxConnections' | 'maxConnectionsPerAddress' | 'isTrustedProxy'
>;

/** A request whose response is not complete. */
interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Handles the request. */
  readonly start: () => Promise<void>;
  /** Rejects the body, whose rest is invalid or late. */
  readonly failBody: (error: Error) => void;
}

export interface Connection {
  readonly socket: Socket;
  /** Address of the other side; empty if it is gone already. */
  readonly address: string;
  /** What it counts toward. Undefined for a trusted proxy, which serves many clients. */
  readonly network: string | undefined;
  /** The first one is being handled; the others wait. */
  readonly exchanges: Exchange[];
  /** Called once after the last response. */
  onAnswered?: () => void;
}

const defaults = { maxConnections: 256, maxConnectionsPerAddress: 64 };

/** How long an address is refused whose client cost too much. In milliseconds. */
const refusalMs = 5_000;

/** The open connections of a server. When it is full, a new one replaces the one that is idle longest. */
export function createConnections({
  maxConnections = defaults.maxConnections,
  maxConnectionsPerAddress = defaults.maxConnectionsPerAddress,
  isTrustedProxy,
  clock,
}: ConnectionOptions) {
  // The least recently active one comes first.
  const open = new Map<Socket, Connection>();
  const counts = new Map<string, number>();
  const refusedUntil = new Map<string, number>();
  const makeRoom = (): boolean => {
    if (open.size < maxConnections) return true;
    for (const connection of open.values()) {
      if (isBusy(connection)) continue;
      remove(connection);
      connection.socket.destroy();
      return true;
    }
    return false;
  };
  const remove = ({ socket, network }: Connection) => {
    if (!open.delete(socket) || network === undefined) return;
    const rest = (counts.get(network) ?? 0) - 1;
    if (rest > 0) counts.set(network, rest);
    else counts.delete(network);
  };
  const identify = (socket: Socket): Connection => {
    const address = unmapAddress(socket.remoteAddress ?? '');
    const network = isTrustedProxy?.(address, 0) ? undefined : clientNetwork(address);
    return { socket, address, network, exchanges: [] };
  };
  const add = (connection: Connection): Connection => {
    const { socket, network } = connection;
    open.set(socket, connection);
    if (network !== undefined) counts.set(network, (counts.get(network) ?? 0) + 1);
    socket.on('close', () => remove(connection));
    return connection;
  };
  return {
    /** Adds a new connection, or returns why it is rejected: with a response, or because its address is refused. */
    admit: (socket: Socket): Rejection | 'refused' | undefined => {
      const connection = identify(socket);
      const { network } = connection;
      if (network !== undefined) {
        if ((refusedUntil.get(network) ?? 0) > clock.now()) return 'refused';
        if ((counts.get(network) ?? 0) >= maxConnectionsPerAddress)
          return tooMany('this address has too many connections');
      }
      if (!makeRoom()) return tooMany('the server has no free connection');
      add(connection);
      return undefined;
    },
    /** Returns the connection of a socket. Bun announces no connections, so that this may be the first sign of it. */
    find: (socket: Socket): Connection => open.get(socket) ?? add(identify(socket)),
    /** Marks a connection as active now. */
    touch: (connection: Connection): void => {
      if (open.delete(connection.socket)) open.set(connection.socket, connection);
    },
    /**
     * Closes a connection whose client costs too much, and refuses its address for a while. Closes the other connections of
     * that address, too, unless they wait for the server: each could cost as much.
     */
    refuse: ({ socket, network }: Connection): void => {
      socket.destroy();
      if (network === undefined) return;
      for (const other of open.values()) if (other.network === network && !isBusy(other)) other.socket.destroy();
      const now = clock.now();
      for (const [other, until] of refusedUntil) if (until <= now) refusedUntil.delete(other);
      refusedUntil.set(network, now + refusalMs);
    },
    /** Closes the connections on which no request is being handled. */
    destroyIdle: (): void => {
      for (const connection of open.values()) if (!isBusy(connection)) connection.socket.destroy();
    },
  };
}

function tooMany(message: string): Rejection {
  return new Rejection('unavailable', message, { 'retry-after': '1' });
}

/** Returns whether a complete request waits for the server. A client that does not read its response is idle. */
export function isBusy({ exchanges: [current] }: Connection): boolean {
  return current?.incoming.complete === true && !current.outgoing.writableEnded;
}
