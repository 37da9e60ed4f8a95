import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { systemClock } from '../../src/clock.js';
import { addApiKey } from '../../src/server/api-keys.js';
import { migrations } from '../../src/server/migrations.js';
import { openPostgres } from '../../src/server/postgres.js';
import { countRequest, keySubject } from '../../src/server/rate-limits.js';
import { samplePetCount, samplePetStatements } from '../../src/server/sample-pets.js';
import type { Database, Statement } from '../../src/server/sql.js';
import { fakeClock } from '../support/clock.js';
import {
  type Cluster,
  newPostgres,
  openPostgresNetwork,
  pgbouncer,
  programs,
  startCluster,
  startPgBouncer,
} from '../support/postgres.js';
import { sql } from '../support/test-database.js';
import { addPet, countPets, handlerOf, respondWith, testKey } from '../support/test-server.js';

describe.skipIf(programs === undefined)('opening a PostgreSQL', () => {
  test('leaves a database of a newer petstore unchanged', async () => {
    const address = await newPostgres();
    const { database } = await open(address);
    await database.write(sql`UPDATE petstore_version SET version = ${migrations.length + 1}`);
    await expect(open(address)).rejects.toMatchObject({
      reason: 'newer',
      message: expect.stringMatching(/^the database postgres:\S+ has the format of a newer version of petstore$/),
    });
    expect(await version(database)).toBe(migrations.length + 1);
  });

  test('rejects an encoding other than UTF8', async () => {
    const address = await newPostgres();
    const { database } = await open(address);
    const name = `latin_${crypto.randomUUID().replaceAll('-', '')}`;
    await database.write({ text: `CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0` });
    await expect(open(address.replace('/postgres?', `/${name}?`))).rejects.toMatchObject({
      reason: 'unusable',
      message: expect.stringContaining('its encoding is LATIN1, not UTF8'),
    });
  });
});

describe.skipIf(programs === undefined)('a PostgreSQL', () => {
  test('waits for the disk in synced writes only', async () => {
    const { database } = await open(await newPostgres());
    const asked = sql`SHOW synchronous_commit`;
    expect(await database.write(asked)).toEqual([{ synchronous_commit: 'on' }]);
    expect(await database.writeUnsynced(asked)).toEqual([{ synchronous_commit: 'off' }]);
  });

  test('counts its connections', async () => {
    const { database } = await open(await newPostgres());
    await Promise.all([countPets(database), countPets(database), addPet(database, 'Rex')]);
    expect(database.poolStats?.()).toEqual({ size: 3, idle: 3, waiting: 0 });
  });

  test('allows one of two hundred concurrent requests at 59 of 60, counted by two servers', async () => {
    const address = await newPostgres();
    const sides = [(await open(address)).database, (await open(address)).database];
    const now = Date.UTC(2026, 10, 21, 12);
    const subject = keySubject({ owner: 'a', limits: plans.free });
    const count = (index: number) => countRequest(sides[index % 2] as Database, subject, now);
    for (let sent = 0; sent < 59; sent += 1) await count(sent);
    const verdicts = await Promise.all(Array.from({ length: 200 }, (_, index) => count(index)));
    expect(verdicts.filter(({ rejectedAs }) => rejectedAs === undefined)).toHaveLength(1);
  });

  test('that is slow causes 503 until it recovers', async () => {
    const address = await newPostgres();
    const { database } = await open(address);
    await addApiKey(database, testKey, { limits: plans.enterprise }, Date.now());
    const { Client } = await import('pg');
    const other = new Client(address);
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('BEGIN; LOCK TABLE pets IN ACCESS EXCLUSIVE MODE');
    const handle = handleOver(database);
    const begin = performance.now();
    const answers = await Promise.all(Array.from({ length: 30 }, () => handle('/v1/pets')));
    expect(performance.now() - begin).toBeLessThan(7_000);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
    expect(answers.every(({ headers }) => headers['retry-after'] === '1')).toBe(true);
    await other.query('ROLLBACK');
    expect((await handle('/v1/pets')).status).toBe(200);
    expect((await handle('/healthz')).status).toBe(200);
  });
});

describe.skipIf(programs === undefined)('an unavailable PostgreSQL', () => {
  test('causes 503 at once and is used again after it restarts', async () => {
    const cluster = await startCluster();
    const { database } = await open(cluster.address());
    await addApiKey(database, testKey, { limits: plans.enterprise }, Date.now());
    const handle = handleOver(database);
    expect((await handle('/healthz')).status).toBe(200);
    for (const mode of ['fast', 'immediate'] as const) {
      await cluster.stop(mode);
      for (const target of ['/v1/pets', '/healthz', '/v1/pets', '/healthz']) {
        const begin = performance.now();
        const { status, headers, body } = await handle(target);
        expect({ target, status, after: headers['retry-after'] }).toEqual({
          target,
          status: 503,
          after: '1',
        });
        expect(new TextDecoder().decode(body)).toBe(
          '{"code":"unavailable","message":"the server cannot reach its database","status":503}',
        );
        // The connection timeout.
        expect(performance.now() - begin).toBeLessThan(2_000);
      }
      await cluster.start();
      expect((await handle('/healthz')).status).toBe(200);
      expect((await handle('/v1/pets')).status).toBe(200);
    }
  });

  test('or one that denies access causes an error without the password', async () => {
    const cluster = await startCluster();
    const { database } = await open(cluster.address());
    await database.write(sql`CREATE ROLE anna LOGIN PASSWORD 'hunter22'`);
    await cluster.demandPasswords();
    const wrong = 'swordfish99';
    for (const [address, message] of [
      [cluster.address('anna', wrong), 'cannot be used: password authentication failed for user "anna"'],
      [cluster.address('anna', 'hunter22'), 'cannot be used: permission denied for table petstore_version'],
      [
        cluster.address('anna', 'hunter22').replace('/postgres?', '/nothing?'),
        'cannot be used: database "nothing" does not exist',
      ],
    ] as const) {
      const error = await open(address).catch((thrown: Error) => thrown);
      expect(error).toMatchObject({
        reason: 'refused',
        message: expect.stringMatching(`^the database postgres://anna@/.* ${message}`),
      });
      expect(`${(error as Error).stack}${((error as Error).cause as Error).stack}`).not.toMatch(/hunter22|swordfish99/);
    }
  });

  test.each(['prefer', 'require', 'verify-ca'])('causes no driver warning with sslmode=%s', async (mode) => {
    const warning = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warning.mockRestore());
    const opening = open(`postgres://anna@127.0.0.1:1/store?sslmode=${mode}`);
    await expect(opening).rejects.toMatchObject({ reason: 'away' });
    expect(warning).not.toHaveBeenCalled();
  });

  test('or a silent one causes an error within seconds', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    onTestFinished(() => void silent.close());
    const { port } = silent.address() as { port: number };
    for (const address of [
      `postgres://anna:hunter22@127.0.0.1:${port}/store`,
      'postgres://anna:hunter22@127.0.0.1:1/store',
      'postgres://anna:hunter22@localhost:1/store',
      'postgres://anna:hunter22@host.invalid/store',
      'postgres://anna:hunter22@/store?host=/nowhere',
    ]) {
      const begin = performance.now();
      const error = await open(address).catch((thrown: Error) => thrown);
      expect(performance.now() - begin).toBeLessThan(4_000);
      expect(error).toMatchObject({
        reason: 'away',
        message: expect.stringMatching(/^the database \S+ cannot be reached: \S/),
      });
      const { message, stack } = error as Error;
      expect(`${message}${stack}${inspect((error as Error).cause)}`).not.toContain('hunter22');
    }
  });
});

const allAllowed = { statuses: new Set([200]), counted: 32 };

describe.skipIf(programs === undefined)('after an outage of PostgreSQL', () => {
  test.each(['fast', 'immediate'] as const)('the first requests succeed (%s shutdown)', async (mode) => {
    const cluster = await startCluster();
    const { database, send, burst } = await openCluster(cluster);
    expect(await burst()).toEqual(allAllowed);
    for (let round = 0; round < 3; round += 1) {
      await cluster.stop(mode);
      expect((await send()).status).toBe(503);
      await cluster.start();
      expect(await burst()).toEqual(allAllowed);
    }
    expect(database.poolStats?.().size).toBeLessThanOrEqual(12);
  });

  test('that no request noticed, the first requests succeed', async () => {
    const cluster = await startCluster();
    const { burst } = await openCluster(cluster);
    await burst();
    await cluster.stop('fast');
    await cluster.start();
    expect(await burst()).toEqual(allAllowed);
  });

  test('that left silent connections behind, the first requests succeed', async () => {
    const cluster = await startCluster();
    const network = await openPostgresNetwork(cluster);
    const { burst } = await openCluster(cluster, network.url);
    await burst();
    network.loseConnections();
    // Connections in use would fail: requests may have reached the database.
    await sleep(1_100);
    const begin = performance.now();
    expect(await burst()).toEqual(allAllowed);
    expect(performance.now() - begin).toBeLessThan(4_000);
  });
});

describe.skipIf(programs === undefined)('a connection that PostgreSQL closes', () => {
  test('at the moment of a request causes neither an error nor a second count', async () => {
    const cluster = await startCluster();
    const { burst } = await openCluster(cluster);
    for (let round = 0; round < 3; round += 1) {
      await burst();
      const pids = await query(cluster, "SELECT pid FROM pg_stat_activity WHERE application_name = 'petstore'");
      const terminate = () => {
        for (const { pid } of pids) process.kill(Number(pid), 'SIGTERM');
        // Blocks this process, so that it cannot notice before the requests.
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      };
      expect(await burst(terminate)).toEqual(allAllowed);
    }
  });

  test('during a read causes a retry, but not during a write that may be committed', async () => {
    const cluster = await startCluster();
    const network = await openPostgresNetwork(cluster);
    const { database } = await openCluster(cluster, network.url);
    const reading = database.read(sql`SELECT 1 AS one, pg_sleep(0.5)`);
    const writing = database.write(sql`INSERT INTO pets (name, category_id) SELECT 'Rex', 1 FROM pg_sleep(0.5)`);
    writing.catch(() => {});
    await sleep(200);
    network.closeConnections();
    expect(await reading).toMatchObject([{ one: 1n }]);
    await expect(writing).rejects.toMatchObject({ reason: 'away' });
    await sleep(1_000);
    expect((await database.read(sql`SELECT id FROM pets`)).length).toBeLessThanOrEqual(1);
  });
});

describe.skipIf(programs === undefined || pgbouncer === undefined).each([
  ['session', 40],
  ['transaction', 2],
] as const)('a PostgreSQL behind PgBouncer in %s mode', (mode, poolSize) => {
  test('is created, and serves concurrent lists and adds', async () => {
    const { database } = await open(await startUrl(), samplePetStatements);
    await addApiKey(database, testKey, { limits: plans.enterprise }, Date.now());
    const errors: unknown[] = [];
    const clock = fakeClock(Date.now());
    const handle = handlerOf(respondWith({ database, clock, onError: (error) => errors.push(error) }));
    const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
    const body = new TextEncoder().encode('{"name":"Rex","categoryId":1}');
    const send = (method: string) =>
      handle({ method, target: '/v1/pets', headers, ...(method === 'POST' && { body }) }, '127.0.0.1');
    for (let round = 0; round < 10; round += 1) {
      const responses = await Promise.all(Array.from({ length: 40 }, (_, index) => send(index % 2 ? 'POST' : 'GET')));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 201]));
    }
    expect(errors).toEqual([]);
    expect(await countPets(database)).toBe(samplePetCount + 200);
  });

  test('waits for the disk, whatever other clients set', async () => {
    const url = await startUrl();
    const { database } = await open(url);
    const { Client } = await import('pg');
    const other = new Client(url);
    await other.connect();
    onTestFinished(() => other.end());
    for (const level of ['on', 'off']) {
      await other.query(`SET synchronous_commit = ${level}`);
      const asked = sql`SHOW synchronous_commit`;
      for (let times = 0; times < 4; times += 1) {
        expect(await database.write(asked)).toEqual([{ synchronous_commit: 'on' }]);
        expect(await database.write(sql`SELECT 1`, asked)).toEqual([{ synchronous_commit: 'on' }]);
      }
    }
    expect((await other.query('SHOW enable_seqscan')).rows).toEqual([{ enable_seqscan: 'on' }]);
  });

  async function startUrl(): Promise<string> {
    return startPgBouncer(await startCluster(), mode, poolSize);
  }
});

describe.skipIf(programs === undefined)('a PostgreSQL without a pooler', () => {
  test('prepares its statements', async () => {
    const cluster = await startCluster();
    const { database } = await open(cluster.address());
    await database.read(sql`SELECT 1`);
    const prepared = await database.read(sql`SELECT name FROM pg_prepared_statements`);
    expect(prepared.length).toBeGreaterThan(0);
    expect(await database.read(sql`SHOW enable_seqscan`)).toEqual([{ enable_seqscan: 'off' }]);
  });
});

async function open(address: string, seed: () => readonly Statement[] = () => []) {
  const opened = await openPostgres(address, { seed, clock: systemClock });
  onTestFinished(() => opened.database.close());
  return opened;
}

function handleOver(database: Database) {
  const clock = fakeClock(Date.now());
  const handle = handlerOf(respondWith({ database, clock, onError: () => {} }));
  const headers = { authorization: `Bearer ${testKey}` };
  return (target: string) => {
    // The result of a health check is reused for a second.
    clock.advance(1_000);
    return handle({ method: 'GET', target, headers }, '127.0.0.1');
  };
}

async function version(database: Database): Promise<number> {
  const [row] = await database.read(sql`SELECT version FROM petstore_version`);
  return Number(row?.version);
}

async function openCluster(cluster: Cluster, url = cluster.address()) {
  const { database } = await open(url);
  await addApiKey(database, testKey, { limits: plans.enterprise }, Date.now());
  const handle = handlerOf(respondWith({ database, clock: fakeClock(Date.now()), onError: () => {} }));
  const headers = { authorization: `Bearer ${testKey}` };
  const send = () => handle({ method: 'GET', target: '/v1/pets', headers }, '127.0.0.1');
  const readCount = async () => Number((await query(cluster, 'SELECT minute_used FROM meters'))[0]?.minute_used ?? 0);
  /** Calls `prepare`, then sends 32 requests at once. Returns their statuses and how many were counted. */
  const burst = async (prepare = () => {}) => {
    const before = await readCount();
    prepare();
    const responses = await Promise.all(Array.from({ length: 32 }, send));
    return { statuses: new Set(responses.map(({ status }) => status)), counted: (await readCount()) - before };
  };
  return { database, send, burst };
}

/** Runs a statement on a separate connection. */
async function query(cluster: Cluster, text: string): Promise<readonly Record<string, unknown>[]> {
  const { Client } = await import('pg');
  const client = new Client(cluster.address());
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}
