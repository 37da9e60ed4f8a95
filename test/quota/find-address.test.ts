import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { findAddress } from '../../src/quota/find-address.js';

/** A name server that answers with an error code, or never; it counts the questions. */
async function startNameServer(code?: number) {
  const server = createSocket('udp4');
  let asked = 0;
  server.on('message', (question, { port, address }) => {
    asked += 1;
    if (code === undefined) return;
    const answer = Buffer.from(question);
    answer.writeUInt16BE(0x8180 | code, 2);
    server.send(answer, port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { servers: [`127.0.0.1:${server.address().port}`], asked: () => asked };
}

test.each(['127.0.0.1', '::1'])('%s is an address already', async (host) => {
  expect(await findAddress(host)).toBe(host);
});

test('localhost is nothing for a name server', async () => {
  const { servers, asked } = await startNameServer(3);
  expect(await findAddress('localhost', { servers })).toMatch(/^(127\.0\.0\.1|::1)$/);
  expect(asked()).toBe(0);
});

test('a name server that is silent is a failure, and the system is not asked', async () => {
  const { servers, asked } = await startNameServer();
  const begin = Date.now();
  const looking = findAddress('redis.invalid', { servers, patience: 100 });
  await expect(looking).rejects.toMatchObject({ code: 'ETIMEOUT' });
  expect(Date.now() - begin).toBeLessThan(4_000);
  expect(asked()).toBeGreaterThan(0);
});

test('a name that no server knows is asked of the system, which may complete it', async () => {
  const { servers, asked } = await startNameServer(3);
  const looking = findAddress('redis.invalid', { servers });
  await expect(looking).rejects.toMatchObject({ syscall: 'getaddrinfo' });
  expect(asked()).toBeGreaterThan(0);
});
