import { randomUUID } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadDriver } from '../../src/server/sqlite.js';
import { newUser, openPipes, type User } from '../support/petstore.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';
import { openVirtualAddress } from '../support/virtual-address.js';

type Service = Pick<ServeProcess, 'baseUrl' | 'apiKey'>;

const key = 'pets_back_0123456789';
const lanes = 8;
const highLimits = ['--per-minute', '1000000', '--per-day', '10000000'];

test('a backup under load has every pet acknowledged before it began, and can be served', async () => {
  const user = newUser();
  const path = join(user.home, 'store.db');
  const served = await startServeProcess('--database', path, '--quiet', ...highLimits);
  const second = await createKey(user, path);
  const acknowledged = new Set<number>();
  const statuses = new Set<number>();
  let isDone = false;
  const addUntilDone = async () => {
    while (!isDone) {
      const { status, id } = await addPet(served, 'Rex');
      statuses.add(status);
      if (id !== undefined) acknowledged.add(id);
    }
  };
  const adding = Promise.all(Array.from({ length: lanes }, addUntilDone));
  for (let round = 0; round < 3; round += 1) {
    const before = acknowledged.size;
    await expect.poll(() => acknowledged.size, { timeout: 60_000 }).toBeGreaterThan(before + 200);
    const expected = [...acknowledged];
    const copy = join(user.home, `backup-${round}.db`);
    const { stdout, exitCode } = await user.run(['serve', 'backup', copy, '--database', path, '--json', '--quiet']);
    expect(exitCode).toBe(0);
    expect(await checkIntegrity(copy)).toEqual(['ok']);
    const elsewhere = join(newUser().home, 'restored.db');
    cpSync(copy, elsewhere);
    const restored = await startServeProcess('--database', elsewhere, '--quiet');
    const ids = new Set(await exportIds(user, restored, served.apiKey));
    expect(expected.filter((id) => !ids.has(id))).toEqual([]);
    expect(JSON.parse(stdout)).toMatchObject({ pets: ids.size, keys: 2 });
    expect((await exportIds(user, restored, second)).length).toBe(ids.size);
    const { status, id = 0 } = await addPet({ ...restored, apiKey: second }, 'Ada');
    expect(status).toBe(201);
    expect(ids.has(id)).toBe(false);
    expect((await restored.stop()).exitCode).toBe(0);
  }
  isDone = true;
  await adding;
  expect([...statuses]).toEqual([201]);
  expect((await served.stop()).exitCode).toBe(0);
  expect(readdirSync(user.home).filter((name) => name.includes('.tmp'))).toEqual([]);
});

test('a signal during a backup cancels it', async () => {
  const user = newUser();
  const [database, copy] = [join(user.home, 'store.db'), join(user.home, 'copy.db')];
  await createKey(user, database);
  const Driver = await loadDriver(process.versions.node);
  const other = new Driver(database);
  // Makes the backup wait for up to 5 seconds.
  other.exec('PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
  const { child, ended } = openPipes(user, ['serve', 'backup', copy, '--database', database], {});
  const catchesHangUp = () => {
    const [, mask = '0'] = /^SigCgt:\s*(\S+)$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
    return (BigInt(`0x${mask}`) & 1n) === 1n;
  };
  await expect.poll(catchesHangUp, { timeout: 30_000, interval: 5 }).toBe(true);
  child.kill('SIGHUP');
  other.exec('COMMIT');
  other.close();
  expect(await ended).toMatchObject({ stdout: '', exitCode: 129 });
  expect(readdirSync(user.home).filter((name) => name.includes('copy.db'))).toEqual([]);
});

test('after a restore, clients add what is missing by resending requests and importing with a new journal', async () => {
  const user = newUser();
  const file = (name: string) => join(user.home, name);
  writeFileSync(file('key.txt'), key, { mode: 0o600 });
  writeFileSync(file('pets.csv'), 'name,categoryId\nAda,1\nBob,2\n');
  const start = () =>
    startServeProcess('--database', file('store.db'), '--api-key-file', file('key.txt'), '--quiet', ...highLimits);
  const first = await start();
  // The address of the server stays the same, as behind a DNS name.
  const address = await openVirtualAddress({ port: portOf(first) });
  const baseUrl = `http://127.0.0.1:${address.port}/v1`;
  const importPets = async (...flags: readonly string[]) => {
    const args = ['pets', 'import', file('pets.csv'), '--yes', '--json', ...flags];
    const { stdout } = await user.run(args, { env: { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: key } });
    return JSON.parse(stdout);
  };
  const service = { baseUrl, apiKey: key };
  const stored = await addPet(service, 'Stored', 'key-1');
  const { exitCode } = await user.run(['serve', 'backup', file('backup.db'), '--database', file('store.db')]);
  expect(exitCode).toBe(0);
  const lost = await addPet(service, 'Lost', 'key-2');
  expect(lost).toMatchObject({ status: 201, isReplayed: false });
  expect(await importPets()).toMatchObject({ added: 2 });
  await first.stop('SIGKILL');
  expect(readdirSync(user.home)).toContain('store.db-wal');

  cpSync(file('backup.db'), file('store.db'));
  for (const suffix of ['-wal', '-shm']) rmSync(file(`store.db${suffix}`));
  const restored = await start();
  address.switchTo({ port: portOf(restored) });
  address.closeConnections();
  expect(await addPet(service, 'Stored', 'key-1')).toEqual({ ...stored, isReplayed: true });
  expect(await addPet(service, 'Lost', 'key-2')).toMatchObject({ status: 201, isReplayed: false });
  expect(await importPets()).toMatchObject({ added: 0 });
  expect(await importPets('--journal', file('new.journal'))).toMatchObject({ added: 2 });
  expect(await exportIds(user, restored, key)).toHaveLength(72 + 4);
});

/** Creates an API key with high limits and resolves to it. */
async function createKey(user: User, database: string): Promise<string> {
  const { stdout } = await user.run(['serve', 'keys', 'create', ...highLimits, '--database', database, '--json']);
  return JSON.parse(stdout).apiKey;
}

async function addPet({ baseUrl, apiKey }: Service, name: string, idempotencyKey: string = randomUUID()) {
  const response = await fetch(`${baseUrl}/pets`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify({ name, categoryId: 1 }),
  });
  const { id } = (await response.json()) as { id?: number };
  const isReplayed = response.headers.has('idempotency-replayed');
  return { status: response.status, id: response.status === 201 ? id : undefined, isReplayed };
}

function portOf({ baseUrl }: ServeProcess): number {
  return Number(new URL(baseUrl).port);
}

/** Lists the ids of all pets that a server has. */
async function exportIds(user: User, { baseUrl }: ServeProcess, apiKey: string): Promise<readonly number[]> {
  const env = { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: apiKey };
  const { stdout, exitCode } = await user.run(['pets', 'list', '--all', '--json', '--fields', 'id'], { env });
  expect(exitCode).toBe(0);
  return (JSON.parse(stdout) as { id: number }[]).map(({ id }) => id);
}

async function checkIntegrity(path: string): Promise<readonly unknown[]> {
  const Driver = await loadDriver(process.versions.node);
  const connection = new Driver(path, { readOnly: true });
  try {
    const rows = connection.prepare('PRAGMA integrity_check').all();
    return rows.map(({ integrity_check: result }) => result);
  } finally {
    connection.close();
  }
}
