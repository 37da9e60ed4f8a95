import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { addApiKey } from '../../src/server/api-keys.js';
import { openPostgres } from '../../src/server/postgres.js';
import { createRequestHandler } from '../../src/server/request-handler.js';
import { sql } from '../../src/server/sql.js';
import { fakeClock } from '../support/clock.js';
import { type Cluster, programs, startCluster } from '../support/postgres.js';
import { openPostgresNetwork } from '../support/postgres-network.js';
import { testKey } from '../support/test-store.js';

const allAllowed = { statuses: new Set([200]), counted: 32 };

const batching = [
  ['with batches', true],
  ['without batches', false],
] as const;

describe.skipIf(programs === undefined).each(batching)('after an outage of PostgreSQL, %s,', (_, isBatched) => {
  test.each(['fast', 'immediate'] as const)('the first requests succeed (%s shutdown)', async (mode) => {
    const cluster = await startCluster();
    const { database, send, burst } = await open({ cluster, isBatched });
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
    const { burst } = await open({ cluster, isBatched });
    await burst();
    await cluster.stop('fast');
    await cluster.start();
    expect(await burst()).toEqual(allAllowed);
  });

  test('that left silent connections behind, the first requests succeed', async () => {
    const cluster = await startCluster();
    const network = await openPostgresNetwork(cluster);
    const { burst } = await open({ cluster, isBatched, url: network.url });
    await burst();
    network.loseConnections();
    // Connections in use would fail: requests may have reached the database.
    await sleep(1_100);
    const begin = performance.now();
    expect(await burst()).toEqual(allAllowed);
    expect(performance.now() - begin).toBeLessThan(4_000);
  });
});

describe.skipIf(programs === undefined).each(batching)('a connection that PostgreSQL closes, %s,', (_, isBatched) => {
  test('at the moment of a request causes neither an error nor a second count', async () => {
    const cluster = await startCluster();
    const { burst } = await open({ cluster, isBatched });
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
    const { database } = await open({ cluster, isBatched, url: network.url });
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

interface OpenOptions {
  readonly cluster: Cluster;
  readonly isBatched: boolean;
  readonly url?: string;
}

async function open({ cluster, isBatched, url = cluster.address() }: OpenOptions) {
  const { database } = await openPostgres(url, () => [], { isBatched });
  onTestFinished(() => database.close());
  await addApiKey(database, testKey, plans.enterprise, Date.now());
  const handle = createRequestHandler({ database, clock: fakeClock(Date.now()), onError: () => {} });
  const headers = { authorization: `Bearer ${testKey}` };
  const send = () => handle({ method: 'GET', origin: '', target: '/v1/pets', headers }, '127.0.0.1');
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
