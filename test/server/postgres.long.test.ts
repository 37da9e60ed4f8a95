import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { systemClock } from '../../src/clock.js';
import { addApiKey } from '../../src/server/api-keys.js';
import { migrations } from '../../src/server/migrations.js';
import { selectPageStatement } from '../../src/server/pets.js';
import { openPostgres } from '../../src/server/postgres.js';
import { countRequest, keySubject } from '../../src/server/rate-limits.js';
import { samplePetCount, samplePetStatements } from '../../src/server/sample-pets.js';
import { type Database, numberParameters, type Statement } from '../../src/server/sql.js';
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
import { newDatabaseAddress, openDatabaseAt, sql } from '../support/test-database.js';
import { countPets, handlerOf, respondWith, testKey } from '../support/test-server.js';

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
});

describe.skipIf(programs === undefined)('a PostgreSQL', () => {
  test('waits for the disk in synced writes only', async () => {
    const { database } = await open(await newPostgres());
    const asked = sql`SHOW synchronous_commit`;
    expect(await database.write(asked)).toEqual([{ synchronous_commit: 'on' }]);
    expect(await database.writeUnsynced(asked)).toEqual([{ synchronous_commit: 'off' }]);
    expect(await database.read(sql`SELECT 1 FROM pg_prepared_statements LIMIT 1`)).toHaveLength(1);
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
    const { send, burst } = await openCluster(cluster);
    expect(await burst()).toEqual(allAllowed);
    for (let round = 0; round < 3; round += 1) {
      await cluster.stop(mode);
      expect((await send()).status).toBe(503);
      await cluster.start();
      expect(await burst()).toEqual(allAllowed);
    }
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
      const pids = await cluster.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'petstore'");
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

describe.skipIf(programs === undefined)('two servers on one PostgreSQL', () => {
  test('add one pet per Idempotency-Key, however they race', async () => {
    const { servers, database } = await openServers();
    for (let round = 0; round < 30; round += 1) {
      const keys = Array.from({ length: 6 }, (_, index) => `${round}-${index}`);
      const [one, other] = servers as [Send, Send];
      const sendAll = () => [
        ...keys.map((key) => one(key, 'Rex')),
        // In the opposite order, so that transactions of several adds can deadlock.
        ...keys.toReversed().map((key) => other(key, 'Rex')),
      ];
      const responses = await Promise.all([...sendAll(), ...sendAll()]);
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
      for (const key of keys) {
        const each = responses.filter((response) => response.key === key);
        expect(new Set(each.map(({ text }) => text)).size, key).toBe(1);
        expect(each.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
      }
      expect(await countPets(database)).toBe((round + 1) * 6);
    }
  });

  test('add one of two different pets with the same Idempotency-Key', async () => {
    const { servers, database } = await openServers();
    for (let round = 0; round < 30; round += 1) {
      const [one, other] = servers as [Send, Send];
      const responses = await Promise.all([one(`${round}`, 'Rex'), other(`${round}`, 'Max')]);
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 422]);
    }
    expect(await countPets(database)).toBe(30);
  });

  test('wait for an add with the same Idempotency-Key, but not for others', async () => {
    const address = await newPostgres();
    const { servers, database } = await openServers(address);
    const [send] = servers as [Send];
    const { Client } = await import('pg');
    const other = new Client(address);
    await other.connect();
    onTestFinished(() => other.end());
    await send('first', 'Rex');
    await other.query(`
      BEGIN;
      INSERT INTO idempotency_entries SELECT owner, 'second', request_digest, pet_id, expires_at FROM idempotency_entries`);
    const waiting = send('second', 'Rex');
    expect((await send('third', 'Rex')).status).toBe(201);
    await other.query('COMMIT');
    expect(await waiting).toMatchObject({ status: 201, isReplay: true });
    expect(await countPets(database)).toBe(2);
  });

  test('replay the response of an add whose commit was not acknowledged', async () => {
    const cluster = await startCluster();
    const network = await openPostgresNetwork(cluster);
    const { servers, database } = await openServers(network.url);
    const [, send] = servers as [Send, Send];
    await cluster.query(`
      CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NULL; END';
      CREATE TRIGGER slow AFTER INSERT ON pets EXECUTE FUNCTION wait()`);
    const adding = Promise.allSettled([send('key', 'Rex')]);
    await expect.poll(() => isSleeping(cluster), { timeout: 15_000 }).toBe(true);
    network.closeConnections();
    const [result] = await adding;
    expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'away' } });
    await cluster.query('DROP TRIGGER slow ON pets');
    expect(await send('key', 'Rex')).toMatchObject({ status: 201, isReplay: true });
    expect(await countPets(database)).toBe(1);
  });

  test('replay a response by the clock of the database', async () => {
    const address = await newPostgres();
    const ahead = fakeClock(Date.now() + 2 * 86_400_000);
    const { servers, database } = await openServers(address, ahead.now());
    const [send] = servers as [Send];
    await send('key', 'Rex');
    expect(await send('key', 'Rex')).toMatchObject({ status: 201, isReplay: true });
    await database.write(sql`UPDATE idempotency_entries SET expires_at = expires_at - 86400000`);
    expect(await send('key', 'Rex')).toMatchObject({ status: 201, isReplay: false });
    expect(await countPets(database)).toBe(2);
  });
});

/** Statements of the server with the index to use; there are many pets on both sides of the cursor. */
const statements: readonly (readonly [string, Statement, string, string])[] = [
  ['the first page', selectPageStatement(undefined, 0n, 21), 'id', 'pets_pkey'],
  ['a page', selectPageStatement(undefined, 15_000n, 21), 'id', 'pets_pkey'],
  ...['available', 'pending', 'sold'].flatMap((status) => [
    [`the first page of ${status}`, selectPageStatement(status, 0n, 21), 'status', 'pets_by_status'] as const,
    [`a page of ${status}`, selectPageStatement(status, 15_000n, 21), 'status', 'pets_by_status'] as const,
  ]),
  ['one pet', sql`SELECT name FROM pets WHERE id = ${5n}`, 'id', 'pets_pkey'],
  ['a key', sql`SELECT prefix FROM keys WHERE digest = ${'0'}`, 'digest', 'keys_pkey'],
  ['a count', sql`SELECT day_end FROM meters WHERE subject = ${'0'}`, 'subject', 'meters_pkey'],
];

describe('on SQLite', () => {
  test('no statement scans or sorts', async () => {
    const database = await filled(await newDatabaseAddress());
    for (const [name, statement] of statements) {
      const steps = await database.read(explained('EXPLAIN QUERY PLAN', statement));
      const plan = steps.map(({ detail }) => String(detail));
      expect([name, plan]).toEqual([name, [expect.stringMatching(/^SEARCH \w+ USING .*[=>]\?/)]]);
    }
  });
});

describe.skipIf(programs === undefined)('on PostgreSQL', () => {
  test.each(['without statistics', 'with statistics'])('no statement scans or sorts %s', async (planner) => {
    const database = await filled(await newPostgres());
    if (planner === 'with statistics') await database.read(sql`ANALYZE pets`);
    for (const mode of ['force_custom_plan', 'force_generic_plan']) {
      for (const [name, statement, column, index] of statements) {
        const prepared = `plan_${crypto.randomUUID().replaceAll('-', '')}`;
        const [row] = await database.write(
          { text: `SET LOCAL plan_cache_mode = ${mode}` },
          { text: `PREPARE ${prepared} AS ${numberParameters(statement.text, '$').text}` },
          { text: `EXPLAIN (FORMAT JSON) EXECUTE ${prepared}${literals(statement)}` },
        );
        const plan = String(row?.['QUERY PLAN']);
        expect([name, plan]).toEqual([name, expect.stringContaining(`"Index Name": "${index}"`)]);
        expect([name, plan]).toEqual([name, expect.stringMatching(`"Index Cond": .*${column}`)]);
        expect([name, plan]).toEqual([name, expect.not.stringMatching(/Filter|Sort|Seq Scan/)]);
      }
    }
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
  const readCount = async () => Number((await cluster.query('SELECT minute_used FROM meters'))[0]?.minute_used ?? 0);
  /** Calls `prepare`, then sends 32 requests at once. Returns their statuses and how many were counted. */
  const burst = async (prepare = () => {}) => {
    const before = await readCount();
    prepare();
    const responses = await Promise.all(Array.from({ length: 32 }, send));
    return { statuses: new Set(responses.map(({ status }) => status)), counted: (await readCount()) - before };
  };
  return { database, send, burst };
}

type Send = Awaited<ReturnType<typeof openServers>>['servers'][number];

async function isSleeping(cluster: Cluster): Promise<boolean> {
  const rows = await cluster.query("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
  return rows.length > 0;
}

async function openServers(given?: string, now = Date.now()) {
  const address = given ?? (await newPostgres());
  const clock = fakeClock(now);
  const open = () => openPostgres(address, { clock: { ...clock, isSimulated: false } });
  const databases = [(await open()).database, (await open()).database] as const;
  for (const { close } of databases) onTestFinished(close);
  await addApiKey(databases[0], testKey, { limits: plans.enterprise }, 0);
  const servers = databases.map((database) => {
    const onError = (error: unknown) => {
      throw error;
    };
    const handle = handlerOf(respondWith({ database, clock, onError }));
    return async (key: string, name: string) => {
      const headers = {
        authorization: `Bearer ${testKey}`,
        'content-type': 'application/json',
        'idempotency-key': key,
      };
      const body = new TextEncoder().encode(JSON.stringify({ name, categoryId: 1 }));
      const response = await handle({ method: 'POST', target: '/v1/pets', headers, body }, '127.0.0.1');
      const isReplay = response.headers['idempotency-replayed'] === 'true';
      return { key, status: response.status, isReplay, text: new TextDecoder().decode(response.body) };
    };
  });
  return { servers, database: databases[0] };
}

/** Opens a database with 20,000 pets; only the last ten are sold. */
async function filled(address: string): Promise<Database> {
  const database = await openDatabaseAt(address);
  await database.write(sql`
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
    INSERT INTO pets (name, category_id, status)
    SELECT 'Rex', 1, CASE WHEN n > 19990 THEN 'sold' WHEN n % 4 = 0 THEN 'pending' ELSE 'available' END
    FROM numbers`);
  return database;
}

function explained(word: string, { text, values = {} }: Statement): Statement {
  return { text: `${word} ${text}`, values };
}

function literals(statement: Statement): string {
  const values = numberParameters(statement.text, '$').names.map((name) => statement.values?.[name] ?? null);
  return `(${values.map((value) => (typeof value === 'string' ? `'${value}'` : value)).join(', ')})`;
}
