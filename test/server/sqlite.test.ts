import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plans } from '../../src/api/plan.js';
import { listApiKeys } from '../../src/server/api-keys.js';
import { migrations } from '../../src/server/migrations.js';
import { samplePetStatements } from '../../src/server/sample-pets.js';
import { type Database, DatabaseError, type Statement, sql } from '../../src/server/sql.js';
import { openSqlite } from '../../src/server/sqlite.js';
import { fakeClock } from '../support/clock.js';
import { makeFolder } from '../support/temp-folder.js';
import { addPet, countPets } from '../support/test-store.js';

const newest = migrations.length;

describe('opening a database', () => {
  test('creates tables and seed data', async () => {
    const { database, isNew } = await open(':memory:', samplePetStatements());
    expect(isNew).toBe(true);
    expect(await version(database)).toBe(newest);
    expect(await countPets(database)).toBe(samplePetStatements().length);
  });

  test('creates private files', async () => {
    const folder = await makeFolder();
    const { database } = await open(join(folder, 'store.db'));
    await addPet(database, 'Rex');
    expect(await readdir(folder)).toContain('store.db-wal');
    for (const file of await readdir(folder)) expect(await mode(join(folder, file))).toBe(0o600);
    await database.close();
  });

  test('again keeps the data and adds no seed data', async () => {
    const path = join(await makeFolder(), 'store.db');
    const first = await open(path, samplePetStatements());
    await addPet(first.database, 'Rex');
    await first.database.close();
    const second = await open(path, samplePetStatements());
    expect(second.isNew).toBe(false);
    expect(await countPets(second.database)).toBe(samplePetStatements().length + 1);
    await second.database.close();
  });

  test('twice shares the data', async () => {
    const path = join(await makeFolder(), 'store.db');
    const [first, second] = [await open(path), await open(path)];
    await addPet(first.database, 'Rex');
    expect(await countPets(second.database)).toBe(1);
    await first.database.close();
    await second.database.close();
  });

  test('concurrently creates it once', async () => {
    const path = join(await makeFolder(), 'store.db');
    const opened = await Promise.all(
      Array.from({ length: 20 }, () => open(path, samplePetStatements())),
    );
    expect(opened.filter(({ isNew }) => isNew)).toHaveLength(1);
    for (const { database } of opened) {
      expect(await countPets(database)).toBe(samplePetStatements().length);
      await database.close();
    }
  });

  test('treats an empty file as a new database', async () => {
    const path = join(await makeFolder(), 'store.db');
    await writeFile(path, '');
    const { database, isNew } = await open(path);
    expect(isNew).toBe(true);
    await database.close();
  });

  test('enables the write-ahead log and full synchronization', async () => {
    const { database } = await open(join(await makeFolder(), 'store.db'));
    expect(await database.read(sql`PRAGMA journal_mode`)).toEqual([{ journal_mode: 'wal' }]);
    expect(await database.read(sql`PRAGMA synchronous`)).toEqual([{ synchronous: 2n }]);
    await database.close();
  });

  test('creates everything or nothing', async () => {
    const path = join(await makeFolder(), 'store.db');
    const failing = [...samplePetStatements(), sql`INSERT INTO cats (name) VALUES ('Rex')`];
    await expect(open(path, failing)).rejects.toThrow(DatabaseError);
    const { database, isNew } = await open(path);
    expect(isNew).toBe(true);
    expect(await countPets(database)).toBe(0);
    await database.close();
  });
});

test('a database of the first version is migrated with its keys', async () => {
  const path = join(await makeFolder(), 'store.db');
  const old = await open(path);
  for (const column of ['plan', 'label']) {
    await old.database.write({ pieces: [`ALTER TABLE keys DROP COLUMN ${column}`], values: [] });
  }
  await old.database.write(sql`
    INSERT INTO keys (digest, prefix, per_minute, per_day, created_at) VALUES ('d', 'p', 300, 10000, 1)`);
  await old.database.read(sql`PRAGMA user_version = 1`);
  await old.database.close();
  const { database, isNew } = await open(path);
  expect(isNew).toBe(false);
  expect(await version(database)).toBe(newest);
  expect(await listApiKeys(database, 2)).toMatchObject([
    { digest: 'd', prefix: 'p', plan: 'pro', label: undefined, limits: plans.pro },
  ]);
  await database.close();
});

describe('an unusable database', () => {
  test('of a newer petstore stays unchanged', async () => {
    const path = join(await makeFolder(), 'store.db');
    const first = await open(path, samplePetStatements());
    await first.database.read({ pieces: [`PRAGMA user_version = ${newest + 1}`], values: [] });
    await first.database.close();
    await expect(open(path)).rejects.toMatchObject({
      name: 'DatabaseError',
      reason: 'newer',
      message: `the database ${path} was made by a newer petstore`,
    });
    const before = await readFile(path);
    await expect(open(path)).rejects.toMatchObject({ reason: 'newer' });
    expect(await readFile(path)).toEqual(before);
  });

  test('that is another kind of file stays unchanged', async () => {
    const path = join(await makeFolder(), 'store.db');
    const text = 'this is a letter, and no database\n'.repeat(100);
    await writeFile(path, text);
    await expect(open(path)).rejects.toMatchObject({
      name: 'DatabaseError',
      reason: 'unusable',
      message: `the database ${path} cannot be used: file is not a database`,
    });
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  test('that is damaged rejects', async () => {
    const path = join(await makeFolder(), 'store.db');
    const { database } = await open(path, samplePetStatements());
    await database.close();
    for (const journal of ['-wal', '-shm']) await rm(`${path}${journal}`, { force: true });
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0xa5, 16));
    await expect(open(path)).rejects.toMatchObject({ reason: 'unusable' });
  });

  test('that is a folder rejects', async () => {
    const path = join(await makeFolder(), 'store.db');
    await mkdir(path);
    await expect(open(path)).rejects.toMatchObject({ reason: 'unusable' });
  });

  test('below a file rejects', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'file'), '');
    await expect(open(join(folder, 'file', 'store.db'))).rejects.toMatchObject({
      reason: 'unusable',
    });
  });

  test.each(['', 'a\0b'])('with the path %j rejects', async (path) => {
    await expect(open(path)).rejects.toMatchObject({ reason: 'unusable' });
    expect(existsSync('a')).toBe(false);
  });

  test.skipIf(process.getuid?.() === 0)('without read permission rejects', async () => {
    const path = join(await makeFolder(), 'store.db');
    await (await open(path)).database.close();
    await chmod(path, 0);
    await expect(open(path)).rejects.toMatchObject({ reason: 'unusable' });
  });
});

test('every supported Node.js version finds a driver', async () => {
  for (const nodeVersion of ['20.19.0', '22.12.0', '24.0.0', '100.0.0']) {
    const { database } = await openSqlite({
      path: ':memory:',
      clock: fakeClock(),
      nodeVersion,
    });
    expect(await version(database)).toBe(newest);
    await database.close();
  }
});

describe('a database', () => {
  test.each([0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)])(
    'returns the integer %s exactly',
    async (number) => {
      const { database } = await open(':memory:');
      expect(await database.read(sql`SELECT ${number} AS number`)).toEqual([{ number }]);
    },
  );

  test('returns integers as bigint, text as string and NULL as null', async () => {
    const { database } = await open(':memory:');
    expect(await database.read(sql`SELECT 1 AS a, 'b' AS b, NULL AS c`)).toEqual([
      { a: 1n, b: 'b', c: null },
    ]);
  });

  test('rolls back a failed statement', async () => {
    const { database } = await open(':memory:');
    const half = sql`INSERT INTO pets (id, name, category_id) VALUES (1, 'Rex', 1), (1, 'Max', 1)`;
    await expect(database.write(half)).rejects.toThrow('UNIQUE');
    expect(await countPets(database)).toBe(0);
    await addPet(database, 'Rex');
    expect(await countPets(database)).toBe(1);
  });

  test('serializes concurrent writes', async () => {
    const { database } = await open(':memory:');
    await Promise.all(Array.from({ length: 100 }, (_, index) => addPet(database, `Rex ${index}`)));
    expect(await countPets(database)).toBe(100);
  });
});

describe('an unsynced write', () => {
  test('is visible to other connections and after closing', async () => {
    const path = join(await makeFolder(), 'store.db');
    const [first, second] = [await open(path), await open(path)];
    const insert = sql`INSERT INTO pets (name, category_id) VALUES ('Rex', 1) RETURNING id`;
    expect(await first.database.writeUnsynced(insert)).toEqual([{ id: 1n }]);
    expect(await countPets(second.database)).toBe(1);
    await first.database.close();
    await second.database.close();
    const third = await open(path);
    expect(await countPets(third.database)).toBe(1);
    await third.database.close();
  });

  test('turns synchronization off only for itself', async () => {
    const { database } = await open(join(await makeFolder(), 'store.db'));
    await database.writeUnsynced(sql`UPDATE pets SET name = 'Max'`);
    expect(await database.read(sql`PRAGMA synchronous`)).toEqual([{ synchronous: 1n }]);
    await addPet(database, 'Rex');
    expect(await database.read(sql`PRAGMA synchronous`)).toEqual([{ synchronous: 2n }]);
    await database.close();
  });

  test('is rolled back if it fails', async () => {
    const { database } = await open(':memory:');
    const half = sql`INSERT INTO pets (id, name, category_id) VALUES (1, 'Rex', 1), (1, 'Max', 1)`;
    await expect(database.writeUnsynced(half)).rejects.toThrow(DatabaseError);
    expect(await countPets(database)).toBe(0);
    await addPet(database, 'Rex');
    expect(await countPets(database)).toBe(1);
  });
});

test.each(['moved away', 'replaced'])('a write to a file that was %s rejects', async (what) => {
  const path = join(await makeFolder(), 'store.db');
  const { database } = await open(path);
  await addPet(database, 'Rex');
  await rm(path);
  if (what === 'replaced') await writeFile(path, '');
  await expect(addPet(database, 'Bo')).rejects.toMatchObject({ reason: 'unusable' });
  await database.close();
});

test('a path that looks like a URI is a file path', async () => {
  const folder = await makeFolder();
  const path = join(folder, 'file:x.db?mode=memory');
  const { database } = await open(path);
  await database.close();
  expect(await mode(path)).toBe(0o600);
});

test('another kind of file keeps its mode', async () => {
  const path = join(await makeFolder(), 'notes.txt');
  await writeFile(path, 'these are my notes, and no database at all', { mode: 0o644 });
  await expect(open(path)).rejects.toMatchObject({ reason: 'unusable' });
  expect(await mode(path)).toBe(0o644);
});

function open(path: string, seed: readonly Statement[] = []) {
  return openSqlite({
    path,
    clock: fakeClock(),
    nodeVersion: process.versions.node,
    seed: () => seed,
  });
}

async function version(database: Database): Promise<number> {
  const [row] = await database.read(sql`PRAGMA user_version`);
  return Number(row?.user_version);
}

async function mode(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}
