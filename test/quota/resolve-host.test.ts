import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { resolveHost } from '../../src/quota/resolve-host.js';

/** Starts a name server that responds with an error code, or never. */
async function startNameServer(code?: number) {
  const server = createSocket('udp4');
  let queries = 0;
  server.on('message', (query, { port, address }) => {
    queries += 1;
    if (code === undefined) return;
    const response = Buffer.from(query);
    response.writeUInt16BE(0x8180 | code, 2);
    server.send(response, port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { servers: [`127.0.0.1:${server.address().port}`], queries: () => queries };
}

const nameError = 3;

test('resolves localhost without a name server', async () => {
  const { servers, queries } = await startNameServer(nameError);
  expect(await resolveHost('localhost', { servers })).toMatch(/^(127\.0\.0\.1|::1)$/);
  expect(queries()).toBe(0);
});

test('fails without getaddrinfo if the name server is silent', async () => {
  const { servers, queries } = await startNameServer();
  const resolving = resolveHost('redis.invalid', { servers, timeoutMs: 100 });
  await expect(resolving).rejects.toMatchObject({ code: 'ETIMEOUT' });
  expect(queries()).toBeGreaterThan(0);
});

test('calls getaddrinfo if the name server does not know the name', async () => {
  const { servers, queries } = await startNameServer(nameError);
  const resolving = resolveHost('redis.invalid', { servers });
  await expect(resolving).rejects.toMatchObject({ syscall: 'getaddrinfo' });
  expect(queries()).toBeGreaterThan(0);
});
