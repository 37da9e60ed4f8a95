import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { limitConnections } from '../../src/server/limit-connections.js';
import { PacedConnection } from '../../src/server/paced-connection.js';

const complete = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx';
const incomplete = complete.slice(0, -1);

test('a new connection replaces the one that is idle longest', async () => {
  const { open } = await start(2);
  const [first, second] = [await open(), await open()];
  const third = await open();
  await first.ended;
  expect([second.socket.closed, third.socket.closed]).toEqual([false, false]);
});

test('a request restarts the idle time of a connection', async () => {
  const { open, answer } = await start(2);
  const [first, second] = [await open(), await open()];
  first.socket.write(complete);
  await answer();
  await once(first.socket, 'data');
  const third = await open();
  await second.ended;
  expect([first.socket.closed, third.socket.closed]).toEqual([false, false]);
});

test('no new connection gets in if every other awaits a response', async () => {
  const { open, answer } = await start(2);
  const [first, second] = [await open(complete), await open(complete)];
  const third = await open();
  await third.ended;
  await answer();
  await answer();
  for (const { text } of [first, second]) await expect.poll(text).toContain('200 OK');
  const fourth = await open(complete);
  await answer();
  await expect.poll(fourth.text).toContain('200 OK');
});

test('a connection that was idle is not replaced while it awaits another response', async () => {
  const { open, answer, send } = await start(2);
  const first = await open(complete);
  await answer();
  await once(first.socket, 'data');
  await send(first.socket, complete);
  const second = await open(complete);
  const third = await open();
  await third.ended;
  await answer();
  await answer();
  await expect.poll(first.text).toMatch(/200 OK.*200 OK/s);
  await expect.poll(second.text).toContain('200 OK');
});

test('a connection that the client reset makes no room once others have replaced it', async () => {
  const { open, answer, count } = await start(2);
  const first = await open(complete);
  first.socket.resetAndDestroy();
  await expect.poll(count).toBe(0);
  await answer();
  const busy = [await open(complete), await open(complete)];
  const rejected = await open();
  await rejected.ended;
  for (const _ of busy) await answer();
  for (const { text } of busy) await expect.poll(text).toContain('200 OK');
});

test('the oldest unfinished request or silence is replaced before idle connections', async () => {
  const { open, answer } = await start(3);
  const idle = await open(complete);
  await answer();
  await once(idle.socket, 'data');
  const first = await open(incomplete);
  const second = await open();
  const third = await open(incomplete);
  await first.ended;
  const fourth = await open(incomplete);
  await second.ended;
  expect([idle, third, fourth].map(({ socket }) => socket.closed)).toEqual([false, false, false]);
});

test('a connection that the client closed makes room after its response', async () => {
  const { open, answer, count } = await start(2);
  const [first, second] = [await open(complete), await open(complete)];
  first.socket.destroy();
  await answer();
  await expect.poll(count).toBe(1);
  const third = await open(complete);
  for (let answered = 0; answered < 2; answered += 1) await answer();
  for (const { text } of [second, third]) await expect.poll(text).toContain('200 OK');
});

test('a connection that the client reset makes room', async () => {
  const { open, count } = await start(2);
  const first = await open(complete);
  first.socket.resetAndDestroy();
  await expect.poll(count).toBe(0);
});

test('connections that arrive at once do not replace each other unread', async () => {
  const { open, answer } = await start(2);
  const opened = [open(complete), open(complete)];
  const rejected = [open(), open()];
  const [first, second] = await Promise.all(opened);
  for (const { ended } of await Promise.all(rejected)) await ended;
  await answer();
  await answer();
  for (const one of [first, second]) await expect.poll(() => one?.text()).toContain('200 OK');
});

test('destroyIdle leaves a connection that awaits its response', async () => {
  const { open, answer, connections } = await start(9);
  const idle = [await open(), await open()];
  const busy = await open(complete);
  connections.destroyIdle();
  for (const { ended } of idle) await ended;
  await answer();
  await expect.poll(busy.text).toContain('200 OK');
});

/** Starts a server; each call of `answer` responds to one completely received request. */
async function start(maxConnections: number) {
  const server = createServer();
  const connections = limitConnections(maxConnections);
  const [serve] = server.listeners('connection') as [(connection: PacedConnection) => void];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!connections.makeRoom()) return socket.destroy();
    const connection = new PacedConnection(socket, connections.isResponding);
    connections.add(connection);
    return serve.call(server, connection);
  });
  const pending: ((body: string) => void)[] = [];
  let answeredCount = 0;
  let notify = () => {};
  server.on('request', (incoming, outgoing) => {
    connections.addRequest(incoming.socket as Duplex as PacedConnection, incoming, outgoing);
    incoming.resume();
    incoming.on('error', () => {});
    incoming.on('end', () => {
      pending.push((body) => outgoing.end(body));
      outgoing.on('close', () => {
        answeredCount += 1;
      });
      notify();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const answer = async (body = '') => {
    while (pending.length === 0) {
      await new Promise<void>((resolve) => {
        notify = resolve;
      });
    }
    pending.shift()?.(body);
  };
  /** Connects, sends `text`, and resolves once the server received it. */
  const open = async (text = '') => {
    const before = pending.length;
    const connected = once(server, 'connection');
    const requested = text === '' ? undefined : once(server, 'request');
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const ended = once(socket, 'close');
    if (text !== '') socket.write(text);
    await connected;
    await requested;
    if (text === complete) await expect.poll(() => pending.length).toBeGreaterThan(before);
    return { socket, ended, text: () => received };
  };
  /** Sends a complete request on an open connection, and resolves once the server received it. */
  const send = async (socket: Socket, text: string) => {
    const before = pending.length;
    socket.write(text);
    await expect.poll(() => pending.length).toBeGreaterThan(before);
  };
  const count = async () => new Promise<number>((resolve) => server.getConnections((_, number) => resolve(number)));
  const answered = () => answeredCount;
  return { open, send, answer, answered, connections, count };
}
