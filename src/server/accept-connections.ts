import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clientNetwork, unmapAddress } from './client-network.js';
import * as limits from './connection-limits.js';
import { limitConnections } from './limit-connections.js';
import { beginRequest, type RequestLogOptions } from './logged-request.js';
import { PacedConnection } from './paced-connection.js';
import { rejectOnSocket, type WireRejectionReason } from './reject-on-socket.js';
import { Rejection } from './responses.js';
import type { TrustedProxies } from './trusted-proxies.js';

export interface AcceptOptions extends RequestLogOptions {
  /** Called for each request or connection that is rejected before the handler gets a request. */
  readonly onWireRejection?: ((reason: WireRejectionReason) => void) | undefined;
  readonly maxConnections?: number;
  readonly maxConnectionsPerAddress?: number;
  /** Their connections count toward `maxConnections` only. */
  readonly trustedProxies?: TrustedProxies | undefined;
}

/** Replaces the sockets that node:http serves with paced connections, and limits their number. */
export function acceptConnections(
  server: Server,
  {
    maxConnections = limits.maxConnections,
    maxConnectionsPerAddress = limits.maxConnectionsPerAddress,
    trustedProxies,
    onWireRejection,
    ...options
  }: AcceptOptions,
) {
  const connections = limitConnections(maxConnections);
  const counts = new Map<string, number>();
  // Bun has a listener before it for its own sockets.
  const serve = server.listeners('connection').at(-1) as (connection: Duplex) => void;
  server.removeAllListeners('connection');
  let rejectedCount = 0;
  const reject = (socket: Socket, reason: WireRejectionReason, message: string) => {
    onWireRejection?.(reason);
    const request = beginRequest(undefined, unmapAddress(socket.remoteAddress ?? ''), options);
    if (rejectedCount >= maxConnections) {
      socket.destroy();
      return request.end('aborted');
    }
    rejectedCount += 1;
    socket.on('error', () => {});
    socket.on('close', () => {
      rejectedCount -= 1;
    });
    const rejection = new Rejection('unavailable', message, { 'retry-after': '1' });
    request.end(rejectOnSocket(rejection, socket, { now: options.clock.now(), requestId: request.id }));
  };
  server.on('connection', (socket: Socket) => {
    // Undefined if the client is gone already.
    const { remoteAddress = '' } = socket;
    const network = trustedProxies?.includes(remoteAddress) ? undefined : clientNetwork(remoteAddress);
    const count = network === undefined ? 0 : (counts.get(network) ?? 0);
    if (count >= maxConnectionsPerAddress)
      return reject(socket, 'address_connection_limit', 'this address has too many connections');
    if (!connections.makeRoom()) return reject(socket, 'connection_limit', 'the server has no free connection');
    const connection = new PacedConnection(socket, connections.isResponding);
    connections.add(connection);
    if (network !== undefined) {
      counts.set(network, count + 1);
      connection.on('close', () => {
        const rest = (counts.get(network) ?? 0) - 1;
        if (rest > 0) counts.set(network, rest);
        else counts.delete(network);
      });
    }
    serve.call(server, connection);
  });
  return connections;
}
