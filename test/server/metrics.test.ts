import { describe, expect, onTestFinished, test } from 'vitest';
import type { HttpRequest } from '../../src/api/http.js';
import { plans } from '../../src/api/plan.js';
import { withHostCheck } from '../../src/server/host-check.js';
import { openMetrics } from '../../src/server/metrics.js';
import type { Respond } from '../../src/server/request-context.js';
import { createRequestHandler } from '../../src/server/request-handler.js';
import { ConnectionReset, completeResponses } from '../../src/server/responses.js';
import type { ServerOptions } from '../../src/server/server-options.js';
import type { Database } from '../../src/server/sql.js';
import { startServer } from '../../src/server/start-server.js';
import { fakeClock } from '../support/clock.js';
import { openSocket, readToEnd, sendRaw } from '../support/raw-client.js';
import { handlerOf, openStore, testKey } from '../support/test-server.js';

describe('a request is counted', () => {
  test.each([
    ['GET', '/v1/pets?limit=1', 'GET', 'listPets', 200],
    ['HEAD', '/v1/pets', 'HEAD', 'listPets', 200],
    ['GET', '/v1/pets/1', 'GET', 'getPet', 200],
    ['GET', '/v1/pets/secret', 'GET', 'getPet', 400],
    ['POST', '/v1/pets', 'POST', 'createPet', 415],
    ['GET', '/v1/store/orders', 'GET', 'listOrders', 200],
    ['DELETE', '/v1/pets', 'other', 'other', 405],
    ['PROPFIND', '/v1/secret', 'other', 'other', 404],
    ['GET', '/healthz', 'GET', 'other', 200],
  ])('%s %s as %s of %s with status %i', async (method, target, counted, operation, status) => {
    const { send, page } = await open();
    await send(method, target);
    const labels = `method="${counted}",operation="${operation}"`;
    const text = await page();
    expect(text).toContain(`petstore_requests_total{${labels},status="${status}"} 1\n`);
    expect(text).toContain(`petstore_request_duration_seconds_count{${labels}} 1\n`);
    expect(text).not.toContain('secret');
  });

  test('with its duration', async () => {
    const clock = fakeClock();
    const { send, page } = await open({ clock, wrap: (store) => slow(store, 30, clock) });
    await send('GET', '/v1/pets');
    const text = await page();
    const labels = 'method="GET",operation="listPets"';
    expect(text).toContain(`petstore_request_duration_seconds_sum{${labels}} 0.03\n`);
    expect(text).toContain(`petstore_request_duration_seconds_bucket{le="0.025",${labels}} 0\n`);
    expect(text).toContain(`petstore_request_duration_seconds_bucket{le="0.05",${labels}} 1\n`);
  });

  test('if a fault resets its connection', async () => {
    const { send, page } = await open({ wrap: () => resetting });
    await expect(send('GET', '/v1/pets')).rejects.toThrow();
    expect(await page()).toContain('petstore_requests_total{method="GET",operation="listPets",status="reset"} 1\n');
  });
});

test('unknown paths and methods share one time series', async () => {
  const { send, page } = await open();
  await send('M0', '/v1/0');
  // Node.js adds its own series, for example after a new kind of garbage collection.
  const countSeries = async () => (await page()).split('\n').filter((line) => line.startsWith('petstore_')).length;
  const before = await countSeries();
  for (let at = 1; at < 50; at += 1) await send(`M${at}`, `/v1/${at}`);
  expect(await countSeries()).toBe(before);
});

test.each([
  ['unauthorized', 'GET', '/v1/pets', { authorization: 'Bearer nobody' }],
  ['not_found', 'HEAD', '/v1/pets/999', {}],
  ['forbidden', 'GET', '/v1/pets', { host: 'evil.test' }],
])('the error %s is counted by its code', async (code, method, target, headers) => {
  const { send, page } = await open();
  await send(method, target, headers);
  expect(await page()).toContain(`petstore_refusals_total{code="${code}"} 1\n`);
});

test('a ban is counted once', async () => {
  const { send, page } = await open({ limits: { perMinute: 1, perDay: 100 } });
  for (let sent = 0; sent < 15; sent += 1) await send('GET', '/v1/pets');
  const text = await page();
  expect(text).toContain('petstore_bans_total 1\n');
  expect(text).toContain('petstore_refusals_total{code="rate_limited"} 9\n');
  expect(text).toContain('petstore_refusals_total{code="key_banned"} 5\n');
});

describe('the metrics page', () => {
  test('reports connections only if the database has a pool', async () => {
    expect(await (await open()).page()).not.toContain('petstore_database_pool');
    const { page } = await open({ pool: () => ({ size: 4, idle: 3, waiting: 2 }) });
    const text = await page();
    for (const [state, count] of [
      ['size', 4],
      ['idle', 3],
      ['waiting', 2],
    ]) {
      expect(text).toContain(`petstore_database_pool_${state} ${count}\n`);
    }
  });

  test('is not counted', async () => {
    const { page } = await open();
    const text = await page();
    expect(await page()).not.toContain('petstore_requests_total{');
    expect(text).toContain('process_cpu_seconds_total');
  });

  test('accepts GET and HEAD', async () => {
    const { sendToMetrics } = await open();
    const head = await sendToMetrics('HEAD');
    expect(head).toMatchObject({ status: 200, body: new Uint8Array() });
    expect(head.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const { status, headers } = await sendToMetrics('POST');
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD' });
  });
});

test('each server has its own metrics, and none by default', async () => {
  const [first, second] = [await start({ metricsPort: 0 }), await start({ metricsPort: 0 })];
  const readMetrics = async ({ metricsPort = 0 }) => (await fetchFrom(metricsPort)('/metrics')).text();
  await fetchFrom(first.port)('/v1/pets');
  expect(await readMetrics(first)).toContain('operation="listPets"');
  expect(await readMetrics(second)).not.toContain('operation="listPets"');
  expect((await start({})).metricsPort).toBeUndefined();
});

describe('a port for metrics', () => {
  test('serves the metrics, which the other port does not', async () => {
    const { port, metricsPort = 0 } = await start({ metricsPort: 0 });
    expect(metricsPort).not.toBe(port);
    const [api, metrics] = [fetchFrom(port), fetchFrom(metricsPort)];
    expect((await api('/metrics')).status).toBe(404);
    const text = await (await metrics('/metrics')).text();
    expect(text).toContain('petstore_requests_total{method="GET",operation="other",status="404"} 1\n');
  });

  test('serves nothing else', async () => {
    const { metricsPort = 0 } = await start({ metricsPort: 0 });
    for (const path of ['/', '/v1/pets', '/docs', '/healthz']) {
      expect((await fetchFrom(metricsPort)(path)).status).toBe(404);
    }
    const [response] = await sendRaw(metricsPort, [
      'GET /metrics HTTP/1.1\r\nHost: evil.test\r\nConnection: close\r\n\r\n',
    ]);
    expect(response?.status).toBe(403);
  });

  test('that is in use stops the server', async () => {
    const { port } = await start({});
    await expect(start({ metricsPort: port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
  });
});

describe('a rejection before a valid request is counted', () => {
  test.each([
    ['bytes that are not HTTP', 'invalid_request', 'nonsense\r\n\r\n'],
    ['long headers', 'invalid_request', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['CONNECT', 'method_not_allowed', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('for %s as %s', async (_, reason, bytes) => {
    const { port, metricsPort = 0 } = await start({ metricsPort: 0 });
    await sendRaw(port, [bytes]);
    const text = await (await fetchFrom(metricsPort)('/metrics')).text();
    expect(text.split('\n').filter((line) => line.startsWith('petstore_wire_rejections_total'))).toEqual([
      `petstore_wire_rejections_total{reason="${reason}"} 1`,
    ]);
    expect(text).not.toContain('petstore_requests_total{');
  });

  test('for an address with too many connections', async () => {
    const { port, metricsPort = 0 } = await start({ metricsPort: 0, maxConnectionsPerAddress: 1 });
    await openSocket(port);
    const [response] = await readToEnd(await openSocket(port));
    expect(response?.status).toBe(503);
    const text = await (await fetchFrom(metricsPort)('/metrics')).text();
    expect(text).toContain('petstore_wire_rejections_total{reason="address_connection_limit"} 1\n');
  });
});

test('the metrics include the delay of the event loop', async () => {
  expect(await (await open()).page()).toMatch(/^nodejs_eventloop_lag_p99_seconds [0-9.e-]+$/m);
});

const givenKey = 'pets_given0123456789abcdefghijklmnopqrst';

/** Starts a server that ends with the test. */
async function start(options: Partial<ServerOptions>) {
  const serving = await startServer({
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    key: givenKey,
    clock: fakeClock(),
    nodeVersion: process.versions.node,
    onError: () => {},
    log: () => {},
    ...options,
  });
  onTestFinished(() => serving.close());
  return serving;
}

function fetchFrom(port: number) {
  const headers = { authorization: `Bearer ${givenKey}` };
  return (path: string) => fetch(`http://127.0.0.1:${port}${path}`, { headers });
}

/** Creates a handler with the middleware of `startServer`. */
async function open({
  clock = fakeClock(),
  limits = plans.enterprise as { perMinute: number; perDay: number },
  wrap = (respond: Respond): Respond => respond,
  pool = undefined as Database['poolStats'],
} = {}) {
  const { database } = await openStore({ clock, limits });
  const metrics = await openMetrics(clock, pool);
  const onBan = metrics.countBan;
  const onError = () => {};
  const operate = wrap(createRequestHandler({ database, onBan, clock, onError }));
  const api = metrics.withRequestMetrics(completeResponses(withHostCheck(operate, { host: '127.0.0.1' }), onError));
  const send = (method: string, target: string, headers: HttpRequest['headers'] = {}, respond = api) =>
    handlerOf(respond)(
      {
        method,
        origin: 'http://127.0.0.1',
        target,
        headers: { host: '127.0.0.1', authorization: `Bearer ${testKey}`, ...headers },
      },
      '127.0.0.1',
    );
  const sendToMetrics = (method: string) => send(method, '/metrics', {}, completeResponses(metrics.respond, onError));
  const page = async () => new TextDecoder().decode((await sendToMetrics('GET')).body);
  return { send, sendToMetrics, page };
}

function slow(respond: Respond, milliseconds: number, clock: ReturnType<typeof fakeClock>): Respond {
  return async (context) => {
    clock.advance(milliseconds);
    return respond(context);
  };
}

const resetting: Respond = () => Promise.reject(new ConnectionReset());
