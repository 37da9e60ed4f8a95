import { describe, expect, onTestFinished, test } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { addApiKey } from '../../src/server/api-keys.js';
import { openPostgres } from '../../src/server/postgres.js';
import { fakeClock } from '../support/clock.js';
import { type Cluster, newPostgres, openPostgresNetwork, programs, startCluster } from '../support/postgres.js';
import { sql, usePostgres } from '../support/test-database.js';
import { countPets, handlerOf, respondWith, testKey } from '../support/test-server.js';

describe.skipIf(programs === undefined)('on PostgreSQL', async () => {
  usePostgres();
  await import('./idempotency.test.js');
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
