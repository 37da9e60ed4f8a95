import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { sql } from '../../src/server/sql.js';
import { openSqlite } from '../../src/server/sqlite.js';
import { newUser, temporaryDirectory } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';

const rounds = 20;
const lanes = 8;

test('every pet that was answered with 201 outlives SIGKILL, and no id is given twice', async () => {
  const database = join(temporaryDirectory(), 'store.db');
  const key = join(temporaryDirectory(), 'key');
  writeFileSync(key, 'pets_kill_0123456789');
  const promised = new Map<string, string>();
  let before = await petsIn(database);
  for (let round = 0; round < rounds; round += 1) {
    const served = await startServeProcess(
      ...['--database', database, '--api-key-file', key],
      ...['--plan', 'enterprise', '--per-minute', '1000000', '--per-day', '10000000', '--quiet'],
    );
    const added = new Map<string, string>();
    const adding = Array.from({ length: lanes }, (_, lane) =>
      addUntilKilled(served.baseUrl, `${round}-${lane}`, (id, name) => {
        expect(added.has(id), `id ${id} is given once`).toBe(false);
        added.set(id, name);
      }),
    );
    await expect.poll(() => added.size, { timeout: 20_000 }).toBeGreaterThan(lanes);
    await systemClock.sleep(Math.random() * 300);
    await served.stop('SIGKILL');
    await Promise.all(adding);
    for (const [id, name] of added) {
      expect(before.has(id), `id ${id} is new`).toBe(false);
      promised.set(id, name);
    }
    const after = await petsIn(database);
    const lost = [...promised].filter(([id, name]) => after.get(id) !== name);
    expect(lost).toEqual([]);
    for (const [id, name] of before) expect(after.get(id)).toBe(name);
    before = after;
  }
  expect(promised.size).toBeGreaterThan(rounds * lanes);
}, 300_000);

test('a client is answered while ten thousand others idle', async () => {
  const { baseUrl, env } = await startServeProcess('--plan', 'enterprise', '--quiet');
  const crowd = spawn(process.execPath, ['-e', idlers, new URL(baseUrl).port]);
  onTestFinished(() => void crowd.kill());
  let open = '';
  crowd.stdout.on('data', (chunk) => {
    open += chunk;
  });
  const url = `${baseUrl}/pets?limit=1`;
  const user = newUser();
  const listed = await user.run(['pets', 'list', '--limit', '1', '--json'], { env });
  expect(listed).toMatchObject({ exitCode: 0 });
  await expect.poll(() => open, { timeout: 60_000 }).toBe('10000');
  for (let asked = 0; asked < 20; asked += 1) {
    const begin = performance.now();
    const headers = { authorization: `Bearer ${env.PETSTORE_API_KEY}`, connection: 'close' };
    expect((await fetch(url, { headers })).status).toBe(200);
    expect(performance.now() - begin).toBeLessThan(2_000);
  }
  const again = await user.run(['pets', 'list', '--limit', '1', '--json'], { env });
  expect(again).toMatchObject({ exitCode: 0 });
});

test('two stores on one database let exactly one more request through, at 59 of 60', async () => {
  const database = join(temporaryDirectory(), 'store.db');
  const first = await startServeProcess('--database', database);
  const second = await startServeProcess('--database', database);
  const headers = { authorization: `Bearer ${first.apiKey}` };
  const ask = async ({ baseUrl }: { baseUrl: string }) => {
    const response = await fetch(`${baseUrl}/pets?limit=1`, { headers });
    await response.text();
    return response.status;
  };
  for (let asked = 0; asked < 59; asked += 1) expect(await ask(first)).toBe(200);
  const statuses = await Promise.all(
    Array.from({ length: 200 }, (_, index) => ask(index % 2 === 0 ? first : second)),
  );
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 429)).toHaveLength(199);
  await first.stop('SIGKILL');
  const third = await startServeProcess('--database', database);
  expect(await ask(third)).toBe(429);
});

test('what is in flight holds up the end for five seconds at most', async () => {
  const served = await startServeProcess('--latency', '20000');
  const headers = { authorization: `Bearer ${served.apiKey}` };
  const answer = expect(fetch(`${served.baseUrl}/pets`, { headers })).rejects.toThrow();
  await systemClock.sleep(300);
  const begin = performance.now();
  const { exitCode, log } = await served.stop();
  expect(exitCode).toBe(0);
  expect(performance.now() - begin).toBeLessThan(9_000);
  expect(log).toMatch(/^GET \/v1\/pets reset \d+ ms$/);
  await answer;
});

/** Opens connections and says nothing; keeps its ends open, whatever the other side does. */
const idlers = `
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

/** Adds pets one after the other, and tells of each 201, until the store is gone. */
async function addUntilKilled(
  baseUrl: string,
  lane: string,
  tell: (id: string, name: string) => void,
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  try {
    for (let index = 0; ; index += 1) {
      const name = `${lane}-${index}`;
      const id = await add(baseUrl, name, agent);
      if (id === undefined) return;
      tell(id, name);
    }
  } finally {
    agent.destroy();
  }
}

/** The id from an answer that came whole, or nothing. */
async function add(baseUrl: string, name: string, agent: Agent): Promise<string | undefined> {
  const outgoing = request(`${baseUrl}/pets`, {
    method: 'POST',
    agent,
    headers: { authorization: 'Bearer pets_kill_0123456789', 'content-type': 'application/json' },
  });
  outgoing.end(JSON.stringify({ name, categoryId: 1 }));
  try {
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    let body = '';
    for await (const chunk of incoming) body += chunk;
    expect(incoming.statusCode).toBe(201);
    return String((JSON.parse(body) as { id: number }).id);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}

/** Every pet by its id; the database must be sound. */
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
