import { performance } from 'node:perf_hooks';
import { createSecureContext } from 'node:tls';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { good as cert, key } from '../support/certificates.js';
import { openSocket, type RawResponse, readToEnd, sendRaw } from '../support/raw-client.js';
import { checkTestHost, startTestListener } from '../support/test-listener.js';
import { testKey } from '../support/test-store.js';

const authorization = `Authorization: Bearer ${testKey}`;
const good = `GET /v1/pets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${authorization}\r\n\r\n`;
const head = `POST /v1/pets HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${authorization}\r\n`;

const slowClients = [
  ['stops in its request line', 10, 'GET /v1', ''],
  ['speaks HTTP/0.9', 10, 'GET /v1/pets\r\n', ''],
  ['stops in its headers', 10, head, ''],
  ['sends headers without end', 10, head, 'X: a\r\n'],
  ['stops in its body', 15, `${head}Content-Length: 29\r\n\r\n{`, ''],
  ['sends its body byte by byte', 15, `${head}Content-Length: 1000\r\n\r\n`, ' '],
  ['sends chunks byte by byte', 15, `${head}Transfer-Encoding: chunked\r\n\r\n`, '1\r\na\r\n'],
] as const;

test('slow clients get 408 in time while others are served', async () => {
  const { port } = await startTestListener(checkTestHost, { clock: systemClock });
  const begin = performance.now();
  const outcomes = slowClients.map(async ([what, seconds, start, more]) => {
    const answers = await slowly(port, start, more);
    const late = performance.now() - begin - seconds * 1_000;
    return { what, answers, late };
  });
  const all = Promise.all(outcomes);
  for (let asked = 0; asked < 8; asked += 1) {
    expect(await sendRaw(port, [good])).toMatchObject([{ status: 200 }]);
    await systemClock.sleep(1_000);
  }
  for (const { what, answers, late } of await all) {
    expect(answers, what).toMatchObject([{ status: 408, headers: { connection: 'close' } }]);
    expect(answers[0]?.headers, what).not.toHaveProperty('x-ratelimit-limit');
    expect(JSON.parse(answers[0]?.body ?? '')).toMatchObject({ code: 'request_timeout' });
    // The server checks for timeouts once a second.
    expect(late, what).toBeGreaterThan(-100);
    expect(late, what).toBeLessThan(4_000);
  }
});

test('a silent client is disconnected without a response', async () => {
  const { port } = await startTestListener(checkTestHost, { clock: systemClock });
  const begin = performance.now();
  expect(await slowly(port, '', '')).toEqual([]);
  expect(performance.now() - begin).toBeLessThan(20_000);
});

test.each([
  ['sends nothing', ''],
  ['sends the beginning of a ClientHello', '\x16\x03\x01\x02\x00\x01'],
])('a client that %s is disconnected before TLS is set up', async (_, start) => {
  const tls = { secureContext: () => createSecureContext({ key, cert }), onHandshakeError: () => {} };
  const { port, entries } = await startTestListener(checkTestHost, { clock: systemClock, tls });
  const begin = performance.now();
  expect(await slowly(port, start, '')).toEqual([]);
  expect(performance.now() - begin).toBeLessThan(20_000);
  expect(entries).toEqual([]);
});

test('others are served while slow clients exceed the connection limit', async () => {
  const { port } = await startTestListener(checkTestHost, { clock: systemClock, maxConnectionsPerAddress: 1_000 });
  const starts = [head, `${head}Content-Length: 29\r\n\r\n{`] as const;
  for (let opened = 0; opened < 600; opened += 1) {
    void slowly(port, starts[opened % 2] ?? '', '');
  }
  for (let asked = 0; asked < 5; asked += 1) {
    await systemClock.sleep(500);
    const begin = performance.now();
    expect(await sendRaw(port, [good])).toMatchObject([{ status: 200 }]);
    expect(performance.now() - begin).toBeLessThan(5_000);
  }
});

/** Sends `start`, then `more` again and again until the server closes the connection. */
async function slowly(port: number, start: string, more: string): Promise<readonly RawResponse[]> {
  const socket = await openSocket(port);
  const answers = readToEnd(socket);
  socket.write(start);
  const dripping = setInterval(() => socket.write(more), 300);
  try {
    return await answers;
  } finally {
    clearInterval(dripping);
  }
}
