import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/petstore.js';
import { type Cluster, openPostgresNetwork, programs, startCluster, startStandby } from '../support/postgres.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';

const key = 'pets_stby_0123456789';
const lanes = 8;

describe.skipIf(programs === undefined)('servers on a PostgreSQL with a synchronous standby', () => {
  test('lose no acknowledged pet if the primary is killed and the standby is promoted', async () => {
    const primary = await startCluster();
    const standby = await startSynchronousStandby(primary);
    const address = await openPostgresNetwork(primary);
    const servers = await Promise.all([startServer(address.url), startServer(address.url)]);
    const created = new Map<string, string>();
    const statuses = new Map<number, number>();
    let isDone = false;
    const addUntilDone = async (_: unknown, number: number) => {
      for (let index = 0; !isDone; index += 1) {
        const name = `${number}-${index}`;
        const { status, id } = await addPet(servers[index % 2] as ServeProcess, name);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (id !== undefined) created.set(id, name);
      }
    };
    const adding = Promise.all(Array.from({ length: lanes }, addUntilDone));
    const waitForMore = (count: number) =>
      expect.poll(() => created.size, { timeout: 60_000 }).toBeGreaterThan(created.size + count);
    await waitForMore(150);
    primary.kill();
    await expect.poll(() => statuses.get(503) ?? 0, { timeout: 30_000 }).toBeGreaterThan(0);
    await standby.promote();
    address.switchTo(standby);
    await waitForMore(150);
    isDone = true;
    await adding;
    expect([...statuses.keys()].sort()).toEqual([201, 503]);
    const rows = await standby.query('SELECT id, name FROM pets');
    const stored = new Map(rows.map(({ id, name }) => [String(id), name]));
    expect([...created].filter(([id, name]) => stored.get(id) !== name)).toEqual([]);
    for (const { stop } of servers) expect((await stop()).exitCode).toBe(0);
    // The next start removes the shared memory that a killed server leaves, once its last process has ended.
    const restart = () =>
      primary.start().then(
        () => 'running',
        (error: Error) => error.message,
      );
    await expect.poll(restart, { timeout: 60_000, interval: 500 }).toBe('running');
  }, 300_000);

  test('acknowledge no pet without the standby, but list pets', async () => {
    const primary = await startCluster();
    const standby = await startSynchronousStandby(primary);
    const server = await startServer(primary.address());
    expect(await addPet(server, 'Ada')).toMatchObject({ status: 201 });
    await standby.stop('immediate');
    expect(await addPet(server, 'Bob')).toEqual({ status: 503, retryAfter: '1' });
    expect(await listPets(server)).toMatchObject({ status: 200 });
    await standby.start();
    await expect.poll(() => addPet(server, 'Eve'), { timeout: 30_000 }).toMatchObject({ status: 201 });
  }, 120_000);
});

describe.skipIf(programs === undefined)('a server on a PostgreSQL that becomes read-only', () => {
  test('responds with 503 until another primary takes over, whose first request succeeds', async () => {
    const primary = await startCluster();
    const standby = await startStandby(primary);
    const address = await openPostgresNetwork(primary);
    const server = await startServer(address.url);
    expect(await addPet(server, 'Ada')).toMatchObject({ status: 201 });
    await primary.configure(['default_transaction_read_only = on']);
    await expect.poll(() => addPet(server, 'Bob'), { timeout: 30_000 }).toEqual({ status: 503, retryAfter: '1' });
    await expect.poll(() => listPets(server), { timeout: 30_000 }).toEqual({ status: 503, retryAfter: '1' });
    await expect.poll(() => healthOf(server), { timeout: 30_000 }).toBe(503);
    // Existing connections still reach the old primary.
    await standby.promote();
    address.switchTo(standby);
    expect(await addPet(server, 'Eve')).toMatchObject({ status: 201 });
    expect(await listPets(server)).toMatchObject({ status: 200 });
    await expect.poll(() => healthOf(server), { timeout: 30_000 }).toBe(200);
    const { log } = await server.stop();
    expect(log).toContain('accepts no writes: cannot execute INSERT in a read-only transaction');
  }, 120_000);
});

/** Starts a standby that has every commit before the client learns of it. */
async function startSynchronousStandby(primary: Cluster): Promise<Cluster> {
  const standby = await startStandby(primary);
  await primary.configure(["synchronous_standby_names = '*'"]);
  const readState = async () => (await primary.query('SELECT sync_state FROM pg_stat_replication'))[0]?.sync_state;
  await expect.poll(readState, { timeout: 30_000 }).toBe('sync');
  return standby;
}

function startServer(url: string): Promise<ServeProcess> {
  const keyFile = join(temporaryDirectory(), 'key');
  writeFileSync(keyFile, key, { mode: 0o600 });
  const plan = ['--per-minute', '1000000', '--per-day', '10000000'];
  return startServeProcess('--database', url, '--api-key-file', keyFile, '--quiet', ...plan);
}

interface Outcome {
  readonly status: number;
  readonly id?: string;
  readonly retryAfter?: string;
}

async function addPet({ baseUrl }: ServeProcess, name: string): Promise<Outcome> {
  const response = await fetch(`${baseUrl}/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, categoryId: 1 }),
  });
  const { id } = (await response.json()) as { readonly id?: number };
  return response.status === 201 ? { status: 201, id: String(id) } : failureOf(response);
}

async function listPets({ baseUrl }: ServeProcess): Promise<Outcome> {
  const response = await fetch(`${baseUrl}/pets?limit=1`, { headers: { authorization: `Bearer ${key}` } });
  await response.text();
  return failureOf(response);
}

function failureOf({ status, headers }: Response): Outcome {
  const retryAfter = headers.get('retry-after');
  return { status, ...(retryAfter !== null && { retryAfter }) };
}

async function healthOf({ baseUrl }: ServeProcess): Promise<number> {
  const response = await fetch(new URL('/healthz', baseUrl));
  await response.text();
  return response.status;
}
