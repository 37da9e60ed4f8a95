import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { connectThrough } from '../../src/client/proxy.js';
import { createSender } from '../../src/client/send.js';
import { TransportError } from '../../src/client/transport-error.js';
import { closedPort, openWire } from '../support/wire.js';

const request = { method: 'GET', origin: 'http://store.example', target: '/v1/pets', headers: {} };

test.each(['GET', 'POST'])('a %s goes through the tunnel that the proxy makes', async (method) => {
  const service = await openWire((socket) => {
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n[]');
  });
  const { origin, asked } = await startProxy(Number(new URL(service.origin).port));
  const answer = await send(origin, { ...request, method });
  expect(Buffer.from(answer.body).toString()).toBe('[]');
  expect(asked).toEqual(['store.example:80']);
  expect(service.requests[0]).toContain('host: store.example');
});

test.each([
  [407, 'PROXY_AUTHENTICATION'],
  [503, 'PROXY_REFUSED'],
])('a proxy that answers %d is told apart from the service', async (status, code) => {
  const { origin } = await openWire((socket) => {
    socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
  });
  await expect(send(origin, request)).rejects.toMatchObject({ code, sent: false });
});

test('so is one that nobody listens at', async () => {
  const failure = await send(await closedPort(), request).catch((error) => error);
  expect(failure).toBeInstanceOf(TransportError);
  expect(failure).toMatchObject({ code: 'PROXY_UNREACHABLE', sent: false });
});

function send(proxy: string, given: typeof request) {
  const sender = createSender((_, options) =>
    connectThrough({ http: proxy, https: proxy, none: '' }, options),
  );
  onTestFinished(sender.close);
  return sender.send(given, new AbortController().signal);
}

/** A proxy all of whose tunnels lead to one port of this machine. */
async function startProxy(port: number) {
  const asked: string[] = [];
  const server = createServer();
  server.on('connect', ({ url = '' }, socket) => {
    asked.push(url);
    const far = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      far.pipe(socket).pipe(far);
    });
    for (const end of [far, socket]) end.on('error', () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
