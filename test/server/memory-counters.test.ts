import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dayMs } from '../../src/clock.js';
import { addApiKey } from '../../src/server/api-keys.js';
import { createMemoryCounters } from '../../src/server/memory-counters.js';
import { addressSubject, countRequest, keySubject, readRateLimitStatus } from '../../src/server/rate-limits.js';
import { createRequestHandler } from '../../src/server/request-handler.js';
import { type Database, DatabaseError, sql } from '../../src/server/sql.js';
import { openSqlite } from '../../src/server/sqlite.js';
import { startServer } from '../../src/server/start-server.js';
import { type FakeClock, fakeClock } from '../support/clock.js';
import { mountSmallDisk } from '../support/small-disk.js';
import { makeFolder } from '../support/temp-folder.js';
import { addPet, countPets, testKey } from '../support/test-store.js';

const limits = { perMinute: 5, perDay: 12 };
const subject = keySubject('a', limits);

describe.each([
  ['batched', true],
  ['separate', false],
])('%s transactions on a full disk', (_, isBatched) => {
  test('continue to count from the stored counters', async () => {
    const { database, clock } = await openFillable({ isBatched });
    expect(await remaining(database, clock, 2)).toEqual([4, 3]);
    await fillDisk(database);
    expect(await remaining(database, clock, 4)).toEqual([2, 1, 0, 'rate_limited']);
    expect(await readStored(database)).toEqual([{ minute_used: 2n, day_used: 2n }]);
    await freeDisk(database);
    clock.advance(1_000);
    expect(await remaining(database, clock, 1)).toEqual(['rate_limited']);
    expect(await readStored(database)).toEqual([{ minute_used: 5n, day_used: 5n }]);
  });

  test('reject writes that must be stored', async () => {
    const { database, clock, path, warnings } = await openFillable({ isBatched });
    await fillDisk(database);
    const [counted, added] = await Promise.allSettled([
      countRequest(database, subject, clock.now()),
      addPet(database, 'Rex'),
      countRequest(database, addressSubject('::1'), clock.now()),
    ]);
    expect(counted).toMatchObject({ status: 'fulfilled', value: { quota: { remaining: 4 } } });
    const message = `the disk of ${path} is full`;
    expect(added).toMatchObject({ reason: { name: 'DatabaseError', reason: 'full', message } });
    await expect(database.writeUnsynced(sql`UPDATE meters SET bans = 1`)).rejects.toMatchObject({ reason: 'full' });
    clock.advance(1_000);
    await countRequest(database, addressSubject('::1'), clock.now());
    expect(warnings.map((warning) => warning.message)).toEqual([message]);
    await freeDisk(database);
    clock.advance(1_000);
    await addPet(database, 'Rex');
    expect(await countPets(database)).toBe(1);
    expect(await remaining(database, clock, 1)).toEqual([3]);
  });

  test('try the file once per second', async () => {
    const { database, clock } = await openFillable({ isBatched });
    await fillDisk(database);
    await remaining(database, clock, 1);
    await freeDisk(database);
    clock.advance(999);
    await remaining(database, clock, 1);
    expect(await readStored(database)).toEqual([]);
    clock.advance(1);
    await remaining(database, clock, 1);
    expect(await readStored(database)).toEqual([{ minute_used: 3n, day_used: 3n }]);
  });

  test('store a pet, and then counters, as soon as there is room', async () => {
    const { database, clock } = await openFillable({ isBatched });
    await fillDisk(database);
    await remaining(database, clock, 1);
    await expect(addPet(database, 'Rex')).rejects.toMatchObject({ reason: 'full' });
    await freeDisk(database);
    await addPet(database, 'Rex');
    expect(await countPets(database)).toBe(1);
    await remaining(database, clock, 1);
    expect(await readStored(database)).toEqual([{ minute_used: 2n, day_used: 2n }]);
  });

  test('that change nothing do not end counting in memory', async () => {
    const { database, clock, warnings } = await openFillable({ isBatched });
    await fillDisk(database);
    await remaining(database, clock, 1);
    const noChange = database.write(sql`DELETE FROM pets WHERE id = -1`);
    await expect(noChange).rejects.toMatchObject({ reason: 'full' });
    await remaining(database, clock, 1);
    expect(warnings).toHaveLength(1);
  });

  test('try the file again if the clock is set back', async () => {
    const { database, clock } = await openFillable({ isBatched });
    await fillDisk(database);
    await remaining(database, clock, 1);
    await freeDisk(database);
    clock.advance(-10_000);
    await remaining(database, clock, 1);
    expect(await readStored(database)).toEqual([{ minute_used: 2n, day_used: 2n }]);
  });

  test('report the counters in memory', async () => {
    const { database, clock } = await openFillable({ isBatched });
    await fillDisk(database);
    await remaining(database, clock, 3);
    expect(await readRateLimitStatus(database, subject, clock.now())).toMatchObject({
      minute: { remaining: 2 },
      day: { remaining: 9 },
    });
  });

  test('store the counters at the end if there is room', async () => {
    const { database, clock, path } = await openFillable({ isBatched });
    await fillDisk(database);
    await remaining(database, clock, 3);
    await freeDisk(database);
    await database.close();
    const { database: reopened } = await openFillable({ isBatched, path });
    expect(await readStored(reopened)).toEqual([{ minute_used: 3n, day_used: 3n }]);
  });
});

const step = fc.oneof(
  { weight: 12, arbitrary: fc.record({ kind: fc.constant('count' as const), of: fc.constantFrom('a', 'b', '::1') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(10, 1_000, 61_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(301_000, 86_400_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fill' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('free' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

test('a disk that is full at times changes no limit and no ban', async () => {
  const run = async ({ database, clock }: Fillable, steps: readonly Step[], isFilled: boolean) => {
    const decisions: unknown[] = [];
    for (const each of [...steps, { kind: 'free' } as const, { kind: 'wait', ms: 1_000 } as const]) {
      if (each.kind === 'wait') clock.advance(each.ms);
      else if (each.kind === 'count') {
        const counted = each.of === '::1' ? addressSubject(each.of) : keySubject(each.of, limits);
        decisions.push(await countRequest(database, counted, clock.now()));
      } else if (isFilled) await (each.kind === 'fill' ? fillDisk(database) : freeDisk(database));
    }
    // The second commit stores the counters that are still in memory.
    for (const id of ['last', 'last'])
      decisions.push(await countRequest(database, keySubject(id, limits), clock.now()));
    return { decisions, rows: await database.read(sql`SELECT * FROM meters ORDER BY subject`) };
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 80 }), async (steps) => {
      const expected = await run(await openFillable({ path: ':memory:' }), steps, false);
      expect(await run(await openFillable({ path: ':memory:' }), steps, true)).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

describe('another process on the same file', () => {
  test('keeps what it counted meanwhile', async () => {
    const { database, clock, path } = await openFillable();
    const { database: other } = await openFillable({ path, clock });
    await remaining(database, clock, 1);
    await fillDisk(database);
    await remaining(database, clock, 2);
    expect(await remaining(other, clock, 1)).toEqual([3]);
    await freeDisk(database);
    clock.advance(1_000);
    expect(await remaining(database, clock, 1)).toEqual([0]);
    expect(await readStored(other)).toEqual([{ minute_used: 5n, day_used: 5n }]);
  });

  test('keeps a window that it started meanwhile', async () => {
    const { database, clock, path } = await openFillable();
    const { database: other } = await openFillable({ path, clock });
    await fillDisk(database);
    await remaining(database, clock, 2);
    clock.advance(30_000);
    await remaining(other, clock, 1);
    await freeDisk(database);
    expect(await remaining(database, clock, 1)).toEqual([1]);
    const { minute } = await readRateLimitStatus(database, subject, clock.now());
    expect(minute.resetAt).toBe(clock.now() + 60_000);
  });

  test('keeps a window that it started after the window in memory ended', async () => {
    const { database, clock, path } = await openFillable();
    const { database: other } = await openFillable({ path, clock });
    await fillDisk(database);
    await remaining(database, clock, 2);
    clock.advance(61_000);
    await remaining(other, clock, 1);
    await freeDisk(database);
    await countRequest(database, addressSubject('::1'), clock.now());
    expect(await readStored(other)).toEqual([{ minute_used: 1n, day_used: 3n }]);
  });

  test('can delete counters and end a ban meanwhile', async () => {
    const { database, clock, path } = await openFillable();
    const { database: other } = await openFillable({ path, clock });
    await remaining(database, clock, 15);
    await fillDisk(database);
    expect(await remaining(database, clock, 1)).toEqual(['key_banned']);
    await other.write(sql`DELETE FROM meters`);
    await freeDisk(database);
    clock.advance(1_000);
    expect(await remaining(database, clock, 1)).toEqual([4]);
  });
});

test('many counters are stored in several transactions', async () => {
  const { database, clock } = await openFillable();
  await fillDisk(database);
  const subjects = Array.from({ length: 1_200 }, (_, index) => keySubject(`k${index}`, limits));
  for (const each of subjects) await countRequest(database, each, clock.now());
  await freeDisk(database);
  clock.advance(1_000);
  const stored = async () => Number((await database.read(sql`SELECT count(*) AS n FROM meters`))[0]?.n);
  const last = subjects.at(-1) ?? subject;
  expect((await countRequest(database, last, clock.now())).quota.remaining).toBe(3);
  expect(await stored()).toBe(1);
  await remaining(database, clock, 1);
  expect(await stored()).toBe(502);
  await remaining(database, clock, 2);
  expect(await stored()).toBe(1_201);
  expect((await countRequest(database, last, clock.now())).quota.remaining).toBe(2);
});

test('a full disk limits the number of counters in memory to 50,000', () => {
  const full = new DatabaseError('full', 'the disk is full');
  const { commit } = createMemoryCounters({
    clock: fakeClock(),
    commitToFile: () => {
      throw full;
    },
    mapError: () => full,
    runInFile: () => [],
    runInMemory: () => [],
    onFull: () => {},
  });
  const count = (id: string) => commit([{ statements: [], isSynced: false, subject: id }]);
  for (let index = 0; index < 50_000; index += 1) count(`key ${index}`);
  expect(() => count('key 50000')).toThrow(full);
  expect(count('key 49999')).toEqual([[]]);
});

test('requests on a full disk get their response, but additions and health checks get 503', async () => {
  const { database, clock } = await openFillable({ isBatched: true });
  const key = await addApiKey(database, testKey, limits, clock.now());
  const errors: unknown[] = [];
  const handle = createRequestHandler({ database, clock, onError: (error) => errors.push(error) });
  const send = async (method: string, target: string) => {
    const body = new TextEncoder().encode(method === 'POST' ? '{"name":"Rex","categoryId":1}' : '');
    const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
    const response = await handle({ method, target, origin: 'http://127.0.0.1', headers, body }, '127.0.0.1');
    return {
      status: response.status,
      remaining: response.headers['x-ratelimit-remaining'],
      text: new TextDecoder().decode(response.body),
      retryAfter: response.headers['retry-after'],
    };
  };
  expect(await send('GET', '/v1/pets')).toMatchObject({ status: 200, remaining: '4' });
  await fillDisk(database);
  expect(await send('GET', '/v1/pets')).toMatchObject({ status: 200, remaining: '3' });
  expect(await send('POST', '/v1/pets')).toEqual({
    status: 503,
    remaining: '2',
    text: '{"code":"unavailable","message":"the disk of the server is full","status":503}',
    retryAfter: '30',
  });
  expect(await send('GET', '/healthz')).toMatchObject({ status: 503 });
  expect(errors).toEqual([expect.objectContaining({ reason: 'full' }), expect.objectContaining({ reason: 'full' })]);
  await freeDisk(database);
  clock.advance(1_000);
  expect(await send('GET', '/healthz')).toMatchObject({ status: 200 });
  expect(await send('POST', '/v1/pets')).toMatchObject({ status: 201, remaining: '1' });
  expect(await readRateLimitStatus(database, keySubject(key.digest, limits), clock.now())).toMatchObject({
    day: { remaining: 8 },
  });
});

const smallDisk = mountSmallDisk();

describe.skipIf(smallDisk === undefined)('a server on a full disk (needs root to mount one)', () => {
  const file = (name: string) => join(smallDisk ?? '', name);
  const fill = async () => {
    onTestFinished(empty);
    await expect(writeFile(file('ballast'), Buffer.alloc(8_000_000))).rejects.toMatchObject({ code: 'ENOSPC' });
  };
  const empty = () => rm(file('ballast'), { force: true });

  const start = async (database: string, clock: FakeClock) => {
    const errors: string[] = [];
    const server = await startServer({
      ...{ database, clock, host: '127.0.0.1', port: 0, key: testKey, limits: undefined },
      ...{ nodeVersion: process.versions.node, log: () => {} },
      onError: (error) => errors.push((error as Error).message),
    });
    let closed: Promise<void> | undefined;
    const close = () => {
      closed ??= server.close();
      return closed;
    };
    onTestFinished(close);
    const send = async (method: string, target: string, authorization = `Bearer ${testKey}`) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${target}`, {
        method,
        headers: { authorization, 'content-type': 'application/json', connection: 'close' },
        ...(method === 'POST' && { body: '{"name":"Rex","categoryId":1}' }),
      });
      return [response.status, Number(response.headers.get('x-ratelimit-remaining'))];
    };
    return { send, errors, close };
  };

  test('lists pets with a decreasing quota, adds none, and continues when there is room', async () => {
    const path = file('store.db');
    const clock = fakeClock();
    const { send, errors, close } = await start(path, clock);
    expect(await send('GET', '/v1/pets')).toEqual([200, 59]);
    await fill();
    for (const quota of [58, 57, 56]) expect(await send('GET', '/v1/pets')).toEqual([200, quota]);
    expect(await send('POST', '/v1/pets')).toEqual([503, 55]);
    expect(await send('GET', '/healthz')).toEqual([503, expect.any(Number)]);
    expect(errors).toEqual([
      `the disk of ${path} is full: requests are counted in memory until there is room`,
      `the disk of ${path} is full`,
      `the disk of ${path} is full`,
    ]);
    clock.advance(1_000);
    expect(await send('GET', '/v1/pets')).toEqual([200, 54]);
    await empty();
    clock.advance(1_000);
    expect(await send('POST', '/v1/pets')).toEqual([201, 53]);
    expect(await send('GET', '/healthz')).toEqual([200, expect.any(Number)]);
    await close();
    const second = await start(path, clock);
    expect(await second.send('GET', '/v1/pets')).toEqual([200, 52]);
  });

  test('starts beside another server, although it cannot delete old counters', async () => {
    const path = file('shared.db');
    const clock = fakeClock();
    const first = await start(path, clock);
    expect(await first.send('GET', '/v1/pets', '')).toEqual([401, 59]);
    await fill();
    clock.advance(2 * dayMs);
    const second = await start(path, clock);
    expect(await second.send('GET', '/v1/pets')).toEqual([200, 59]);
  });

  test('reports the full disk if it cannot start', async () => {
    const path = file('new.db');
    await fill();
    const message = `the disk of ${path} is full`;
    await expect(start(path, fakeClock())).rejects.toMatchObject({ reason: 'full', message });
  });
});

interface Fillable {
  readonly database: Database;
  readonly clock: FakeClock;
  readonly path: string;
  readonly warnings: readonly DatabaseError[];
}

/** Opens a database that `fillDisk` can fill, and closes it after the test. */
async function openFillable({
  isBatched = false,
  path = '',
  clock = fakeClock(),
}: {
  readonly isBatched?: boolean;
  readonly path?: string;
  readonly clock?: FakeClock;
} = {}): Promise<Fillable> {
  const file = path === '' ? join(await makeFolder(), 'store.db') : path;
  const warnings: DatabaseError[] = [];
  const onDiskFull = (error: DatabaseError) => void warnings.push(error);
  const options = { path: file, clock, isBatched, onDiskFull, nodeVersion: process.versions.node };
  const { database } = await openSqlite(options);
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= database.close();
    return closed;
  };
  onTestFinished(close);
  // Each write of a counter or a pet needs a new page.
  await database.write(sql`CREATE TABLE IF NOT EXISTS ballast (bytes BLOB)`);
  for (const event of ['INSERT ON meters', 'UPDATE ON meters', 'INSERT ON pets']) {
    const text = `CREATE TRIGGER IF NOT EXISTS "${event}" AFTER ${event}
      BEGIN INSERT INTO ballast VALUES (zeroblob(5000)); END`;
    await database.write({ pieces: [text], values: [] });
  }
  return { database: { ...database, close }, clock, path: file, warnings };
}

/** Makes this connection fail with SQLITE_FULL if it needs a new page. */
async function fillDisk(database: Database): Promise<void> {
  await database.read(sql`PRAGMA max_page_count = 1`);
}

async function freeDisk(database: Database): Promise<void> {
  await database.read(sql`PRAGMA max_page_count = 1000000`);
}

/** Counts requests, and returns the remaining quota or the error code after each. */
async function remaining(database: Database, clock: FakeClock, count: number): Promise<unknown[]> {
  const results: unknown[] = [];
  for (let index = 0; index < count; index += 1) {
    const { rejectedAs, quota } = await countRequest(database, subject, clock.now());
    results.push(rejectedAs ?? quota.remaining);
  }
  return results;
}

/** Reads the counters of the subject from the file. */
function readStored(database: Database) {
  return database.read(sql`SELECT minute_used, day_used FROM meters WHERE subject = ${subject.id}`);
}
