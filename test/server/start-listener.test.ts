import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConnectionReset } from '../../src/server/fault-injection.js';
import { createRequestHandler, type RequestHandler } from '../../src/server/request-handler.js';
import { maxBodyBytes } from '../../src/server/routes.js';
import { fakeClock } from '../support/clock.js';
import { startListening } from '../support/listening.js';
import { openSocket, readToEnd } from '../support/raw.js';
import { openStore, testKey } from '../support/store.js';

const authorization = `Bearer ${testKey}`;
const json = { authorization, 'content-type': 'application/json' };
const pet = '{"name":"Rex","categoryId":1}';

describe('the store on a socket', () => {
  test('answers a request as the store itself does', async () => {
    const { port, store } = await startListening();
    const { status, headers, body } = await send(port, { path: '/v1/pets?limit=1' });
    expect(status).toBe(200);
    expect(body).toBe('[{"id":1,"name":"Ada","categoryId":1,"status":"available"}]');
    const { headers: expected } = await store.request('GET', '/v1/pets?limit=1');
    expect(headers).toMatchObject({ ...expected, 'x-ratelimit-remaining': '9999' });
  });

  test('takes a body', async () => {
    const { port } = await startListening();
    const { status, body } = await send(port, { method: 'POST', headers: json }, pet);
    expect(status).toBe(201);
    expect(JSON.parse(body)).toMatchObject({ name: 'Rex', categoryId: 1 });
  });

  test('takes a body that comes byte by byte', async () => {
    const { port } = await startListening();
    const sending = open(port, { method: 'POST', headers: json });
    for (const byte of pet) sending.outgoing.write(byte);
    sending.outgoing.end();
    expect((await sending.answer).status).toBe(201);
  });

  test('answers HEAD with the headers of GET and no body', async () => {
    const { port } = await startListening();
    const { status, headers, body } = await send(port, {
      method: 'HEAD',
      path: '/v1/pets?limit=1',
    });
    expect({ status, body }).toEqual({ status: 200, body: '' });
    expect(headers['content-length']).toBe('59');
  });

  test('answers several requests on one connection', async () => {
    const { port } = await startListening();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const first = await send(port, { agent });
    const second = await send(port, { agent });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.localPort).toBe(first.localPort);
  });

  test('refuses credentials that are missing, and counts them by the address', async () => {
    const { port } = await startListening();
    await send(port, { headers: {} });
    const { status, headers } = await send(port, { headers: {} });
    expect(status).toBe(401);
    expect(headers['www-authenticate']).toBe('Bearer');
    expect(headers['x-ratelimit-remaining']).toBe('58');
  });

  test('finds exact ids of 64 bits in a path', async () => {
    const { port } = await startListening();
    const { status, body } = await send(port, { path: '/v1/pets/9223372036854775807' });
    expect(status).toBe(404);
    expect(body).toContain('9223372036854775807');
  });
});

describe('a body that is too big', () => {
  test('may have 65,536 bytes at most', async () => {
    const { port } = await startListening();
    const { status } = await send(
      port,
      { method: 'POST', headers: json },
      pet.padEnd(maxBodyBytes),
    );
    expect(status).toBe(201);
  });

  test('is refused with 413 and the end of the connection', async () => {
    const { port } = await startListening();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const text = pet.padEnd(maxBodyBytes + 1);
    const { status, headers, body } = await send(
      port,
      { method: 'POST', headers: json, agent },
      text,
    );
    expect(status).toBe(413);
    expect(headers.connection).toBe('close');
    expect(headers['x-ratelimit-limit']).toBe('10000');
    expect(JSON.parse(body)).toMatchObject({ code: 'payload_too_large', status: 413 });
  });

  test('is refused before its end, which may never come', async () => {
    const { port } = await startListening();
    const { outgoing, answer } = open(port, { method: 'POST', headers: json });
    outgoing.write(' '.repeat(maxBodyBytes + 1));
    expect((await answer).status).toBe(413);
    await send(port, {});
  });

  test('is refused where it is megabytes long, too', async () => {
    const { port } = await startListening();
    const text = ' '.repeat(8_000_000);
    expect((await send(port, { method: 'POST', headers: json }, text)).status).toBe(413);
  });
});

describe('the log', () => {
  test('has one line for each request: method, path, status and milliseconds', async () => {
    const { port, lines } = await startListening();
    await send(port, { path: '/v1/pets?limit=1' });
    await send(port, { method: 'DELETE', path: '/v1/pets/1' });
    expect(lines).toEqual(['GET /v1/pets 200 0 ms', 'DELETE /v1/pets/1 405 0 ms']);
  });

  test('tells how long the store took', async () => {
    const { port, lines } = await startListening(({ handle, clock }) => async (...request) => {
      clock.advance(42);
      return handle(...request);
    });
    await send(port, {});
    expect(lines).toEqual(['GET /v1/pets 200 42 ms']);
  });

  test('has no keys, wherever they were sent', async () => {
    const { port, lines } = await startListening();
    await send(port, { path: `/v1/pets?key=${testKey}` });
    await send(port, { headers: { authorization: `Basic ${testKey}` } });
    expect(lines).toHaveLength(2);
    expect(lines.join('\n')).not.toContain(testKey);
  });

  test('holds nothing that a terminal would obey', async () => {
    const { port, lines } = await startListening();
    await sendBytes(port, 'GET /v1/\x9b2J\x9d0;x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    expect(lines.join('\n')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });
});

describe('closing', () => {
  test('finishes what is in flight, then takes no more connections', async () => {
    const { port, listening, arrived, goOn } = await startGated();
    const answer = send(port, {});
    await arrived;
    const closed = listening.close();
    goOn();
    expect((await answer).status).toBe(200);
    await closed;
    await expect(send(port, {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('ends a connection that is kept alive, with the answer that is in flight', async () => {
    const { port, listening, arrived, goOn } = await startGated();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const answer = send(port, { agent });
    await arrived;
    const closed = listening.close();
    goOn();
    expect((await answer).headers.connection).toBe('close');
    await closed;
  });

  test('ends connections that idle', async () => {
    const { port, listening } = await startListening();
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    await send(port, { agent });
    await listening.close();
    await expect(send(port, {})).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('connections that say nothing', () => {
  test('hold up no end', async () => {
    const { port, listening } = await startListening();
    const silent = [await openSocket(port), await openSocket(port)];
    silent[1]?.write('GET /v1/pets HTTP/1.1\r\nHost: a\r\n');
    const ended = silent.map(readToEnd);
    await send(port, {});
    const begin = performance.now();
    await listening.close();
    expect(await Promise.all(ended)).toEqual([[], []]);
    expect(performance.now() - begin).toBeLessThan(4_000);
  });

  test('are ended where others need their place', async () => {
    const { port } = await startListening();
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

test('a store that resets the connection is a reset for the client, and a line in the log', async () => {
  const { port, lines } = await startListening(() => () => Promise.reject(new ConnectionReset()));
  await expect(send(port, {})).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(lines).toEqual(['GET /v1/pets reset 0 ms']);
});

test('a client that goes away before its answer leaves nothing behind', async () => {
  const { port, arrived, goOn, lines } = await startGated();
  const socket = await openSocket(port);
  socket.write(`GET /v1/pets HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\n\r\n`);
  await arrived;
  socket.resetAndDestroy();
  await once(socket, 'close');
  goOn();
  expect((await send(port, {})).status).toBe(200);
  expect(lines).toHaveLength(2);
});

test('a client that goes away in the middle of its body leaves nothing behind', async () => {
  const { port, store, lines } = await startListening();
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

test('an address that is taken is not listened on', async () => {
  const { port } = await startListening();
  await expect(startListening(undefined, { port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
    port,
  });
});

test('a failure of the store is an answer, and the next request gets its own', async () => {
  const store = await openStore();
  const failing = createRequestHandler({
    database: { ...store.database, read: () => Promise.reject(new Error('disk I/O error')) },
    clock: fakeClock(),
    onError: () => {},
  });
  const answers = [failing, store.handle];
  const inTurn: RequestHandler = (...request) => (answers.shift() as RequestHandler)(...request);
  const { port } = await startListening(() => inTurn);
  expect((await send(port, {})).status).toBe(500);
  expect((await send(port, {})).status).toBe(200);
});

interface Received {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly localPort: number | undefined;
}

test('requests that come at once on a connection are carried out one after the other', async () => {
  let underWay = 0;
  let most = 0;
  const { port } = await startListening(() => async () => {
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise(setImmediate);
    underWay -= 1;
    return { status: 200, headers: { 'content-length': '0' }, body: new Uint8Array() };
  });
  const socket = await openSocket(port);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200));
  socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  expect(await readToEnd(socket)).toHaveLength(201);
  expect(most).toBe(1);
});

/** Listens with a store that answers nothing until it is told to go on. */
async function startGated() {
  let goOn = () => {};
  let arrive = () => {};
  const gate = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const started = await startListening(({ handle }) => async (...request) => {
    arrive();
    await gate;
    return handle(...request);
  });
  return { ...started, arrived, goOn };
}

function send(port: number, options: RequestOptions, body?: string): Promise<Received> {
  const { outgoing, answer } = open(port, options);
  outgoing.end(body);
  return answer;
}

function open(port: number, options: RequestOptions) {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path: '/v1/pets',
    agent: false,
    headers: { authorization },
    ...options,
  });
  const answer = new Promise<Received>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', async (incoming) => {
      const { localPort } = incoming.socket;
      let body = '';
      try {
        for await (const chunk of incoming) body += chunk;
        resolve({ status: incoming.statusCode, headers: incoming.headers, body, localPort });
      } catch (error) {
        reject(error);
      }
    });
  });
  return { outgoing, answer };
}

/** Sends these bytes as they are, and waits until the service ends the connection. */
async function sendBytes(port: number, text: string): Promise<void> {
  const socket: Socket = connect(port, '127.0.0.1');
  socket.resume();
  socket.write(Buffer.from(text, 'latin1'));
  await once(socket, 'close');
}
