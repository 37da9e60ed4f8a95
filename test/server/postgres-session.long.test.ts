import { describe, expect, onTestFinished, test } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { addApiKey } from '../../src/server/api-keys.js';
import { openPostgres } from '../../src/server/postgres.js';
import { createRequestHandler } from '../../src/server/request-handler.js';
import { samplePetCount, samplePetStatements } from '../../src/server/sample-pets.js';
import { sql } from '../../src/server/sql.js';
import { fakeClock } from '../support/clock.js';
import { pgbouncer, startPgBouncer } from '../support/pgbouncer.js';
import { programs, startCluster } from '../support/postgres.js';
import { countPets, testKey } from '../support/test-store.js';

describe.skipIf(programs === undefined || pgbouncer === undefined).each([
  ['session', 40],
  ['transaction', 2],
] as const)('a PostgreSQL behind PgBouncer in %s mode', (mode, poolSize) => {
  test('is created, and serves concurrent lists and adds', async () => {
    const { database } = await open(await startUrl());
    await addApiKey(database, testKey, plans.enterprise, Date.now());
    const errors: unknown[] = [];
    const handle = createRequestHandler({
      database,
      clock: fakeClock(Date.now()),
      onError: (error) => errors.push(error),
    });
    const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
    const body = new TextEncoder().encode('{"name":"Rex","categoryId":1}');
    const send = (method: string) =>
      handle({ method, origin: '', target: '/v1/pets', headers, ...(method === 'POST' && { body }) }, '127.0.0.1');
    for (let round = 0; round < 10; round += 1) {
      const responses = await Promise.all(Array.from({ length: 40 }, (_, index) => send(index % 2 ? 'POST' : 'GET')));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200, 201]));
    }
    expect(errors).toEqual([]);
    expect(await countPets(database)).toBe(samplePetCount + 200);
  });

  test('waits for the disk in synced writes only, whatever other clients set', async () => {
    const url = await startUrl();
    const { database } = await open(url);
    const { Client } = await import('pg');
    const other = new Client(url);
    await other.connect();
    onTestFinished(() => other.end());
    for (const level of ['on', 'off']) {
      await other.query(`SET synchronous_commit = ${level}; SET statement_timeout = 500`);
      const asked = sql`SHOW synchronous_commit`;
      for (let times = 0; times < 4; times += 1) {
        expect(await database.write(asked)).toEqual([{ synchronous_commit: 'on' }]);
        expect(await database.write(sql`SELECT 1`, asked)).toEqual([{ synchronous_commit: 'on' }]);
        expect(await database.writeUnsynced(asked)).toEqual([{ synchronous_commit: 'off' }]);
      }
      await database.read(sql`SELECT pg_sleep(0.6)`);
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

async function open(url: string) {
  const opened = await openPostgres(url, samplePetStatements);
  onTestFinished(() => opened.database.close());
  return opened;
}
