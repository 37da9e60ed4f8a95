import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { addApiKey } from '../../src/server/api-keys.js';
import { migrations } from '../../src/server/migrations.js';
import { openPostgres } from '../../src/server/postgres.js';
import { countRequest, keySubject } from '../../src/server/rate-limits.js';
import { createRequestHandler } from '../../src/server/request-handler.js';
import { type Database, sql } from '../../src/server/sql.js';
import { fakeClock } from '../support/clock.js';
import { newPostgres, programs, startCluster } from '../support/postgres.js';
import { addPet, countPets, testKey } from '../support/test-store.js';

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
    await database.write({
      pieces: [`CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0`],
      values: [],
    });
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
    const subject = keySubject('a', plans.free);
    const count = (index: number) => countRequest(sides[index % 2] as Database, subject, now);
    for (let sent = 0; sent < 59; sent += 1) await count(sent);
    const verdicts = await Promise.all(Array.from({ length: 200 }, (_, index) => count(index)));
    expect(verdicts.filter(({ rejectedAs }) => rejectedAs === undefined)).toHaveLength(1);
  });

  test.each([true, false])('that is slow causes 503 until it recovers (batches: %s)', async (isBatched) => {
    const address = await newPostgres();
    const { database } = await open(address, isBatched);
    await addApiKey(database, testKey, plans.enterprise, Date.now());
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
    await addApiKey(database, testKey, plans.enterprise, Date.now());
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

async function open(address: string, isBatched = false) {
  const opened = await openPostgres(address, () => [], { isBatched });
  onTestFinished(() => opened.database.close());
  return opened;
}

function handleOver(database: Database) {
  const clock = fakeClock(Date.now());
  const handle = createRequestHandler({ database, clock, onError: () => {} });
  const headers = { authorization: `Bearer ${testKey}` };
  return (target: string) => {
    // The result of a health check is reused for a second.
    clock.advance(1_000);
    return handle({ method: 'GET', origin: '', target, headers }, '127.0.0.1');
  };
}

async function version(database: Database): Promise<number> {
  const [row] = await database.read(sql`SELECT version FROM petstore_version`);
  return Number(row?.version);
}
