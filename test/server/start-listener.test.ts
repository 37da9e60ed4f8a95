import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConnectionReset } from '../../src/server/fault-injection.js';
import { maxBodyBytes } from '../../src/server/routes.js';
import { openSocket, readToEnd, sendRaw } from '../support/raw-client.js';
import { startTestListener } from '../support/test-listener.js';
import { testKey } from '../support/test-store.js';

const authorization = `Bearer ${testKey}`;
const json = { authorization, 'content-type': 'application/json' };
const pet = '{"name":"Rex","categoryId":1}';

describe('a request over HTTP', () => {
  test('gets the response of the handler', async () => {
    const { port, store } = await startTestListener();
    const { status, headers, body } = await send(port, { path: '/v1/pets?limit=1' });
    expect(status).toBe(200);
    expect(body).toBe('[{"id":1,"name":"Ada","categoryId":1,"status":"available"}]');
    const { headers: expected } = await store.request('GET', '/v1/pets?limit=1');
    expect(headers).toMatchObject({ ...expected, 'x-ratelimit-remaining': '9999' });
  });

  test('can have a body that arrives byte by byte', async () => {
    const { port } = await startTestListener();
    const sending = open(port, { method: 'POST', headers: json });
    for (const byte of pet) sending.outgoing.write(byte);
    sending.outgoing.end();
    expect((await sending.answer).status).toBe(201);
  });
});

describe('the maximum body size', () => {
  test('allows 65,536 bytes', async () => {
    const { port } = await startTestListener();
    const { status } = await send(port, { method: 'POST', headers: json }, pet.padEnd(maxBodyBytes));
    expect(status).toBe(201);
  });
});

test.each([
  [0, 201],
  [1, 413],
])('a body of %i bytes above the maximum gets %i', async (excess, expected) => {
  const { port } = await startTestListener();
  const body = pet.padEnd(maxBodyBytes + excess);
  const { status } = await send(port, { method: 'POST', headers: json }, body);
  expect(status).toBe(expected);
});

describe('the log', () => {
  test('has one line per request with method, path, status and milliseconds', async () => {
    const { port, lines } = await startTestListener();
    await send(port, { path: '/v1/pets?limit=1' });
    await send(port, { method: 'DELETE', path: '/v1/pets/1' });
    expect(lines).toEqual(['GET /v1/pets 200 0 ms', 'DELETE /v1/pets/1 405 0 ms']);
  });

  test('includes the duration of the handler', async () => {
    const { port, lines } = await startTestListener(({ handle, clock }) => async (...request) => {
      clock.advance(42);
      return handle(...request);
    });
    await send(port, {});
    expect(lines).toEqual(['GET /v1/pets 200 42 ms']);
  });

  test('contains no API keys from queries or headers', async () => {
    const { port, lines } = await startTestListener();
    await send(port, { path: `/v1/pets?key=${testKey}` });
    await send(port, { headers: { authorization: `Basic ${testKey}` } });
    expect(lines).toHaveLength(2);
    expect(lines.join('\n')).not.toContain(testKey);
  });

  test('contains no control characters', async () => {
    const { port, lines } = await startTestListener();
    await sendRaw(port, ['GET /v1/\x9b2J\x9d0;x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n']);
    expect(lines.join('\n')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe('shutdown', () => {
  test('finishes requests in flight, then accepts no connections', async () => {
    const { port, listening, arrived, release } = await startGated();
    const answer = send(port, {});
    await arrived;
    const closed = listening.close();
    release();
    expect((await answer).status).toBe(200);
    await closed;
    await expect(send(port, {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('closes a keep-alive connection after the response in flight', async () => {
    const { port, listening, arrived, release } = await startGated();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const answer = send(port, { agent });
    await arrived;
    const closed = listening.close();
    release();
    expect((await answer).headers.connection).toBe('close');
    await closed;
  });

  test('closes idle connections', async () => {
    const { port, listening } = await startTestListener();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    await send(port, { agent });
    await listening.close();
    await expect(send(port, {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('silent connections', () => {
  test('do not delay a shutdown', async () => {
    const { port, listening } = await startTestListener();
    const silent = [await openSocket(port), await openSocket(port)];
    silent[1]?.write('GET /v1/pets HTTP/1.1\r\nHost: a\r\n');
    const ended = silent.map(readToEnd);
    await send(port, {});
    const begin = performance.now();
    await listening.close();
    expect(await Promise.all(ended)).toEqual([[], []]);
    expect(performance.now() - begin).toBeLessThan(4_000);
  });

  test('are closed to make room for others', async () => {
    const { port } = await startTestListener();
    let ended = 0;
    for (let opened = 0; opened < 300; opened += 1) {
      const socket = await openSocket(port);
      void readToEnd(socket).then(() => {
        ended += 1;
      });
    }
    expect((await send(port, {})).status).toBe(200);
    await expect.poll(() => ended).toBe(45);
  });
});

test('a new connection gets 503 if every other awaits a response', async () => {
  let running = 0;
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { port } = await startTestListener(() => async () => {
    running += 1;
    await gate;
    return { status: 200, headers: { 'content-length': '0' }, body: new Uint8Array() };
  });
  const bytes = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';
  const busy = Array.from({ length: 256 }, () => sendRaw(port, [bytes]));
  await expect.poll(() => running).toBe(256);
  expect(await sendRaw(port, [bytes])).toMatchObject([{ status: 503, headers: { 'retry-after': '1' } }]);
  release();
  for (const [response] of await Promise.all(busy)) expect(response?.status).toBe(200);
});

test('a ConnectionReset resets the connection and is logged', async () => {
  const { port, lines } = await startTestListener(() => () => Promise.reject(new ConnectionReset()));
  await expect(send(port, {})).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(lines).toEqual(['GET /v1/pets reset 0 ms']);
});

test('a client that disconnects before its response affects no later request', async () => {
  const { port, arrived, release, lines } = await startGated();
  const socket = await openSocket(port);
  socket.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`);
  await arrived;
  socket.resetAndDestroy();
  await once(socket, 'close');
  release();
  expect((await send(port, {})).status).toBe(200);
  expect(lines).toHaveLength(2);
});

test('a client that disconnects within its body affects no later request', async () => {
  const { port, store, lines } = await startTestListener();
  const socket = connect(port, '127.0.0.1');
  socket.write(
    `POST /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n` +
      `Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n${pet}`,
    () => socket.destroy(),
  );
  await once(socket, 'close');
  expect((await send(port, {})).status).toBe(200);
  expect((await store.request('GET', '/v1/pets?limit=100')).json).toHaveLength(72);
  expect(lines).toContain('GET /v1/pets 200 0 ms');
});

test('an address in use rejects with EADDRINUSE', async () => {
  const { port } = await startTestListener();
  await expect(startTestListener(undefined, { port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
    port,
  });
});

test('pipelined requests run one at a time', async () => {
  let running = 0;
  let maxRunning = 0;
  const { port } = await startTestListener(() => async () => {
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    await new Promise(setImmediate);
    running -= 1;
    return { status: 200, headers: { 'content-length': '0' }, body: new Uint8Array() };
  });
  const socket = await openSocket(port);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(await readToEnd(socket)).toHaveLength(201);
  expect(maxRunning).toBe(1);
});

/** Starts a listener that responds only after `release` was called. */
async function startGated() {
  let release = () => {};
  let arrive = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const started = await startTestListener(({ handle }) => async (...request) => {
    arrive();
    await gate;
    return handle(...request);
  });
  return { ...started, arrived, release };
}

function send(port: number, options: RequestOptions, body?: string) {
  const { outgoing, answer } = open(port, options);
  outgoing.end(body);
  return answer;
}

function open(port: number, options: RequestOptions) {
  const defaults = {
    host: '127.0.0.1',
    path: '/v1/pets',
    agent: false,
    headers: { authorization },
  };
  const outgoing = request({ ...defaults, port, ...options });
  const answer = once(outgoing, 'response').then(async ([incoming]: IncomingMessage[]) => {
    const { statusCode: status, headers } = incoming as IncomingMessage;
    return { status, headers, body: await text(incoming as IncomingMessage) };
  });
  return { outgoing, answer };
}
