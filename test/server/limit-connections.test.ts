import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { limitConnections } from '../../src/server/limit-connections.js';

const whole = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx';
const slow = whole.slice(0, -1);

test('the one that idles longest makes room for a new one', async () => {
  const { open } = await start(2);
  const [first, second] = [await open(), await open()];
  const third = await open();
  await first.ended;
  expect([second.socket.closed, third.socket.closed]).toEqual([false, false]);
});

test('one that had a request since idles for less long than one that had none', async () => {
  const { open, answer } = await start(2);
  const [first, second] = [await open(), await open()];
  first.socket.write(whole);
  await answer();
  await once(first.socket, 'data');
  const third = await open();
  await second.ended;
  expect([first.socket.closed, third.socket.closed]).toEqual([false, false]);
});

test('one that is being answered is never ended: a new one is turned away where all are', async () => {
  const { open, answer } = await start(2);
  const [first, second] = [await open(whole), await open(whole)];
  const third = await open();
  await third.ended;
  await answer();
  await answer();
  for (const { text } of [first, second]) await expect.poll(text).toContain('200 OK');
  const fourth = await open(whole);
  await answer();
  await expect.poll(fourth.text).toContain('200 OK');
});

test('one whose request does not come whole makes room, after those that idle', async () => {
  const { open } = await start(2);
  const first = await open(slow);
  const second = await open();
  const third = await open(slow);
  await second.ended;
  expect(first.socket.closed).toBe(false);
  const fourth = await open();
  await first.ended;
  expect([third.socket.closed, fourth.socket.closed]).toEqual([false, false]);
});

test('one that its client ended leaves its place', async () => {
  const { open, answer, count } = await start(2);
  const [first, second] = [await open(whole), await open(whole)];
  first.socket.destroy();
  await expect.poll(count).toBe(1);
  const third = await open(whole);
  for (let answered = 0; answered < 3; answered += 1) await answer();
  for (const { text } of [second, third]) await expect.poll(text).toContain('200 OK');
});

test('those that idle can be ended, and the one that is being answered goes on', async () => {
  const { open, answer, connections } = await start(9);
  const idle = [await open(), await open()];
  const busy = await open(whole);
  connections.destroyIdle();
  for (const { ended } of idle) await ended;
  await answer();
  await expect.poll(busy.text).toContain('200 OK');
});

/** A server that answers the requests that came whole one by one, as it is told to. */
async function start(most: number) {
  const server = createServer();
  const connections = limitConnections(server, most);
  const asked: (() => void)[] = [];
  let tell = () => {};
  server.on('request', (incoming, outgoing) => {
    incoming.resume();
    incoming.on('error', () => {});
    incoming.on('end', () => {
      asked.push(() => outgoing.end());
      tell();
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
  const answer = async () => {
    while (asked.length === 0) {
      await new Promise<void>((resolve) => {
        tell = resolve;
      });
    }
    asked.shift()?.();
  };
  /** Resolves once the server has taken the connection, and what was sent on it. */
  const open = async (text = '') => {
    const before = asked.length;
    const taken = once(server, 'connection');
    const begun = text === '' ? undefined : once(server, 'request');
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => {});
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const ended = once(socket, 'close');
    if (text !== '') socket.write(text);
    await taken;
    await begun;
    if (text === whole) await expect.poll(() => asked.length).toBeGreaterThan(before);
    return { socket, ended, text: () => received };
  };
  const count = async () =>
    new Promise<number>((resolve) => server.getConnections((_, number) => resolve(number)));
  return { open, answer, connections, count };
}
