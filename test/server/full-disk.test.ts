import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { addApiKey } from '../../src/server/api-keys.js';
import { countRequest, keySubject } from '../../src/server/rate-limits.js';
import type { Database } from '../../src/server/sql.js';
import { openSqlite } from '../../src/server/sqlite.js';
import { startServer } from '../../src/server/start-server.js';
import { fakeClock } from '../support/clock.js';
import { makeFolder, mountSmallDisk } from '../support/temp-folder.js';
import { sql } from '../support/test-database.js';
import { addPet, countPets, handlerOf, respondWith, testKey } from '../support/test-server.js';

const limits = { perMinute: 5, perDay: 12 };
const subject = keySubject({ owner: 'a', limits });

test('transactions on a full disk change nothing, and succeed once there is room', async () => {
  const { database, clock, path } = await openFillable();
  await countRequest(database, subject, clock.now());
  await fillDisk(database);
  const writes = [countRequest(database, subject, clock.now()), addPet(database, 'Rex')];
  const full = { name: 'DatabaseError', reason: 'full', message: `the disk of ${path} is full` };
  for (const result of await Promise.allSettled(writes)) expect(result).toMatchObject({ reason: full });
  expect(await countPets(database)).toBe(0);
  await freeDisk(database);
  await addPet(database, 'Rex');
  expect(await countPets(database)).toBe(1);
  expect((await countRequest(database, subject, clock.now())).quota.remaining).toBe(3);
});

test('requests and health checks on a full disk get 503 until there is room', async () => {
  const { database, clock } = await openFillable();
  await addApiKey(database, testKey, { limits }, clock.now());
  const errors: unknown[] = [];
  const handle = handlerOf(respondWith({ database, clock, onError: (error) => errors.push(error) }));
  const send = async (method: string, target: string) => {
    const body = new TextEncoder().encode(method === 'POST' ? '{"name":"Rex","categoryId":1}' : '');
    const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
    const response = await handle({ method, target, headers, body }, '127.0.0.1');
    return {
      status: response.status,
      remaining: response.headers['x-ratelimit-remaining'],
      retryAfter: response.headers['retry-after'],
      text: new TextDecoder().decode(response.body),
    };
  };
  expect(await send('GET', '/v1/pets')).toMatchObject({ status: 200, remaining: '4' });
  await fillDisk(database);
  for (const [method, target] of [
    ['GET', '/v1/pets'],
    ['POST', '/v1/pets'],
    ['GET', '/healthz'],
  ] as const) {
    expect(await send(method, target)).toEqual({
      status: 503,
      remaining: undefined,
      retryAfter: '30',
      text: '{"code":"database_full","message":"the disk of the server is full","status":503}',
    });
  }
  expect(errors).toEqual(Array.from({ length: 3 }, () => expect.objectContaining({ reason: 'full' })));
  await freeDisk(database);
  clock.advance(1_000);
  expect(await send('GET', '/healthz')).toMatchObject({ status: 200 });
  expect(await send('POST', '/v1/pets')).toMatchObject({ status: 201, remaining: '3' });
});

const smallDisk = mountSmallDisk();

describe.skipIf(smallDisk === undefined)('a server on a full disk (needs root to mount one)', () => {
  const file = (name: string) => join(smallDisk ?? '', name);
  const fill = async () => {
    onTestFinished(empty);
    await expect(writeFile(file('ballast'), Buffer.alloc(8_000_000))).rejects.toMatchObject({ code: 'ENOSPC' });
  };
  const empty = () => rm(file('ballast'), { force: true });

  const start = async (database: string) => {
    const clock = fakeClock();
    const server = await startServer({
      ...{ database, clock, host: '127.0.0.1', port: 0, key: testKey },
      ...{ nodeVersion: process.versions.node, log: () => {}, onError: () => {} },
    });
    onTestFinished(server.close);
    const send = async (method: string, target: string) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${target}`, {
        method,
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json', connection: 'close' },
        ...(method === 'POST' && { body: '{"name":"Rex","categoryId":1}' }),
      });
      return response.status;
    };
    return { clock, send };
  };

  test('responds with 503 until there is room', async () => {
    const { clock, send } = await start(file('store.db'));
    expect(await send('POST', '/v1/pets')).toBe(201);
    await fill();
    expect([await send('POST', '/v1/pets'), await send('GET', '/healthz')]).toEqual([503, 503]);
    await empty();
    clock.advance(1_000);
    expect([await send('POST', '/v1/pets'), await send('GET', '/healthz')]).toEqual([201, 200]);
  });

  test('reports the full disk if it cannot start', async () => {
    const path = file('new.db');
    await fill();
    await expect(start(path)).rejects.toMatchObject({ reason: 'full', message: `the disk of ${path} is full` });
  });
});

/** Opens a database that `fillDisk` can fill. */
async function openFillable() {
  const path = join(await makeFolder(), 'store.db');
  const clock = fakeClock();
  const { database } = await openSqlite({ path, clock, nodeVersion: process.versions.node });
  onTestFinished(database.close);
  // Each write of a counter or a pet needs a new page.
  await database.write(sql`CREATE TABLE ballast (bytes BLOB)`);
  for (const event of ['INSERT ON meters', 'UPDATE ON meters', 'INSERT ON pets']) {
    const text = `CREATE TRIGGER "${event}" AFTER ${event} BEGIN INSERT INTO ballast VALUES (zeroblob(5000)); END`;
    await database.write({ text });
  }
  return { database, clock, path };
}

/** Makes this connection fail with SQLITE_FULL if it needs a new page. */
async function fillDisk(database: Database): Promise<void> {
  await database.read(sql`PRAGMA max_page_count = 1`);
}

async function freeDisk(database: Database): Promise<void> {
  await database.read(sql`PRAGMA max_page_count = 1000000`);
}
