import { once } from 'node:events';
import { expect, test } from 'vitest';
import { trustProxies } from '../../src/server/listener.js';
import { openSocket, readToEnd, sendRaw } from '../support/raw-client.js';
import { startTestListener, testKey } from '../support/test-server.js';

const head = `Host: a\r\nAuthorization: Bearer ${testKey}\r\n`;
const list = `GET /v1/pets?limit=1 HTTP/1.1\r\n${head}\r\n`;
const lastList = `GET /v1/pets?limit=1 HTTP/1.1\r\n${head}Connection: close\r\n\r\n`;
const chunked = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
const spaces = '1\r\n \r\n';
const pet = '1d\r\n{"name":"Rex","categoryId":1}\r\n0\r\n\r\n';

const costs = [
  ['17 unanswered requests', list.repeat(17)],
  ['a body of 257 pieces', `${chunked}${spaces.repeat(256)}${pet}`],
  ['a body of 257 pieces without an API key', `${chunked.replace(testKey, 'x')}${spaces.repeat(256)}${pet}`],
] as const;

test.each(costs)('a client that sends %s is disconnected, and its address refused for 5 s', async (_, bytes) => {
  const { port, clock } = await startTestListener();
  expect((await sendRaw(port, [bytes])).filter(({ status }) => status < 300)).toEqual([]);
  expect(await sendRaw(port, [lastList])).toEqual([]);
  clock.advance(4_999);
  expect(await sendRaw(port, [lastList])).toEqual([]);
  clock.advance(1);
  expect(await sendRaw(port, [lastList])).toMatchObject([{ status: 200 }]);
});

test.each(costs)('a trusted proxy that sends %s is disconnected, but not refused', async (_, bytes) => {
  const { port } = await startTestListener(undefined, { isTrustedProxy: trustProxies(['127.0.0.1']) });
  await sendRaw(port, [bytes]);
  expect(await sendRaw(port, [lastList])).toMatchObject([{ status: 200 }]);
});

test('16 requests and a body of 256 pieces are served', async () => {
  const { port } = await startTestListener();
  expect(await sendRaw(port, [list.repeat(15), lastList])).toHaveLength(16);
  const socket = await openSocket(port);
  socket.write(`${chunked.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}${spaces.repeat(255)}${pet}`);
  expect(await readToEnd(socket)).toMatchObject([{ status: 201 }]);
});

test('a new connection replaces the one that is idle longest', async () => {
  const { port } = await startTestListener(undefined, { maxConnections: 2 });
  const [first, second] = [await openSocket(port), await openSocket(port)];
  const ended = readToEnd(second);
  first.write(list);
  await once(first, 'data');
  expect(await sendRaw(port, [lastList])).toMatchObject([{ status: 200 }]);
  expect(await ended).toEqual([]);
  expect(first.closed).toBe(false);
});

test('an unfinished request is replaced, a request in work is not', async () => {
  let finish = () => {};
  const working = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const wrap = ({ respond }: Parameters<NonNullable<Parameters<typeof startTestListener>[0]>>[0]) => {
    let isFirst = true;
    return async (context: Parameters<typeof respond>[0]) => {
      if (isFirst) {
        isFirst = false;
        begin();
        await working;
      }
      return respond(context);
    };
  };
  const { port } = await startTestListener(wrap, { maxConnections: 2 });
  const busy = sendRaw(port, [lastList]);
  await begun;
  const unfinished = await openSocket(port);
  const ended = readToEnd(unfinished);
  unfinished.write(lastList.slice(0, -2));
  expect(await sendRaw(port, [lastList])).toMatchObject([{ status: 200 }]);
  expect(await ended).toEqual([]);
  finish();
  expect(await busy).toMatchObject([{ status: 200 }]);
});
