import { once } from 'node:events';
import { rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestOptions, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { dayMs } from '../../src/clock.js';
import type { LogEntry } from '../../src/server/format-log-line.js';
import { openDatabase } from '../../src/server/open-database.js';
import { addressSubject, countRequest, keySubject } from '../../src/server/rate-limits.js';
import type { ServerOptions } from '../../src/server/server-options.js';
import type { Statement } from '../../src/server/sql.js';
import { startServer } from '../../src/server/start-server.js';
import { fakeClock } from '../support/clock.js';
import { makeFolder } from '../support/temp-folder.js';
import { newDatabaseAddress, newMemoryDatabaseAddress, sql } from '../support/test-database.js';

const givenKey = 'pets_given0123456789abcdefghijklmnopqrst';

describe('the first start', () => {
  test("creates a key with the Free plan's limits", async () => {
    const { port, newKey, keyPrefix } = await start();
    expect(newKey).toMatch(/^pets_[0-9a-z]{50}$/);
    expect(keyPrefix).toBe(newKey?.slice(0, 9));
    const { status, headers } = await get(port, newKey);
    expect(status).toBe(200);
    expect(headers.get('x-ratelimit-limit')).toBe('60');
  });

  test('creates no key if one is given', async () => {
    const { port, newKey, keyPrefix } = await start({ key: givenKey });
    expect({ newKey, keyPrefix }).toEqual({ newKey: undefined, keyPrefix: givenKey.slice(0, 9) });
    expect((await get(port, givenKey)).status).toBe(200);
  });

  test('sets the given limits', async () => {
    const { port, newKey, limits } = await start({ perMinute: 5 });
    expect(limits).toEqual({ ...plans.free, perMinute: 5 });
    expect((await get(port, newKey)).headers.get('x-ratelimit-limit')).toBe('5');
  });
});

describe('a later start', () => {
  test('keeps the key and returns only its prefix', async () => {
    const database = await newDatabaseAddress();
    const first = await start({ database });
    await first.close();
    const second = await start({ database });
    expect(second.newKey).toBeUndefined();
    expect(second.keyPrefix).toBe(first.keyPrefix);
    expect((await get(second.port, first.newKey)).status).toBe(200);
  });

  test('keeps the limits of the key unless others are given', async () => {
    const database = await newDatabaseAddress();
    const first = await start({ database, ...plans.pro });
    await first.close();
    const second = await start({ database });
    expect((await get(second.port, first.newKey)).headers.get('x-ratelimit-limit')).toBe('300');
    await second.close();
    const third = await start({ database, perMinute: 7 });
    expect((await get(third.port, first.newKey)).headers.get('x-ratelimit-limit')).toBe('7');
    expect(third.limits).toEqual({ ...plans.pro, perMinute: 7 });
    await third.close();
    expect((await start({ database, plan: 'free' })).limits).toEqual(plans.free);
  });

  test('logs new limits of the key once', async () => {
    const database = await newDatabaseAddress();
    const first = await start({ database, ...plans.pro });
    await first.close();
    const logged: LogEntry[] = [];
    const options: Partial<ServerOptions> = { database, plan: 'free', log: (entry) => logged.push(entry) };
    await (await start(options)).close();
    const message = `changed the limits of API key ${first.keyPrefix} to 60 requests per minute and 1000 per day`;
    expect(logged).toEqual([{ time: expect.any(Number), level: 'warning', message }]);
    await (await start(options)).close();
    expect(logged).toHaveLength(1);
  });

  test('accepts an additional key besides the first', async () => {
    const database = await newDatabaseAddress();
    const first = await start({ database });
    await first.close();
    const second = await start({ database, key: givenKey });
    expect(second.keyPrefix).toBe(givenKey.slice(0, 9));
    expect((await get(second.port, givenKey)).status).toBe(200);
    expect((await get(second.port, first.newKey)).status).toBe(200);
  });
});

test('an unknown Host is rejected unless it is allowed', async () => {
  const headers = { host: 'store.test' };
  for (const [allowHost, status] of [
    [[], 403],
    [['store.test'], 401],
  ] as const) {
    const { port } = await start({ allowHost });
    expect(await statusOf({ port, headers })).toBe(status);
  }
});

test('faults are injected into operations only', async () => {
  const { port, newKey } = await start({ fault: { faults: [{ kind: 503, probability: 1 }] } });
  expect((await get(port, newKey)).status).toBe(503);
  expect((await get(port, newKey, '/healthz')).status).toBe(200);
});

test('a port in use rejects the start without creating a key', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const database = await newDatabaseAddress();
  await expect(start({ database, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect((await start({ database })).newKey).toMatch(/^pets_/);
});

test.each([
  ['deleted', (path: string) => rm(path)],
  ['replaced', (path: string) => rename(path, `${path}.old`).then(() => writeFile(path, ''))],
  ['without pets', (path: string) => alter(path, sql`DROP TABLE pets`)],
  ['without counters', (path: string) => alter(path, sql`DROP TABLE meters`)],
] as const)('a database that is %s makes the API and the health check fail', async (_, damage) => {
  const path = join(await makeFolder(), 'store.db');
  const clock = fakeClock();
  const { port, newKey } = await start({ database: path, clock, onError: () => {} });
  expect((await get(port, newKey, '/healthz')).status).toBe(200);
  expect((await get(port, newKey)).status).toBe(200);
  await damage(path);
  clock.advance(1_000);
  expect((await get(port, newKey)).status).toBe(503);
  expect((await get(port, newKey, '/healthz')).status).toBe(503);
});

test('a server that drains is not ready, and responds to other requests for the last time', async () => {
  const { port, newKey, startDraining } = await start();
  startDraining();
  for (const [path, expected] of [
    ['/readyz', 503],
    ['/livez', 200],
    ['/v1/pets', 200],
  ] as const) {
    const { status, headers } = await get(port, newKey, path);
    expect({ status, connection: headers.get('connection') }).toEqual({ status: expected, connection: 'close' });
  }
});

test('counters of addresses are deleted while the server runs', async () => {
  const path = join(await makeFolder(), 'store.db');
  const clock = fakeClock();
  const { port } = await start({ database: path, clock });
  expect((await get(port, undefined)).status).toBe(401);
  const database = await openDatabase({ path, clock, nodeVersion: process.versions.node });
  onTestFinished(database.close);
  const readSubjects = async () =>
    (await database.read(sql`SELECT subject FROM meters ORDER BY subject`)).map(({ subject }) => subject);
  await countRequest(database, addressSubject('192.0.2.9'), clock.now());
  await countRequest(database, keySubject({ owner: 'a', limits: plans.free }), clock.now());
  expect(await readSubjects()).toEqual(['address 127.0.0.1', 'address 192.0.2.9', 'key a']);
  clock.advance(dayMs + 10 * 60_000);
  // This request starts another window of its address.
  expect((await get(port, undefined)).status).toBe(401);
  await expect.poll(readSubjects).toEqual(['address 127.0.0.1', 'key a']);
});

/** Changes a database as another process would. */
async function alter(path: string, statement: Statement): Promise<void> {
  const database = await openDatabase({ path, clock: fakeClock(), nodeVersion: process.versions.node });
  await database.write(statement);
  await database.close();
}

/** Starts a server that stops when the test ends. */
async function start(options: Partial<ServerOptions> = {}) {
  const serving = await startServer({
    database: await newMemoryDatabaseAddress(),
    host: '127.0.0.1',
    port: 0,
    key: undefined,
    clock: fakeClock(),
    nodeVersion: process.versions.node,
    log: () => {},
    onError: (error) => {
      throw error;
    },
    ...options,
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= serving.close();
    return closed;
  };
  onTestFinished(close);
  return { ...serving, close };
}

function get(port: number, key = '', path = '/v1/pets'): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`http://127.0.0.1:${port}${path}`, { headers });
}

/** Sends headers that `fetch` forbids. */
function statusOf(options: RequestOptions): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', path: '/v1/pets', ...options }, (incoming) => {
      incoming.resume();
      resolve(incoming.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
