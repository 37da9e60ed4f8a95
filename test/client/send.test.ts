import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/api/http.js';
import { createPet, listPets } from '../../src/api/operations.js';
import type { Outcome } from '../../src/api/outcome.js';
import { connectDirectly, createSender } from '../../src/client/send.js';
import { withDeadline } from '../../src/client/with-deadline.js';
import type { Failure } from '../../src/failure.js';
import { fakeClock } from '../support/clock.js';
import { newClosedOrigin, startRawServer } from '../support/http-server.js';
import { createTestClient, failureOf } from '../support/test-client.js';

const sender = () => createSender((origin) => connectDirectly(origin, (connect) => connect));

/** Returns why there is no complete response. */
async function lossOf(sending: Promise<Outcome>) {
  const { lost, sent, response } = await sending;
  return { kind: lost?.kind, code: lost?.kind === 'network' ? lost.code : undefined, sent, response };
}

async function responseOf(sending: Promise<Outcome>) {
  const { lost, response } = await sending;
  if (lost) throw new Error(lost.kind);
  return response;
}

const never = new AbortController().signal;
const mebibyte = 1024 * 1024;

describe('a request', () => {
  test('is sent unchanged and returns the response', async () => {
    const { origin, requests } = await startRawServer((socket) =>
      socket.end(ok('[]', 'X-Request-Id: 7', 'Set-Cookie: a', 'Set-Cookie: b')),
    );
    const response = await responseOf(sender()(get(origin, '/v1/pets?limit=1'), never));
    expect(response).toEqual({
      status: 200,
      headers: { 'x-request-id': '7', 'set-cookie': ['a', 'b'], 'content-length': '2' },
      body: Buffer.from('[]'),
    });
    const [line, ...headers] = (requests[0] as string).trimEnd().split('\r\n');
    expect(line).toBe('GET /v1/pets?limit=1 HTTP/1.1');
    expect(headers.sort()).toEqual([
      'accept-encoding: identity',
      'authorization: Bearer key',
      'connection: keep-alive',
      `host: ${new URL(origin).host}`,
    ]);
  });

  test('reuses a connection', async () => {
    const wire = await startRawServer((socket) => socket.write(ok('[]')));
    const send = sender();
    for (const request of [get(wire.origin), post(wire.origin), get(wire.origin)]) await send(request, never);
    expect(wire.connections()).toBe(1);
  });

  test('leaves no idle connection open for as long as the service allows', async () => {
    let isClosed = false;
    const { origin } = await startRawServer((socket) => {
      socket.on('close', () => {
        isClosed = true;
      });
      socket.write(ok('[]', 'Keep-Alive: timeout=600'));
    });
    await sender()(get(origin), never);
    await expect.poll(() => isClosed).toBe(true);
  });

  test('opens other connections after one that failed', async () => {
    let opened = 0;
    let destroyed = 0;
    const send = createSender(() => {
      opened += 1;
      return {
        dispatch: (_, { onResponseError }) => {
          onResponseError?.({} as never, new Error('reset'));
          return true;
        },
        destroy: async () => {
          destroyed += 1;
        },
      };
    });
    for (let sent = 0; sent < 2; sent += 1) await lossOf(send(get('http://127.0.0.1:1'), never));
    expect([opened, destroyed]).toEqual([2, 2]);
  });

  test('is not sent with invalid headers', async () => {
    const { origin, requests } = await startRawServer((socket) => socket.end(ok('[]')));
    const broken = { ...get(origin), headers: { authorization: 'Bearer a\r\nb: c' } };
    expect(await lossOf(sender()(broken, never))).toMatchObject({ sent: false });
    expect(requests).toEqual([]);
  });

  test('reads chunks and a body that ends with the connection', async () => {
    const chunked = await startRawServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n[\r\n1\r\n]\r\n0\r\n\r\n'),
    );
    const closed = await startRawServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n[]'));
    expect((await responseOf(sender()(get(chunked.origin), never))).body).toEqual(Buffer.from('[]'));
    expect((await responseOf(sender()(get(closed.origin), never))).body).toEqual(Buffer.from('[]'));
  });

  test('reads a body of exactly 16 MiB', async () => {
    const { origin } = await startRawServer((socket) => socket.end(ok('x'.repeat(16 * mebibyte))));
    expect((await responseOf(sender()(get(origin), never))).body).toHaveLength(16 * mebibyte);
  });
});

describe('a failing connection', () => {
  const json = 'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\n';

  test.each<[string, (socket: Socket) => void, string, number | undefined]>([
    ['a reset', (socket) => socket.resetAndDestroy(), 'ECONNRESET', undefined],
    ['a close without a response', (socket) => socket.end(), 'UND_ERR_SOCKET', undefined],
    ['a truncated body', (socket) => socket.end(`${json}content-length: 100\r\n\r\n{"id":`), 'UND_ERR_SOCKET', 201],
    [
      'an invalid chunk size',
      (socket) => socket.end(`${json}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`),
      'HTTPParserError',
      201,
    ],
    [
      'headers without end',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`),
      'UND_ERR_HEADERS_OVERFLOW',
      undefined,
    ],
    [
      'a body of more than 16 MiB',
      (socket) => {
        socket.write(`${json}content-length: ${17 * mebibyte}\r\n\r\n`);
        socket.write('x'.repeat(17 * mebibyte));
      },
      'UND_ERR_RES_EXCEEDED_MAX_SIZE',
      201,
    ],
  ])('reports code and status after %s', async (_, misbehave, code, status) => {
    const wire = await startRawServer(misbehave);
    const response = status === undefined ? undefined : { status };
    const expected = { sent: true, code, response };
    expect(await lossOf(sender()(get(wire.origin), never))).toMatchObject(expected);
    expect(await lossOf(sender()(post(wire.origin), never))).toMatchObject(expected);
    expect(wire.requests).toHaveLength(2);
  });

  test.each(['127.0.0.1', 'localhost'])('is not sent if %s refuses connections', async (host) => {
    const origin = (await newClosedOrigin()).replace('127.0.0.1', host);
    const expected = { sent: false, code: 'ECONNREFUSED', response: undefined };
    expect(await lossOf(sender()(get(origin), never))).toMatchObject(expected);
    expect(await lossOf(sender()(post(origin), never))).toMatchObject(expected);
  });
});

describe('the signal', () => {
  const reason = new Error('cancelled');

  test('prevents a request', async () => {
    const { origin, connections } = await startRawServer((socket) => socket.end(ok('[]')));
    const error = await lossOf(sender()(get(origin), AbortSignal.abort(reason)));
    expect(error).toMatchObject({ sent: false, kind: 'canceled' });
    expect(connections()).toBe(0);
  });

  test.each([
    ['get', get],
    ['create', post],
  ])('prevents a %s request while it connects', async (_, request) => {
    const { origin, requests } = await startRawServer((socket) => socket.end(ok('[]')));
    const controller = new AbortController();
    const sent = lossOf(sender()(request(origin), controller.signal));
    controller.abort(reason);
    expect(await sent).toMatchObject({ sent: false, kind: 'canceled' });
    expect(requests).toEqual([]);
  });

  test('aborts a request without a response', async () => {
    const { origin, firstRequest: asked } = await startRawServer(() => {});
    const controller = new AbortController();
    const sent = lossOf(sender()(post(origin), controller.signal));
    await asked;
    controller.abort(reason);
    expect(await sent).toMatchObject({ sent: true, kind: 'canceled', response: undefined });
  });

  test('closes the connection in the middle of a body', async () => {
    let ended: Promise<void> | undefined;
    const { origin, firstRequest: asked } = await startRawServer((socket) => {
      ended = new Promise((resolve) => {
        socket.on('close', () => resolve());
      });
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n[');
    });
    const controller = new AbortController();
    const sent = lossOf(sender()(get(origin), controller.signal));
    await asked;
    controller.abort(reason);
    expect(await sent).toMatchObject({ sent: true, kind: 'canceled' });
    await ended;
  });

  test.each(['listing', 'creation'])('of a deadline ends slow headers of a %s', async (what) => {
    const clock = fakeClock();
    let wire: Socket | undefined;
    const { origin, firstRequest: asked } = await startRawServer((socket) => {
      wire = socket;
      socket.write('HTTP/1.1 200 OK\r\n');
    });
    const late = withDeadline({ timeoutMs: 30_000, clock })(sender());
    const failure = what === 'listing' ? listing(origin, late) : creation(origin, late);
    await asked;
    for (const name of ['a', 'b', 'c']) {
      wire?.write(`x-${name}: 1\r\n`);
      clock.advance(10_000);
    }
    expect(await failure).toMatchObject(
      what === 'listing'
        ? { kind: 'network', details: { code: 'timeout' } }
        : { kind: 'unknown-outcome', details: { code: 'outcome_unknown' } },
    );
  });
});

function listing(origin: string, send = sender()): Promise<Failure> {
  return failureOf(createTestClient(send, { origin }).client.call(listPets, {}));
}

function creation(origin: string, send = sender()): Promise<Failure> {
  const pet = { name: 'Rex', categoryId: '1' };
  return failureOf(createTestClient(send, { origin }).client.call(createPet, pet));
}

function get(origin: string, target = '/v1/pets'): HttpRequest {
  const headers = { authorization: 'Bearer key', 'accept-encoding': 'identity' };
  return { method: 'GET', origin, target, headers };
}

function post(origin: string): HttpRequest {
  return { ...get(origin), method: 'POST', body: new TextEncoder().encode('{"name":"a"}') };
}

function ok(body: string, ...headers: readonly string[]): string {
  const lines = [...headers, `content-length: ${body.length}`];
  return `HTTP/1.1 200 OK\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
}
