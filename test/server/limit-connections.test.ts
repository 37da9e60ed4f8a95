import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
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

describe('checkTimeouts', () => {
  const startWithClock = async () => {
    let time = 0;
    const started = await start(9, () => time);
    /** Returns how many requests are late after a wait. */
    const countLate = (waitMs: number) => {
      time += waitMs;
      let count = 0;
      started.connections.checkTimeouts(() => {
        count += 1;
      });
      return count;
    };
    return { ...started, countLate };
  };

  test('reports a request without its body after 15 seconds', async () => {
    const { open, countLate } = await startWithClock();
    await open(incomplete);
    expect([countLate(14_999), countLate(1)]).toEqual([0, 1]);
  });

  test('reports a connection without a request after 10 seconds', async () => {
    const { open, countLate } = await startWithClock();
    await open();
    // The connection counts as silent once its first bytes would have been read.
    await expect.poll(() => countLate(10_000)).toBe(1);
  });

  test('leaves a request that awaits its response', async () => {
    const { open, answer, countLate } = await startWithClock();
    const busy = await open(complete);
    expect(countLate(60_000)).toBe(0);
    await answer();
    await expect.poll(busy.text).toContain('200 OK');
  });

  test('destroys a connection that is idle for 5 seconds', async () => {
    const { open, answer, answered, countLate } = await startWithClock();
    const idle = await open(complete);
    await answer();
    await expect.poll(answered).toBe(1);
    expect(countLate(4_999)).toBe(0);
    expect(idle.socket.closed).toBe(false);
    countLate(1);
    await idle.ended;
  });

  test('gives a second request on a connection another 10 seconds for its headers', async () => {
    const { open, answer, answered, countLate, accepted } = await startWithClock();
    const client = await open(complete);
    await answer();
    await expect.poll(answered).toBe(1);
    client.socket.write('GET / HTTP/1.1\r\n');
    await expect.poll(() => accepted[0]?.bytesRead).toBe(`${complete}GET / HTTP/1.1\r\n`.length);
    expect([countLate(4_999), countLate(9_999), countLate(1)]).toEqual([0, 0, 1]);
  });

  test('destroys a connection whose client reads nothing for 20 seconds', async () => {
    const { open, answer, countLate, accepted } = await startWithClock();
    const client = await open(complete);
    client.socket.pause();
    await answer('x'.repeat(50_000_000));
    countLate(0);
    countLate(19_999);
    expect(accepted[0]?.destroyed).toBe(false);
    // At first, the system still takes parts of the response.
    const isDestroyed = () => {
      countLate(20_000);
      return accepted[0]?.destroyed;
    };
    await expect.poll(isDestroyed).toBe(true);
  });
});

/** Starts a server; each call of `answer` responds to one completely received request. */
async function start(maxConnections: number, now?: () => number) {
  const server = createServer();
  const connections = limitConnections(maxConnections, now);
  const [serve] = server.listeners('connection') as [(connection: PacedConnection) => void];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!connections.makeRoom()) return socket.destroy();
    const connection = new PacedConnection(socket, connections.isResponding);
    connections.add(connection);
    accepted.push(connection);
    return serve.call(server, connection);
  });
  const accepted: PacedConnection[] = [];
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
  return { open, send, answer, answered, connections, count, accepted };
}
