import { once } from 'node:events';
import { createServer } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { type AcceptOptions, acceptConnections } from '../../src/server/accept-connections.js';
import { fakeClock } from '../support/clock.js';

test('a closed connection makes room for only one of its address', async () => {
  const { open, close, rejections } = accept({ maxConnectionsPerAddress: 2 });
  const first = open();
  open();
  await close(first);
  open();
  expect(rejections).toEqual([]);
  open();
  expect(rejections).toEqual(['address_connection_limit']);
});

test('a connection beyond the share of its address replaces none of another address', async () => {
  const { open, rejections } = accept({ maxConnections: 2, maxConnectionsPerAddress: 1 });
  const sockets = [open('192.0.2.1'), open('192.0.2.2')];
  // A connection can be replaced two turns after it was opened.
  for (let turns = 0; turns < 3; turns += 1) await new Promise(setImmediate);
  open('192.0.2.1');
  expect(rejections).toEqual(['address_connection_limit']);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, false]);
});

test('a rejected connection gets 503 even if many were rejected before it', async () => {
  const { open, close, statuses } = accept({ maxConnections: 2, maxConnectionsPerAddress: 1 });
  open();
  for (let rejected = 0; rejected < 4; rejected += 1) await close(open());
  expect(statuses).toEqual([503, 503, 503, 503]);
});

test('connections beyond the limit of rejected ones are closed without a response', () => {
  const { open, statuses } = accept({ maxConnections: 2, maxConnectionsPerAddress: 1 });
  for (let opened = 0; opened < 4; opened += 1) open();
  expect(statuses).toEqual([503, 503, 'aborted']);
});

/** Accepts connections. Records why connections are rejected, and the statuses in the log. */
function accept(options: Pick<AcceptOptions, 'maxConnections' | 'maxConnectionsPerAddress'>) {
  const server = createServer();
  const rejections: string[] = [];
  const statuses: unknown[] = [];
  acceptConnections(server, {
    ...options,
    clock: fakeClock(),
    log: ({ status }) => void statuses.push(status),
    onWireRejection: (reason) => void rejections.push(reason),
  });
  const open = (remoteAddress = '192.0.2.9') => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress });
    server.emit('connection', socket);
    return socket;
  };
  const close = async (socket: Socket) => {
    const closed = socket.closed ? undefined : once(socket, 'close');
    socket.destroy();
    await closed;
    // The connection on top of the socket closes next.
    await new Promise(setImmediate);
  };
  return { open, close, rejections, statuses };
}
