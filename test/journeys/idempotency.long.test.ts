import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { openDatabase } from '../../src/server/open-database.js';
import { temporaryDirectory } from '../support/petstore.js';
import { newPostgres, pgbouncer, programs, startCluster, startPgBouncer } from '../support/postgres.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';
import { sql } from '../support/test-database.js';

const rounds = 6;
const lanes = 8;
const apiKey = 'pets_once_0123456789';

describe.each([
  ['SQLite', true, async () => join(temporaryDirectory(), 'store.db')],
  ['PostgreSQL', programs !== undefined, newPostgres],
  [
    'PgBouncer in transaction mode',
    programs !== undefined && pgbouncer !== undefined,
    async () => startPgBouncer(await startCluster(), 'transaction', 5),
  ],
] as const)('on %s', (_, isAvailable, newAddress) => {
  test.skipIf(!isAvailable)(
    'each create that is sent again after SIGKILL adds exactly one pet with a new id',
    async () => {
      const address = await newAddress();
      const keyFile = join(temporaryDirectory(), 'key');
      writeFileSync(keyFile, apiKey, { mode: 0o600 });
      const start = () =>
        startServeProcess(
          ...['--database', address, '--api-key-file', keyFile, '--quiet'],
          ...['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '10000000'],
        );
      const bodies = new Map<string, string>();
      let lost: readonly string[] = [];
      let lostCount = 0;
      let replayCount = 0;
      for (let round = 0; round < rounds; round += 1) {
        const served = await start();
        for (const name of [...lost, ...[...bodies.keys()].slice(-lanes)]) {
          const response = await add(served, name);
          expect(response?.status, name).toBe(201);
          if (response?.isReplay) replayCount += 1;
          expect(response?.body).toBe(bodies.get(name) ?? response?.body);
          bodies.set(name, response?.body ?? '');
        }
        lostCount += lost.length;
        const before = bodies.size;
        const adding = Array.from({ length: lanes }, (_, lane) => addUntilKilled(served, `${round}-${lane}`, bodies));
        await expect.poll(() => bodies.size, { timeout: 20_000 }).toBeGreaterThan(before + lanes);
        await systemClock.sleep(Math.random() * 200);
        await served.stop('SIGKILL');
        lost = await Promise.all(adding);
      }
      const served = await start();
      for (const name of lost) expect((await add(served, name))?.status).toBe(201);
      await served.stop();
      const counts = await countPetsByName(address);
      const names = [...bodies.keys(), ...lost];
      expect(names.filter((name) => counts.get(name) !== 1)).toEqual([]);
      expect(new Set(bodies.values()).size).toBe(bodies.size);
      expect(lostCount).toBe((rounds - 1) * lanes);
      // Each acknowledged create that was sent again, and lost ones that were stored.
      expect(replayCount).toBeGreaterThanOrEqual((rounds - 1) * lanes);
    },
    300_000,
  );
});

/** Adds pets until the server is killed, and resolves to the name of the pet whose response was lost. */
async function addUntilKilled(served: ServeProcess, lane: string, bodies: Map<string, string>): Promise<string> {
  for (let index = 0; ; index += 1) {
    const name = `${lane}-${index}`;
    const response = await add(served, name);
    if (!response) return name;
    expect(response.status).toBe(201);
    bodies.set(name, response.body);
  }
}

interface Added {
  readonly status: number;
  readonly isReplay: boolean;
  readonly body: string;
}

/** Adds a pet with its name as the idempotency key. Resolves to `undefined` if the response is lost. */
async function add(served: ServeProcess, name: string): Promise<Added | undefined> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'idempotency-key': name,
  };
  const body = JSON.stringify({ name, categoryId: 1 });
  try {
    const response = await fetch(`${served.baseUrl}/pets`, { method: 'POST', headers, body });
    // A busy database exceeds its timeout, and a client sends the request again.
    if (response.status === 503) return add(served, name);
    const isReplay = response.headers.get('idempotency-replayed') === 'true';
    return { status: response.status, isReplay, body: await response.text() };
  } catch {
    return undefined;
  }
}

async function countPetsByName(path: string): Promise<ReadonlyMap<string, number>> {
  const database = await openDatabase({ path, clock: systemClock, nodeVersion: process.versions.node });
  const rows = await database.read(sql`SELECT name, count(*) AS pets FROM pets GROUP BY name`);
  await database.close();
  return new Map(rows.map(({ name, pets }) => [String(name), Number(pets)]));
}
