import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { PacedConnection } from '../../src/server/paced-connection.js';
import { sendRaw } from '../support/raw-client.js';
import { startTestListener } from '../support/test-listener.js';
import { testKey } from '../support/test-store.js';

const head = `Host: a\r\nAuthorization: Bearer ${testKey}\r\n`;
const pet = '{"name":"Rex","categoryId":1}';
const list = `GET /v1/pets?limit=1 HTTP/1.1\r\n${head}\r\n`;
const add = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${pet.length}\r\n\r\n${pet}`;

describe('a half-closed connection', () => {
  test.each([
    ['one request', [list], [200]],
    ['a request with a body', [add], [201]],
    ['pipelined requests', [list + add + list + add + add], [200, 201, 200, 201, 201]],
  ])('gets every response to %s from a slow server', async (_, pieces, statuses) => {
    const { port } = await startTestListener(
      ({ handle }) =>
        async (...args) => {
          await sleep(20);
          return handle(...args);
        },
      { clock: systemClock },
    );
    const responses = await sendRaw(port, pieces, { halfClose: true });
    expect(responses.map(({ status }) => status)).toEqual(statuses);
  });
});

test('only the start of a body is parsed before the body is read', async () => {
  const socket = new Socket();
  const connection = new PacedConnection(socket, () => false);
  let parsedBytes = 0;
  connection.on('data', ({ length }) => {
    parsedBytes += length;
  });
  connection.holdBody({ isChunked: false });
  socket.emit('data', Buffer.alloc(3_000));
  socket.emit('data', Buffer.alloc(7_000));
  await vi.waitFor(() => expect(parsedBytes).toBe(4_096), { timeout: 30_000 });
  expect(socket.isPaused()).toBe(true);
  connection.releaseBody();
  await vi.waitFor(() => expect(parsedBytes).toBe(10_000), { timeout: 30_000 });
  connection.destroy();
});

test('a request is parsed only after the response to the one before it', async () => {
  const socket = new Socket();
  let isResponding = false;
  const connection = new PacedConnection(socket, () => isResponding);
  const parsed: string[] = [];
  connection.on('data', (bytes) => {
    parsed.push(String(bytes));
    isResponding = true;
  });
  // The connection starts to read.
  await new Promise(setImmediate);
  socket.emit('data', Buffer.from(list + list));
  expect(parsed).toEqual([list]);
  isResponding = false;
  connection.continueAfterResponse(false);
  await vi.waitFor(() => expect(parsed).toEqual([list, list]), { timeout: 30_000 });
  connection.destroy();
});

test('chunked bodies are parsed in turns, a part in each turn of the event loop', async () => {
  const parsed: string[] = [];
  const open = (name: string) => {
    const socket = new Socket();
    const connection = new PacedConnection(socket, () => false);
    onTestFinished(() => void connection.destroy());
    connection.on('data', ({ length }) => void parsed.push(`${name} ${length}`));
    connection.holdBody({ isChunked: true });
    socket.emit('data', Buffer.alloc(6_512));
    return connection;
  };
  const connections = ['a', 'b'].map(open);
  await vi.waitFor(() => expect(parsed).toEqual(['a 512', 'b 512']), { timeout: 30_000 });
  for (const connection of connections) connection.releaseBody();
  expect(parsed).toHaveLength(2);
  await vi.waitFor(() => expect(parsed.slice(2)).toEqual(['a 4096', 'b 4096', 'a 1904', 'b 1904']), {
    timeout: 30_000,
  });
});

test('the rest of a chunked body that is not needed is read but not parsed', async () => {
  const { port } = await startTestListener();
  const push = vi.spyOn(PacedConnection.prototype, 'push');
  onTestFinished(() => push.mockRestore());
  const chunks = '1\r\na\r\n'.repeat(50_000);
  const headers = 'Host: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
  const [response] = await sendRaw(port, [`POST /v1/pets HTTP/1.1\r\n${headers}\r\n`, chunks]);
  expect(response?.status).toBe(401);
  const parsed = push.mock.calls.map(([bytes]) => (bytes as Buffer | null)?.length ?? 0);
  expect(Math.max(...parsed)).toBeLessThanOrEqual(4_096);
  expect(parsed.reduce((sum, length) => sum + length, 0)).toBeLessThan(10_000);
});
