import { once } from 'node:events';
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { trustProxies } from '../../src/server/listener.js';
import { maxBodyBytes } from '../../src/server/request-handler.js';
import { ConnectionReset } from '../../src/server/responses.js';
import { openSocket, readToEnd, sendRaw } from '../support/raw-client.js';
import { startTestListener, testKey } from '../support/test-server.js';

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
  test('has one entry per request', async () => {
    const { port, entries, clock } = await startTestListener();
    const { headers } = await send(port, { path: '/v1/pets?limit=1' });
    await send(port, { method: 'DELETE', path: '/v1/pets/1', headers: {} });
    const common = { time: clock.now(), durationMs: 0, address: '127.0.0.1' };
    const requestId = headers['x-request-id'];
    expect(entries).toEqual([
      {
        ...{ ...common, method: 'GET', path: '/v1/pets', status: 200, requestId, key: testKey.slice(0, 9) },
        ...{ operation: 'listPets', errorCode: undefined },
      },
      {
        ...common,
        method: 'DELETE',
        path: '/v1/pets/1',
        status: 401,
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        ...{ key: undefined, operation: undefined, errorCode: 'unauthorized' },
      },
    ]);
  });

  test('has an entry for a request whose body the client does not finish', async () => {
    const { port, entries } = await startTestListener();
    const socket = await openSocket(port);
    const headers = `Host: a\r\nAuthorization: ${authorization}\r\nContent-Type: application/json`;
    socket.write(`POST /v1/pets HTTP/1.1\r\n${headers}\r\nContent-Length: 9\r\n\r\n{`);
    socket.end();
    await expect
      .poll(() => entries)
      .toMatchObject([{ method: 'POST', path: '/v1/pets', status: 400, key: testKey.slice(0, 9) }]);
  });
});

test('a client that resets its connection within the body is logged as aborted', async () => {
  const { port, entries } = await startTestListener();
  const socket = await openSocket(port);
  const headers = `Host: a\r\nAuthorization: ${authorization}\r\nContent-Type: application/json`;
  socket.write(`POST /v1/pets HTTP/1.1\r\n${headers}\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`);
  await once(socket, 'data');
  socket.resetAndDestroy();
  await expect.poll(() => entries).toMatchObject([{ method: 'POST', status: 'aborted' }]);
});

describe('X-Request-Id', () => {
  test.each([['a'], ['!~'.repeat(64)]])('repeats the id of the client (%s)', async (id) => {
    const { port, entries } = await startTestListener();
    const { headers } = await send(port, { headers: { authorization, 'x-request-id': id } });
    expect(headers['x-request-id']).toBe(id);
    expect(entries).toMatchObject([{ requestId: id }]);
  });

  test.each([[''], ['a b'], ['a'.repeat(129)], ['\xe9']])('has a new id instead of %j', async (id) => {
    const { port } = await startTestListener();
    const { headers } = await send(port, { headers: { authorization, 'x-request-id': id } });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is the id in the report of an error', async () => {
    const { port, errors } = await startTestListener(() => () => Promise.reject(new Error('x')));
    expect((await send(port, { headers: { 'x-request-id': 'a' } })).status).toBe(500);
    expect(errors).toMatchObject([[{ message: 'x' }, 'a']]);
  });
});

describe('shutdown', () => {
  test('finishes requests in flight, then accepts no connections', async () => {
    const { port, listening, arrived, release } = await startGated();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const answer = send(port, { agent });
    await arrived;
    const closed = listening.close();
    release();
    expect(await answer).toMatchObject({ status: 200, headers: { connection: 'close' } });
    await closed;
    await expect(send(port, {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('silent connections', () => {
  test('are closed before the last response at a shutdown', async () => {
    let begin = () => {};
    const started = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const { port, listening } = await startTestListener(({ respond }) => async (context) => {
      begin();
      expect(await Promise.all(ended)).toEqual([[], []]);
      return respond(context);
    });
    const silent = [await openSocket(port), await openSocket(port)];
    silent[1]?.write('GET /v1/pets HTTP/1.1\r\nHost: a\r\n');
    const ended = silent.map(readToEnd);
    const response = send(port, {});
    await started;
    await listening.close();
    expect((await response).status).toBe(200);
  });
});

describe('a new connection gets 503', () => {
  const bytes = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n';

  test.each([
    ['every other awaits a response', 256, { maxConnectionsPerAddress: 300 }],
    ['its address has 64 connections', 64, {}],
  ])('if %s', async (_, count, limits) => {
    let running = 0;
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const respond = async () => {
      running += 1;
      await gate;
      return { status: 200, headers: { 'content-length': '0' }, body: new Uint8Array() };
    };
    const { port, entries } = await startTestListener(() => respond, limits);
    const busy = Array.from({ length: count }, () => sendRaw(port, [bytes]));
    await expect.poll(() => running).toBe(count);
    const [rejected] = await sendRaw(port, [bytes]);
    expect(rejected).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(entries).toMatchObject([
      { method: '', status: 503, requestId: rejected?.headers['x-request-id'], address: '127.0.0.1' },
    ]);
    release();
    for (const [response] of await Promise.all(busy)) expect(response?.status).toBe(200);
    expect(await sendRaw(port, [bytes])).toMatchObject([{ status: 200 }]);
  });
});

test('the connections of a trusted proxy count toward the total only', async () => {
  const isTrustedProxy = trustProxies(['127.0.0.0/8']);
  const { port } = await startTestListener(undefined, { isTrustedProxy, maxConnectionsPerAddress: 1 });
  const idle = [await openSocket(port), await openSocket(port)];
  expect((await send(port, {})).status).toBe(200);
  expect(idle.map(({ closed }) => closed)).toEqual([false, false]);
});

describe('the address of a client', () => {
  const from = (forwarded: string) => ({ headers: { 'x-forwarded-for': forwarded } });

  test('is that in X-Forwarded-For from a trusted proxy, for limits and log', async () => {
    const isTrustedProxy = trustProxies(['127.0.0.1', '10.0.0.0/8']);
    const { port, entries } = await startTestListener(undefined, { isTrustedProxy });
    const remaining = async (forwarded: string) => (await send(port, from(forwarded))).headers['x-ratelimit-remaining'];
    expect(await remaining('192.0.2.1')).toBe('59');
    expect(await remaining('192.0.2.2')).toBe('59');
    expect(await remaining('spoofed, 192.0.2.1, 10.0.0.2')).toBe('58');
    expect(await remaining('::ffff:192.0.2.1')).toBe('57');
    // The address of the proxy replaces a malformed one.
    expect(await remaining('192.0.2.1, unknown')).toBe('59');
    expect(entries.map(({ address }) => address)).toEqual([
      ...['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.1', '127.0.0.1'],
    ]);
  });
});

test('a ConnectionReset resets the connection and is logged', async () => {
  const { port, entries } = await startTestListener(() => () => Promise.reject(new ConnectionReset()));
  await expect(send(port, {})).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(entries).toMatchObject([{ method: 'GET', path: '/v1/pets', status: 'reset' }]);
});

test('a client that disconnects before its response affects no later request', async () => {
  const { port, arrived, release, entries } = await startGated();
  const socket = await openSocket(port);
  socket.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`);
  await arrived;
  socket.resetAndDestroy();
  await once(socket, 'close');
  release();
  expect((await send(port, {})).status).toBe(200);
  expect(entries).toHaveLength(2);
});

test('sixteen pipelined requests run one at a time', async () => {
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
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(15));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(await readToEnd(socket)).toHaveLength(16);
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
  const started = await startTestListener(({ respond }) => async (context) => {
    arrive();
    await gate;
    return respond(context);
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
