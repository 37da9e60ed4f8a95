import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { openSqlite } from '../../src/server/sqlite.js';
import { newUser, temporaryDirectory } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { sql } from '../support/test-database.js';

const rounds = 8;
const lanes = 8;
const key = 'pets_kill_0123456789';

test('every created pet survives SIGKILL, and no id is used twice', async () => {
  const database = join(temporaryDirectory(), 'store.db');
  const keyFile = join(temporaryDirectory(), 'key');
  writeFileSync(keyFile, key, { mode: 0o600 });
  const created = new Map<string, string>();
  let before = await petsIn(database);
  for (let round = 0; round < rounds; round += 1) {
    const served = await startServeProcess(
      ...['--database', database, '--api-key-file', keyFile],
      ...['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '10000000', '--quiet'],
    );
    const added = new Map<string, string>();
    const adding = Array.from({ length: lanes }, (_, lane) =>
      addUntilKilled(served.baseUrl, `${round}-${lane}`, (id, name) => {
        expect(added.has(id), `id ${id} is unique`).toBe(false);
        added.set(id, name);
      }),
    );
    await expect.poll(() => added.size, { timeout: 20_000 }).toBeGreaterThan(lanes);
    await systemClock.sleep(Math.random() * 300);
    await served.stop('SIGKILL');
    await Promise.all(adding);
    for (const [id, name] of added) {
      expect(before.has(id), `id ${id} is new`).toBe(false);
      created.set(id, name);
    }
    const after = await petsIn(database);
    const lost = [...created].filter(([id, name]) => after.get(id) !== name);
    expect(lost).toEqual([]);
    for (const [id, name] of before) expect(after.get(id)).toBe(name);
    before = after;
  }
  expect(created.size).toBeGreaterThan(rounds * lanes);
}, 300_000);

test('a client is served while ten thousand connections are idle', async () => {
  const { baseUrl, env } = await startServeProcess('--plan', 'enterprise', '--quiet', '--trust-proxy', '127.0.0.1');
  const idleClients = spawn(process.execPath, ['-e', openIdleConnections, new URL(baseUrl).port]);
  onTestFinished(() => void idleClients.kill());
  let open = '';
  idleClients.stdout.on('data', (chunk) => {
    open += chunk;
  });
  const url = `${baseUrl}/pets?limit=1`;
  const user = newUser();
  const listed = await user.run(['pets', 'list', '--limit', '1', '--json'], { env });
  expect(listed).toMatchObject({ exitCode: 0 });
  await expect.poll(() => open, { timeout: 60_000 }).toBe('10000');
  for (let count = 0; count < 20; count += 1) {
    const begin = performance.now();
    const headers = { authorization: `Bearer ${env.PETSTORE_API_KEY}`, connection: 'close' };
    expect((await fetch(url, { headers })).status).toBe(200);
    expect(performance.now() - begin).toBeLessThan(20_000);
  }
  const again = await user.run(['pets', 'list', '--limit', '1', '--json'], { env });
  expect(again).toMatchObject({ exitCode: 0 });
});

test('requests in flight delay a shutdown for at most five seconds', async () => {
  const served = await startServeProcess('--latency', '20000');
  const headers = { authorization: `Bearer ${served.apiKey}` };
  const rejection = expect(fetch(`${served.baseUrl}/pets`, { headers })).rejects.toThrow();
  // Nothing shows when the server has the request.
  await systemClock.sleep(3_000);
  const begin = performance.now();
  const { exitCode, log } = await served.stop();
  expect(exitCode).toBe(0);
  expect(performance.now() - begin).toBeLessThan(15_000);
  expect(log).toMatch(/ GET \/v1\/pets reset \d+ ms /);
  await rejection;
});

/** A script that opens connections, sends nothing and never closes its side. */
const openIdleConnections = `
  const { connect } = require('node:net');
  let open = 0;
  const next = () => {
    if (open === 10_000) return process.stdout.write(String(open));
    const socket = connect({ port: process.argv[1], host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => {});
    socket.once('connect', () => { open += 1; next(); });
  };
  next();
`;

/** Adds pets until the server is killed, and reports each 201. */
async function addUntilKilled(
  baseUrl: string,
  lane: string,
  onAdded: (id: string, name: string) => void,
): Promise<void> {
  for (let index = 0; ; index += 1) {
    const name = `${lane}-${index}`;
    const response = await fetch(`${baseUrl}/pets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, categoryId: 1 }),
    }).catch(() => undefined);
    const pet = (await response?.json().catch(() => undefined)) as { id: number } | undefined;
    if (!response || !pet) return;
    expect(response.status).toBe(201);
    onAdded(String(pet.id), name);
  }
}

/** Returns the names of all pets by id, after an integrity check of the database. */
async function petsIn(path: string): Promise<ReadonlyMap<string, string>> {
  const { database } = await openSqlite({
    path,
    clock: systemClock,
    nodeVersion: process.versions.node,
  });
  expect(await database.read(sql`PRAGMA integrity_check`)).toEqual([{ integrity_check: 'ok' }]);
  const rows = await database.read(sql`SELECT id, name FROM pets`);
  await database.close();
  return new Map(rows.map(({ id, name }) => [String(id), String(name)]));
}
