import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { openPostgres } from '../../src/server/postgres.js';
import { temporaryDirectory } from '../support/petstore.js';
import { pgbouncer, programs, startCluster, startPgBouncer } from '../support/postgres.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';
import { sql } from '../support/test-database.js';

const key = 'pets_pool_0123456789';
const lanes = 12;

describe.skipIf(programs === undefined || pgbouncer === undefined).each([
  ['session', 60],
  ['transaction', 3],
] as const)('two servers behind PgBouncer in %s mode', (mode, poolSize) => {
  test('serve every request, and lose no created pet if PostgreSQL is killed', async () => {
    // Commits that do not wait for the disk reach it seconds later.
    const cluster = await startCluster(['wal_writer_delay = 10s']);
    const url = await startPgBouncer(cluster, mode, poolSize);
    const keyFile = join(temporaryDirectory(), 'key');
    writeFileSync(keyFile, key, { mode: 0o600 });
    const plan = ['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '10000000'];
    const start = () => startServeProcess('--database', url, '--api-key-file', keyFile, '--quiet', ...plan);
    const servers = await Promise.all([start(), start()]);
    const created = new Set<string>();
    for (let round = 0; round < 2; round += 1) {
      let isDone = false;
      let isKilled = false;
      const unexpected: unknown[] = [];
      const lane = async (number: number) => {
        for (let index = 0; !isDone; index += 1) {
          const { status, id } = await send(servers[index % 2] as ServeProcess, number % 2 === 0);
          if (id !== undefined) created.add(id);
          if (!isKilled && status !== 200 && status !== 201) unexpected.push(status);
        }
      };
      const loads = Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
      const before = created.size;
      await expect.poll(() => created.size, { timeout: 60_000 }).toBeGreaterThan(before + 100);
      isKilled = true;
      await cluster.stop('immediate');
      isDone = true;
      await loads;
      expect(unexpected).toEqual([]);
      await cluster.start();
      await expect
        .poll(async () => (await send(servers[0] as ServeProcess, false)).status, { timeout: 30_000 })
        .toBe(200);
      await expect
        .poll(async () => (await send(servers[1] as ServeProcess, true)).status, { timeout: 30_000 })
        .toBe(201);
    }
    const { database } = await openPostgres(cluster.address(), { clock: systemClock });
    const rows = await database.read(sql`SELECT id FROM pets`);
    await database.close();
    const stored = new Set(rows.map(({ id }) => String(id)));
    expect([...created].filter((id) => !stored.has(id))).toEqual([]);
    for (const { stop } of servers) expect((await stop()).exitCode).toBe(0);
  }, 200_000);
});

/** Lists pets, or adds one and resolves to its id. */
async function send({ baseUrl }: ServeProcess, isAdd: boolean): Promise<{ status: number; id?: string }> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
  const response = await fetch(`${baseUrl}/pets`, isAdd ? { method: 'POST', headers, body } : { headers });
  const { status } = response;
  const value = (await response.json()) as { id?: number };
  return status === 201 ? { status, id: String(value.id) } : { status };
}
