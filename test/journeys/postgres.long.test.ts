import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { openPostgres } from '../../src/server/postgres.js';
import { temporaryDirectory } from '../support/petstore.js';
import { type Cluster, pgbouncer, programs, startCluster, startPgBouncer } from '../support/postgres.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';
import { sql } from '../support/test-database.js';

const key = 'pets_kill_0123456789';
const rounds = 2;
const lanes = 9;

const hasPgBouncer = programs !== undefined && pgbouncer !== undefined;

describe.each([
  ['PostgreSQL', programs !== undefined, async (cluster: Cluster) => cluster.address()],
  ['PgBouncer in session mode', hasPgBouncer, (cluster: Cluster) => startPgBouncer(cluster, 'session', 60)],
  ['PgBouncer in transaction mode', hasPgBouncer, (cluster: Cluster) => startPgBouncer(cluster, 'transaction', 3)],
] as const)('three servers on one %s', (_, isAvailable, findUrl) => {
  test.skipIf(!isAvailable)(
    'lose no created pet and use no id twice if they or PostgreSQL are killed',
    async () => {
      // Commits that do not wait for the disk reach it seconds later.
      const cluster = await startCluster(['wal_writer_delay = 10s']);
      const url = await findUrl(cluster);
      const keyFile = join(temporaryDirectory(), 'key');
      writeFileSync(keyFile, key, { mode: 0o600 });
      const start = () =>
        startServeProcess(
          ...['--database', url, '--api-key-file', keyFile, '--quiet'],
          ...['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '10000000'],
        );
      const fleet: ServeProcess[] = await Promise.all([start(), start(), start()]);
      const created = new Map<string, string>();
      const statuses = new Set<number | string>();
      let isDone = false;
      const lane = async (number: number) => {
        for (let index = 0; !isDone; index += 1) {
          const name = `${number}-${index}`;
          const { status, id } = await add(fleet[index % fleet.length] as ServeProcess, name);
          statuses.add(status);
          if (id === undefined) continue;
          expect(created.has(id), `id ${id} is unique`).toBe(false);
          created.set(id, name);
        }
      };
      const adding = Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
      const waitForMore = async () => {
        const before = created.size;
        await expect.poll(() => created.size, { timeout: 20_000 }).toBeGreaterThan(before + 100);
      };
      await waitForMore();
      expect([...statuses]).toEqual([201]);
      for (let round = 0; round < rounds; round += 1) {
        await systemClock.sleep(Math.random() * 200);
        await fleet[round % fleet.length]?.stop('SIGKILL');
        fleet[round % fleet.length] = await start();
        await waitForMore();
        await systemClock.sleep(Math.random() * 200);
        await cluster.stop('immediate');
        await cluster.start();
        await waitForMore();
      }
      isDone = true;
      await adding;
      expect([...statuses].filter((status) => ![201, 503, 'gone'].includes(status))).toEqual([]);
      const { database } = await openPostgres(cluster.address(), { clock: systemClock });
      const rows = await database.read(sql`SELECT id, name FROM pets`);
      await database.close();
      const stored = new Map(rows.map(({ id, name }) => [String(id), name]));
      expect([...created].filter(([id, name]) => stored.get(id) !== name)).toEqual([]);
      for (const { stop } of fleet) expect((await stop()).exitCode).toBe(0);
    },
    200_000,
  );
});

/** Resolves to the status and the id of a created pet. The status is `gone` if the server was killed. */
async function add({ baseUrl }: ServeProcess, name: string) {
  try {
    const response = await fetch(`${baseUrl}/pets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, categoryId: 1 }),
    });
    const body = (await response.json()) as { id?: number };
    const id = response.status === 201 ? String(body.id) : undefined;
    return { status: response.status, id };
  } catch {
    return { status: 'gone', id: undefined };
  }
}
