import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type RequestOptions, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { type ServerOptions, startServer } from '../../src/server/start-server.js';
import { fakeClock } from '../support/clock.js';
import { makeFolder } from '../support/folder.js';
import { newFleetingPlace, newPlace } from '../support/place.js';

const givenKey = 'pets_given0123456789abcdefghijklmnopqrst';

describe('the first start', () => {
  test("makes a key, at the Free plan's limits, and names its first characters", async () => {
    const { port, newKey, keyPrefix } = await start();
    expect(newKey).toMatch(/^pets_[0-9a-z]{50}$/);
    expect(keyPrefix).toBe(newKey?.slice(0, 9));
    const { status, headers } = await get(port, newKey);
    expect(status).toBe(200);
    expect(headers.get('x-ratelimit-limit')).toBe('60');
  });

  test('makes no key where one is given', async () => {
    const { port, newKey, keyPrefix } = await start({ key: givenKey });
    expect({ newKey, keyPrefix }).toEqual({ newKey: undefined, keyPrefix: givenKey.slice(0, 9) });
    expect((await get(port, givenKey)).status).toBe(200);
  });

  test('gives the key the limits that are named', async () => {
    const { port, newKey } = await start({ limits: { perMinute: 5, perDay: 1_000 } });
    expect((await get(port, newKey)).headers.get('x-ratelimit-limit')).toBe('5');
  });

  test('puts sample animals in', async () => {
    const { port, newKey } = await start();
    expect(await (await get(port, newKey)).json()).toHaveLength(20);
  });
});

describe('a later start', () => {
  test('keeps the key and names its first characters alone', async () => {
    const database = await newPlace();
    const first = await start({ database });
    await first.close();
    const second = await start({ database });
    expect(second.newKey).toBeUndefined();
    expect(second.keyPrefix).toBe(first.keyPrefix);
    expect((await get(second.port, first.newKey)).status).toBe(200);
  });

  test('keeps the limits of the key, unless others are named', async () => {
    const database = await newPlace();
    const first = await start({ database, limits: plans.pro });
    await first.close();
    const second = await start({ database });
    expect((await get(second.port, first.newKey)).headers.get('x-ratelimit-limit')).toBe('300');
    await second.close();
    const third = await start({ database, limits: plans.free });
    expect((await get(third.port, first.newKey)).headers.get('x-ratelimit-limit')).toBe('60');
  });

  test('keeps the counts', async () => {
    const database = await newPlace();
    const first = await start({ database });
    await get(first.port, first.newKey);
    await first.close();
    const second = await start({ database });
    const { headers } = await get(second.port, first.newKey);
    expect(headers.get('x-ratelimit-remaining')).toBe('58');
  });

  test('takes a further key, and the first one still', async () => {
    const database = await newPlace();
    const first = await start({ database });
    await first.close();
    const second = await start({ database, key: givenKey });
    expect(second.keyPrefix).toBe(givenKey.slice(0, 9));
    expect((await get(second.port, givenKey)).status).toBe(200);
    expect((await get(second.port, first.newKey)).status).toBe(200);
  });

  test('finds the pets that were added, each once', async () => {
    const database = await newPlace();
    const first = await start({ database, key: givenKey });
    const added = await fetch(`http://127.0.0.1:${first.port}/v1/pets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${givenKey}`, 'content-type': 'application/json' },
      body: '{"name":"Rex","categoryId":1}',
    });
    const { id } = (await added.json()) as { id: number };
    await first.close();
    const second = await start({ database, key: givenKey });
    const found = await get(second.port, givenKey, `/v1/pets/${id}`);
    expect(await found.json()).toEqual({ id, name: 'Rex', categoryId: 1 });
    const next = await get(second.port, givenKey, `/v1/pets/${id + 1}`);
    expect(next.status).toBe(404);
  });
});

test('the key is nowhere in the files of the database, and nowhere in the log', async () => {
  const folder = await makeFolder();
  const { port, newKey = '', lines, close } = await start({ database: join(folder, 'store.db') });
  await get(port, newKey);
  const files = await readdir(folder);
  const contents = await Promise.all(files.map((name) => readFile(join(folder, name), 'latin1')));
  expect(contents.some((content) => content.includes(newKey.slice(0, 9)))).toBe(true);
  expect(contents.some((content) => content.includes(newKey))).toBe(false);
  expect(lines).toEqual(['GET /v1/pets 200 0 ms']);
  await close();
});

test('two stores serve the same database, and count together', async () => {
  const database = await newPlace();
  const first = await start({ database, key: givenKey });
  const second = await start({ database, key: givenKey });
  await get(first.port, givenKey);
  const { headers } = await get(second.port, givenKey);
  expect(headers.get('x-ratelimit-remaining')).toBe('58');
});

test('of several first starts at once, one makes the key', async () => {
  const database = await newPlace();
  const started = await Promise.all([1, 2, 3].map(() => start({ database })));
  const made = started.filter(({ newKey }) => newKey !== undefined);
  expect(made).toHaveLength(1);
  expect(new Set(started.map(({ keyPrefix }) => keyPrefix)).size).toBe(1);
});

test('a foreign Host is refused, unless it is allowed', async () => {
  const headers = { host: 'store.test' };
  for (const [allowedHosts, status] of [
    [[], 403],
    [['store.test'], 401],
  ] as const) {
    const { port } = await start({ allowedHosts });
    expect(await statusOf({ port, headers })).toBe(status);
  }
});

test('a foreign Origin is refused', async () => {
  const { port } = await start();
  expect(await statusOf({ port, headers: { origin: 'http://example.com' } })).toBe(403);
});

test('faults come as they were told to', async () => {
  const { port, newKey } = await start({ faults: [{ kind: 503, probability: 1 }] });
  expect((await get(port, newKey)).status).toBe(503);
  expect((await get(port, newKey, '/healthz')).status).toBe(200);
});

test('a port that is taken is told, and a key that nobody was shown is not kept', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const { port } = taken.address() as AddressInfo;
  const database = await newPlace();
  await expect(start({ database, port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  expect((await start({ database })).newKey).toMatch(/^pets_/);
});

test('a database that cannot be used is told', async () => {
  await expect(start({ database: await makeFolder() })).rejects.toMatchObject({
    name: 'DatabaseError',
    reason: 'unusable',
  });
});

/** Serves until the test ends. */
async function start(options: Partial<ServerOptions> = {}) {
  const lines: string[] = [];
  const serving = await startServer({
    database: await newFleetingPlace(),
    host: '127.0.0.1',
    port: 0,
    key: undefined,
    limits: undefined,
    clock: fakeClock(),
    nodeVersion: process.versions.node,
    log: (line) => lines.push(line),
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
  return { ...serving, close, lines };
}

function get(port: number, key = '', path = '/v1/pets'): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` };
  return fetch(`http://127.0.0.1:${port}${path}`, { headers });
}

/** As `fetch` will not send these headers. */
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
