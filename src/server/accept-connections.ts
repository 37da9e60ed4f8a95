import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { clientNetwork, unmapAddress } from './client-network.js';
import { defaultMaxConnections, defaultMaxConnectionsPerAddress } from './connection-limits.js';
import { encryptConnection, type TlsOptions } from './encrypt-connection.js';
import { limitConnections } from './limit-connections.js';
import { beginRequest, type RequestLogOptions } from './logged-request.js';
import { PacedConnection } from './paced-connection.js';
import { rejectOnSocket, type WireRejectionReason } from './reject-on-socket.js';
import { Rejection } from './responses.js';
import type { TrustedProxies } from './trusted-proxies.js';

export interface AcceptOptions extends RequestLogOptions {
  /** Called for each request or connection that is rejected before the handler gets a request. */
  readonly onWireRejection?: ((reason: WireRejectionReason) => void) | undefined;
  readonly maxConnections?: number | undefined;
  /** Maximum per client: an IPv4 address or the /64 of an IPv6 address. */
  readonly maxConnectionsPerAddress?: number | undefined;
  /** Their connections count toward `maxConnections` only. */
  readonly trustedProxies?: TrustedProxies | undefined;
  /** Encrypts each connection. */
  readonly tls?: TlsOptions | undefined;
}

/** Replaces the sockets that node:http serves with paced connections, and limits their number. */
export function acceptConnections(
  server: Server,
  {
    maxConnections = defaultMaxConnections,
    maxConnectionsPerAddress = defaultMaxConnectionsPerAddress,
    trustedProxies,
    tls,
    onWireRejection,
    ...options
  }: AcceptOptions,
) {
  const encrypt =
    tls &&
    ((socket: Socket) =>
      encryptConnection(socket, {
        secureContext: tls.secureContext,
        onHandshakeError: (...report) => {
          onWireRejection?.('tls_handshake');
          tls.onHandshakeError(...report);
        },
      }));
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
    const stream = encrypt?.(socket) ?? socket;
    stream.on('error', () => {});
    stream.on('close', () => {
      rejectedCount -= 1;
    });
    const rejection = new Rejection('unavailable', message, { 'retry-after': '1' });
    request.end(rejectOnSocket(rejection, stream, { now: options.clock.now(), requestId: request.id }));
  };
  server.on('connection', (socket: Socket) => {
    // Undefined if the client is gone already.
    const { remoteAddress = '' } = socket;
    const network = trustedProxies?.includes(remoteAddress) ? undefined : clientNetwork(remoteAddress);
    const count = network === undefined ? 0 : (counts.get(network) ?? 0);
    if (count >= maxConnectionsPerAddress)
      return reject(socket, 'address_connection_limit', 'this address has too many connections');
    if (!connections.makeRoom()) return reject(socket, 'connection_limit', 'the server has no free connection');
    const connection = new PacedConnection(socket, connections.isResponding, encrypt?.(socket));
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
