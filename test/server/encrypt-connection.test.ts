import { once } from 'node:events';
import { connect as connectPlain } from 'node:net';
import { type ConnectionOptions, connect, createSecureContext, type TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ConnectionReset } from '../../src/server/fault-injection.js';
import { another, good, key } from '../support/certificates.js';
import { openSocket, readToEnd } from '../support/raw-client.js';
import { checkTestHost, startTestListener } from '../support/test-listener.js';
import { testKey } from '../support/test-store.js';

const context = createSecureContext({ key, cert: good, minVersion: 'TLSv1.2' });

type Wrap = Parameters<typeof startTestListener>[0];

async function start(wrap?: Wrap, limits: { maxConnections?: number; maxConnectionsPerAddress?: number } = {}) {
  const failures: string[] = [];
  const rejections: string[] = [];
  let secureContext = context;
  const listening = await startTestListener(wrap, {
    ...limits,
    onWireRejection: (reason) => void rejections.push(reason),
    tls: {
      secureContext: () => secureContext,
      onHandshakeError: (reason, address) => void failures.push(`${address}: ${reason}`),
    },
  });
  return {
    ...listening,
    failures,
    rejections,
    setContext: (given: typeof context) => {
      secureContext = given;
    },
  };
}

function openTlsSocket(port: number, options: ConnectionOptions = {}): TLSSocket {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

function send(port: number, request: string, options?: ConnectionOptions) {
  const socket = openTlsSocket(port, options);
  socket.write(request);
  return readToEnd(socket);
}

const authorized = `Host: 127.0.0.1\r\nAuthorization: Bearer ${testKey}\r\n`;
const list = `GET /v1/pets?limit=1 HTTP/1.1\r\n${authorized}Connection: close\r\n\r\n`;

test.each(['TLSv1.2', 'TLSv1.3'] as const)('serves requests over %s', async (version) => {
  const { port, entries } = await start();
  const add = '{"name":"Rex","categoryId":1}';
  const post = `POST /v1/pets HTTP/1.1\r\n${authorized}Content-Type: application/json\r\nContent-Length: ${add.length}\r\n\r\n${add}`;
  const responses = await send(port, post + list, { minVersion: version, maxVersion: version });
  expect(responses.map(({ status }) => status)).toEqual([201, 200]);
  expect(entries).toMatchObject([{ address: '127.0.0.1' }, { address: '127.0.0.1' }]);
});

test.each([
  ['https', 200],
  ['http', 403],
])('a web page of the origin %s://127.0.0.1 gets %i', async (scheme, status) => {
  const { port } = await start(checkTestHost);
  const request = list.replace('\r\n', `\r\nOrigin: ${scheme}://127.0.0.1\r\n`);
  expect(await send(port, request)).toMatchObject([{ status }]);
});

test('rejects invalid HTTP with a response', async () => {
  const { port, rejections } = await start();
  expect(await send(port, 'GET\r\n\r\n')).toMatchObject([{ status: 400 }]);
  expect(rejections).toEqual(['invalid_request']);
});

test('resets the connection for an injected reset', async () => {
  const { port } = await start(() => () => Promise.reject(new ConnectionReset()));
  const socket = openTlsSocket(port);
  socket.write(list);
  const [error] = await once(socket, 'error');
  expect(error).toMatchObject({ code: 'ECONNRESET' });
});

describe('a failed handshake', () => {
  const isClosed = (socket: { once: TLSSocket['once'] }) => new Promise((resolve) => socket.once('close', resolve));

  test('is reported for HTTP without TLS', async () => {
    const { port, failures, rejections, entries } = await start();
    const socket = await openSocket(port);
    socket.write(list);
    expect(await readToEnd(socket)).toEqual([]);
    await vi.waitFor(() => expect(failures).toEqual(['127.0.0.1: the client sent HTTP without TLS']), {
      timeout: 30_000,
    });
    expect(rejections).toEqual(['tls_handshake']);
    expect(entries).toEqual([]);
  });

  test('is reported for TLS 1.1', async () => {
    const { port, failures } = await start();
    const options = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await isClosed(openTlsSocket(port, options));
    await vi.waitFor(() => expect(failures).toEqual(['127.0.0.1: the client does not support TLS 1.2 or later']), {
      timeout: 30_000,
    });
  });

  test('is not reported for a client that only disconnects', async () => {
    const { port, failures } = await start();
    const socket = connectPlain(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.resetAndDestroy();
    expect(await send(port, list)).toMatchObject([{ status: 200 }]);
    expect(failures).toEqual([]);
  });
});

describe('a connection without a handshake', () => {
  test('makes room for another if the server is full', async () => {
    const { port } = await start(undefined, { maxConnections: 1 });
    const silent = await openSocket(port);
    const end = once(silent, 'end');
    silent.resume();
    // A client may connect before the server has noted the silence of the first.
    await vi.waitFor(async () => expect(await send(port, list)).toMatchObject([{ status: 200 }]), { timeout: 30_000 });
    await end;
  });

  test('counts toward the connections of its address', async () => {
    const { port } = await start(undefined, { maxConnectionsPerAddress: 1 });
    await openSocket(port);
    await vi.waitFor(
      async () => expect(await send(port, list)).toMatchObject([{ status: 503, headers: { 'retry-after': '1' } }]),
      { timeout: 30_000 },
    );
  });
});

test('a new certificate is used for new connections', async () => {
  const { port, setContext } = await start();
  const subjectOf = (socket: TLSSocket) => socket.getPeerCertificate().subjectaltname;
  const first = openTlsSocket(port);
  await once(first, 'secureConnect');
  setContext(createSecureContext({ key, cert: another }));
  const second = openTlsSocket(port);
  await once(second, 'secureConnect');
  expect([subjectOf(first), subjectOf(second)]).toEqual(['IP Address:127.0.0.1', 'DNS:store.example']);
  first.write(list);
  expect(await readToEnd(first)).toMatchObject([{ status: 200 }]);
});
