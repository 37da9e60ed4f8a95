import { expect, onTestFinished, test } from 'vitest';
import type { ServerOptions } from '../../src/server/server-options.js';
import { startServer } from '../../src/server/start-server.js';
import { autoAdvancingClock, fakeClock } from '../support/clock.js';
import { openSocket, readToEnd, sendRaw } from '../support/raw-client.js';

test.each([
  ['GET', '/v1/pets?limit=1', 'GET', 'listPets', 200],
  ['HEAD', '/v1/pets', 'HEAD', 'listPets', 200],
  ['GET', '/v1/pets/secret', 'GET', 'getPet', 400],
  ['POST', '/v1/pets', 'POST', 'createPet', 415],
  ['DELETE', '/v1/pets', 'other', 'other', 405],
  ['PROPFIND', '/v1/secret', 'other', 'other', 404],
  ['GET', '/healthz', 'GET', 'other', 200],
])('%s %s is counted as %s of %s with status %i', async (method, target, counted, operation, status) => {
  const { send, page } = await start();
  await send(method, target);
  const labels = `method="${counted}",operation="${operation}"`;
  const text = await page();
  expect(text).toContain(`petstore_requests_total{${labels},status="${status}"} 1\n`);
  expect(text).toContain(`petstore_request_duration_seconds_count{${labels}} 1\n`);
  expect(text).not.toContain('secret');
});

test('a request is counted with its duration', async () => {
  const { send, page } = await start({ latency: 30, clock: autoAdvancingClock() });
  await send('GET', '/v1/pets');
  const text = await page();
  const labels = 'method="GET",operation="listPets"';
  expect(text).toContain(`petstore_request_duration_seconds_sum{${labels}} 0.03\n`);
  expect(text).toContain(`petstore_request_duration_seconds_bucket{le="0.025",${labels}} 0\n`);
  expect(text).toContain(`petstore_request_duration_seconds_bucket{le="0.05",${labels}} 1\n`);
});

test('a request whose connection a fault resets is counted', async () => {
  const { send, page } = await start({ fault: { faults: [{ kind: 'reset', probability: 1 }] } });
  await send('GET', '/v1/pets');
  expect(await page()).toContain('petstore_requests_total{method="GET",operation="listPets",status="reset"} 1\n');
});

test('unknown paths and methods share one time series', async () => {
  const { send, page } = await start();
  await send('LOCK', '/v1/0');
  // Node.js adds its own series, for example after a new kind of garbage collection.
  const countSeries = async () => (await page()).split('\n').filter((line) => line.startsWith('petstore_')).length;
  const before = await countSeries();
  for (const method of ['UNLOCK', 'PATCH', 'MOVE']) await send(method, `/v1/${method}`);
  expect(await countSeries()).toBe(before);
});

test.each([
  ['unauthorized', 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
  ['forbidden', 'GET / HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n'],
  ['invalid_request', 'nonsense\r\n\r\n'],
  ['method_not_allowed', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n'],
])('the error %s is counted by its code', async (code, bytes) => {
  const { port, page } = await start();
  await sendRaw(port, [bytes]);
  expect(await page()).toContain(`petstore_refusals_total{code="${code}"} 1\n`);
});

test('a rejected connection is counted as unavailable', async () => {
  const { port, page } = await start({ maxConnectionsPerAddress: 1 });
  await openSocket(port);
  expect(await readToEnd(await openSocket(port))).toMatchObject([{ status: 503 }]);
  expect(await page()).toContain('petstore_refusals_total{code="unavailable"} 1\n');
});

test('the page is not counted, and includes metrics of the process', async () => {
  const { page } = await start();
  await page();
  const text = await page();
  expect(text).not.toContain('petstore_requests_total{');
  expect(text).toContain('process_cpu_seconds_total');
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds [0-9.e-]+$/m);
});

test('the port for metrics serves nothing else', async () => {
  const { port, metricsPort, send } = await start();
  expect((await send('GET', '/metrics', port))?.status).toBe(404);
  for (const path of ['/', '/v1/pets', '/docs', '/healthz']) {
    expect((await send('GET', path, metricsPort))?.status).toBe(404);
  }
  expect(await send('HEAD', '/metrics', metricsPort)).toMatchObject({ status: 200, body: '' });
  expect(await send('POST', '/metrics', metricsPort)).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  const [rejected] = await sendRaw(metricsPort, [
    'GET /metrics HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n',
  ]);
  expect(rejected?.status).toBe(403);
});

test('each server has its own metrics', async () => {
  const [first, second] = [await start(), await start()];
  await first.send('GET', '/v1/pets');
  expect(await first.page()).toContain('operation="listPets"');
  expect(await second.page()).not.toContain('operation="listPets"');
});

test('a port for metrics that is in use stops the server', async () => {
  const { port } = await start();
  await expect(start({ metricsPort: port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
});

const key = 'pets_given0123456789abcdefghijklmnopqrst';

/** Starts a server with metrics that ends with the test. */
async function start(options: Partial<ServerOptions> = {}) {
  const serving = await startServer({
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    metricsPort: 0,
    key,
    clock: fakeClock(),
    nodeVersion: process.versions.node,
    onError: () => {},
    log: () => {},
    ...options,
  });
  onTestFinished(() => serving.close());
  const { port, metricsPort = 0 } = serving;
  const send = async (method: string, target: string, to = port) => {
    const headers = `Host: localhost\r\nAuthorization: Bearer ${key}\r\nConnection: close`;
    const [response] = await sendRaw(to, [`${method} ${target} HTTP/1.1\r\n${headers}\r\n\r\n`]);
    return response;
  };
  const page = async () => (await send('GET', '/metrics', metricsPort))?.body ?? '';
  return { port, metricsPort, send, page };
}
