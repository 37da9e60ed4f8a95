import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { HttpRequest, Transport } from '../../src/api/http.js';
import { createPet, listPets } from '../../src/api/operations.js';
import { withDeadline } from '../../src/client/middleware.js';
import { createSender } from '../../src/client/send.js';
import { TransportError } from '../../src/client/transport-error.js';
import type { Failure } from '../../src/failure.js';
import { clientOver, failureOf } from '../support/client.js';
import { fakeClock } from '../support/clock.js';
import { rejectionOf } from '../support/rejection.js';
import { closedPort, openWire } from '../support/wire.js';

const errorOf = (promise: Promise<unknown>) => rejectionOf(promise, TransportError);
const never = new AbortController().signal;
const mebibyte = 1024 * 1024;

describe('a request', () => {
  test('goes out as it is, and brings the answer back', async () => {
    const { origin, requests } = await openWire((socket) =>
      socket.end(ok('[]', 'X-Request-Id: 7', 'Set-Cookie: a', 'Set-Cookie: b')),
    );
    const response = await sender()(get(origin, '/v1/pets?limit=1'), never);
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

  test('carries its body', async () => {
    const { origin, requests } = await openWire((socket) => socket.end(ok('{}')));
    await sender()(post(origin), never);
    const [head, body] = (requests[0] as string).split('\r\n\r\n');
    expect(head?.split('\r\n')[0]).toBe('POST /v1/pets HTTP/1.1');
    expect(head?.split('\r\n')).toContain('content-length: 12');
    expect(body).toBe('{"name":"a"}');
  });

  test('to get something uses the connection again; one to create has a connection of its own', async () => {
    const wire = await openWire((socket) => socket.write(ok('[]')));
    const send = sender();
    await send(get(wire.origin), never);
    await send(get(wire.origin), never);
    expect(wire.connections()).toBe(1);
    await send(post(wire.origin), never);
    await send(post(wire.origin), never);
    expect(wire.connections()).toBe(3);
  });

  test('is not sent where its headers cannot be', async () => {
    const { origin, requests } = await openWire((socket) => socket.end(ok('[]')));
    const broken = { ...get(origin), headers: { authorization: 'Bearer a\r\nb: c' } };
    expect(await errorOf(sender()(broken, never))).toMatchObject({ sent: false });
    expect(requests).toEqual([]);
  });

  test.each([
    ['102', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['103', 'HTTP/1.1 103 Early Hints\r\nlink: </x>; rel="next"\r\n\r\n'],
  ])('gets the final answer after %s', async (_, early) => {
    const { origin } = await openWire((socket) => socket.end(early + ok('[]')));
    expect(await sender()(get(origin), never)).toEqual({
      status: 200,
      headers: { 'content-length': '2' },
      body: Buffer.from('[]'),
    });
  });

  // RFC 9110 §15.2 wants it ignored; undici takes it for a broken answer, and nothing is sent twice for it.
  test('fails on a 100 that nobody asked for', async () => {
    const { origin } = await openWire((socket) =>
      socket.end(`HTTP/1.1 100 Continue\r\n\r\n${ok('[]')}`),
    );
    expect(await errorOf(sender()(get(origin), never))).toMatchObject({ code: 'UND_ERR_SOCKET' });
  });

  test('gets a body in chunks, and one that ends with the connection', async () => {
    const chunked = await openWire((socket) =>
      socket.end(
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n[\r\n1\r\n]\r\n0\r\n\r\n',
      ),
    );
    const closed = await openWire((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n[]'));
    expect((await sender()(get(chunked.origin), never)).body).toEqual(Buffer.from('[]'));
    expect((await sender()(get(closed.origin), never)).body).toEqual(Buffer.from('[]'));
  });

  test('gets an answer without content', async () => {
    const { origin } = await openWire((socket) => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
    expect(await sender()(get(origin), never)).toMatchObject({
      status: 204,
      body: Buffer.alloc(0),
    });
  });

  test('gets a body of exactly 16 MiB', async () => {
    const { origin } = await openWire((socket) => socket.end(ok('x'.repeat(16 * mebibyte))));
    expect((await sender()(get(origin), never)).body).toHaveLength(16 * mebibyte);
  });
});

describe('a wire that fails', () => {
  const json = 'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\n';
  const bodyCut = `${json}content-length: 100\r\n\r\n{"id":`;

  test.each<[string, (socket: Socket) => void, string, number | undefined]>([
    ['a reset', (socket) => socket.resetAndDestroy(), 'ECONNRESET', undefined],
    ['an end without an answer', (socket) => socket.end(), 'UND_ERR_SOCKET', undefined],
    [
      'half of the headers',
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-'),
      'UND_ERR_SOCKET',
      undefined,
    ],
    ['a body that is cut off', (socket) => socket.end(bodyCut), 'UND_ERR_SOCKET', 201],
    [
      'a chunk that is cut off',
      (socket) => socket.end(`${json}transfer-encoding: chunked\r\n\r\nff\r\n{"id":`),
      'UND_ERR_SOCKET',
      201,
    ],
    [
      'a last chunk that never comes',
      (socket) => socket.end(`${json}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`),
      'UND_ERR_SOCKET',
      201,
    ],
    [
      'a chunk without a size',
      (socket) => socket.end(`${json}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n`),
      'HTTPParserError',
      201,
    ],
    [
      'two lengths that differ',
      (socket) => socket.end(`${json}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`),
      'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
      undefined,
    ],
    ['garbage', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'), 'HTTPParserError', undefined],
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
    [
      'chunks of more than 16 MiB',
      (socket) => {
        const size = 17 * mebibyte;
        socket.write(`${json}transfer-encoding: chunked\r\n\r\n${size.toString(16)}\r\n`);
        socket.write('x'.repeat(size));
      },
      'UND_ERR_RES_EXCEEDED_MAX_SIZE',
      201,
    ],
  ])('with %s', async (_, misbehave, code, status) => {
    const wire = await openWire(misbehave);
    const response = status === undefined ? undefined : { status };
    const expected = { name: 'TransportError', sent: true, code, response };
    expect(await errorOf(sender()(get(wire.origin), never))).toMatchObject(expected);
    expect(await errorOf(sender()(post(wire.origin), never))).toMatchObject(expected);
    const listed = await listing(wire.origin);
    const kind = code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'service' : 'network';
    expect(listed).toMatchObject({ kind });
    const created = await creation(wire.origin);
    expect(created).toMatchObject({ kind: 'unknown-outcome', details: { status } });
    expect(wire.requests).toHaveLength(4);
  });

  test.each(['127.0.0.1', 'localhost'])('because %s refuses connections', async (host) => {
    const origin = (await closedPort()).replace('127.0.0.1', host);
    const expected = { sent: false, code: 'ECONNREFUSED', response: undefined };
    expect(await errorOf(sender()(get(origin), never))).toMatchObject(expected);
    expect(await errorOf(sender()(post(origin), never))).toMatchObject(expected);
    const message = `${new URL(origin).host} refuses connections`;
    for (const failure of [await listing(origin), await creation(origin)]) {
      expect(failure).toMatchObject({
        kind: 'network',
        message,
        details: { code: 'connection_refused' },
      });
    }
  });

  test('in the middle of a list that ends with the connection is the network, not the service', async () => {
    const { origin } = await openWire((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n[{"id":1,'));
    expect(await listing(origin)).toMatchObject({ kind: 'network' });
  });

  test('after 201 tells that the pet was added', async () => {
    const { origin } = await openWire((socket) => socket.end(bodyCut));
    expect((await creation(origin)).message).toContain(
      'the pet was added, but its id is not known',
    );
  });
});

describe('an answer that is not taken', () => {
  test('a redirect is not followed', async () => {
    const other = await openWire((socket) => socket.end(ok('[]')));
    const { origin, requests } = await openWire((socket) =>
      socket.end(`HTTP/1.1 302 Found\r\nlocation: ${other.origin}/\r\ncontent-length: 0\r\n\r\n`),
    );
    expect(await listing(origin)).toMatchObject({
      kind: 'service',
      details: { code: 'redirected' },
    });
    expect(await creation(origin)).toMatchObject({
      kind: 'unknown-outcome',
      details: { code: 'redirected', status: 302 },
    });
    expect(requests).toHaveLength(2);
    expect(other.connections()).toBe(0);
  });

  test('a body that is compressed is not opened', async () => {
    const body = gzipSync('[]').toString('latin1');
    const { origin } = await openWire((socket) =>
      socket.end(ok(body, 'content-encoding: gzip'), 'latin1'),
    );
    expect(await listing(origin)).toMatchObject({
      kind: 'service',
      message: 'the answer is compressed, though that was not asked for',
    });
  });
});

describe('the signal', () => {
  const reason = new Error('cancelled');

  test('keeps a request from being sent', async () => {
    const { origin, connections } = await openWire((socket) => socket.end(ok('[]')));
    const error = await errorOf(sender()(get(origin), AbortSignal.abort(reason)));
    expect(error).toMatchObject({ sent: false, cause: reason });
    expect(connections()).toBe(0);
  });

  test.each([
    ['get', get],
    ['create', post],
  ])('keeps a request to %s from being sent while the connection is made', async (_, request) => {
    const { origin, requests } = await openWire((socket) => socket.end(ok('[]')));
    const { send, close } = createSender();
    const controller = new AbortController();
    const sent = errorOf(send(request(origin), controller.signal));
    controller.abort(reason);
    expect(await sent).toMatchObject({ sent: false, cause: reason });
    await close();
    expect(requests).toEqual([]);
  });

  test('ends a request that gets no answer', async () => {
    const { origin, asked } = await openWire(() => {});
    const controller = new AbortController();
    const sent = errorOf(sender()(post(origin), controller.signal));
    await asked;
    controller.abort(reason);
    expect(await sent).toMatchObject({ sent: true, cause: reason, response: undefined });
  });

  test('ends the connection in the middle of a body', async () => {
    let ended: Promise<void> | undefined;
    const { origin, asked } = await openWire((socket) => {
      ended = new Promise((resolve) => {
        socket.on('close', () => resolve());
      });
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n[');
    });
    const controller = new AbortController();
    const sent = errorOf(sender()(get(origin), controller.signal));
    await asked;
    controller.abort(reason);
    expect(await sent).toMatchObject({ sent: true, cause: reason });
    await ended;
  });

  test.each(['listing', 'creation'])(
    'of a deadline ends headers that drip, for a %s',
    async (what) => {
      const clock = fakeClock();
      let wire: Socket | undefined;
      const { origin, asked } = await openWire((socket) => {
        wire = socket;
        socket.write('HTTP/1.1 200 OK\r\n');
      });
      const late = withDeadline({ leftMs: 30_000, timeoutMs: 30_000, clock })(sender());
      const failure = what === 'listing' ? listing(origin, late) : creation(origin, late);
      await asked;
      for (const name of ['a', 'b', 'c']) {
        wire?.write(`x-${name}: 1\r\n`);
        clock.advance(10_000);
      }
      expect(await failure).toMatchObject(
        what === 'listing'
          ? { kind: 'network', details: { code: 'timeout' } }
          : { kind: 'unknown-outcome', details: { code: 'no_answer' } },
      );
    },
  );
});

test('closing lets go of connections, and ends requests in flight', async () => {
  const { origin, asked } = await openWire(() => {});
  const { send, close } = createSender();
  const sent = errorOf(send(get(origin), never));
  await asked;
  await close();
  expect(await sent).toMatchObject({ sent: true, code: 'UND_ERR_DESTROYED' });
});

function sender(): Transport {
  const { send, close } = createSender();
  onTestFinished(close);
  return send;
}

function listing(origin: string, send = sender()): Promise<Failure> {
  return failureOf(clientOver(send, { origin }).client.call(listPets, {}));
}

function creation(origin: string, send = sender()): Promise<Failure> {
  const pet = { name: 'Rex', categoryId: '1' };
  return failureOf(clientOver(send, { origin }).client.call(createPet, pet));
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
