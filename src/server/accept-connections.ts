import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../clock.js';
import { limitConnections } from './limit-connections.js';
import { PacedConnection } from './paced-connection.js';
import { rejectOnSocket } from './reject-on-socket.js';
import { Rejection } from './responses.js';

/** Replaces the sockets that node:http serves with paced connections, and limits their number. */
export function acceptConnections(server: Server, clock: Clock) {
  const connections = limitConnections(maxConnections);
  const [serve] = server.listeners('connection') as [(connection: Duplex) => void];
  server.removeAllListeners('connection');
  let rejectedCount = 0;
  server.on('connection', (socket: Socket) => {
    if (connections.makeRoom()) {
      const connection = new PacedConnection(socket, connections.isResponding);
      connections.add(connection);
      return serve.call(server, connection);
    }
    if (rejectedCount >= maxConnections) return void socket.destroy();
    rejectedCount += 1;
    socket.on('error', () => {});
    socket.on('close', () => {
      rejectedCount -= 1;
    });
    const rejection = new Rejection('unavailable', 'the server has no free connection', { 'retry-after': '1' });
    return void rejectOnSocket(rejection, socket, clock.now());
  });
  return connections;
}

const maxConnections = 256;
