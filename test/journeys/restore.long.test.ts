import { randomUUID } from 'node:crypto';
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadDriver } from '../../src/server/sqlite.js';
import { newUser, type User } from '../support/petstore.js';
import { openVirtualAddress } from '../support/proxy.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';

type Service = Pick<ServeProcess, 'baseUrl' | 'apiKey'>;

const key = 'pets_back_0123456789';
const highLimits = ['--per-minute', '1000000', '--per-day', '10000000'];

test('after a restore, clients add the missing pets by resending requests and importing with a new journal', async () => {
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
  await copyDatabase(file('store.db'), file('backup.db'));
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

/** Copies a database that is in use, as `docs/deploy.md` shows with the program of SQLite. */
async function copyDatabase(path: string, copy: string): Promise<void> {
  const Driver = await loadDriver(process.versions.node);
  const connection = new Driver(path);
  connection.exec(`VACUUM INTO '${copy}'`);
  connection.close();
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
