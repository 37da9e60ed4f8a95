import { existsSync } from 'node:fs';
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { migrations } from '../../src/server/migrations.js';
import { samplePetStatements } from '../../src/server/sample-pets.js';
import type { Database } from '../../src/server/sql.js';
import { openSqlite } from '../../src/server/sqlite.js';
import { mapSqliteError } from '../../src/server/sqlite-errors.js';
import { fakeClock } from '../support/clock.js';
import { makeFolder, withoutRoot } from '../support/temp-folder.js';
import { openDatabaseAt, sql } from '../support/test-database.js';
import { addPet, countPets } from '../support/test-server.js';

const newest = migrations.length;

describe('opening a file', () => {
  test('creates private files', async () => {
    const folder = await makeFolder();
    const database = await openDatabaseAt(join(folder, 'store.db'));
    await addPet(database, 'Rex');
    expect(await readdir(folder)).toContain('store.db-wal');
    for (const file of await readdir(folder)) expect(await mode(join(folder, file))).toBe(0o600);
  });

  test('enables the write-ahead log and full synchronization', async () => {
    const database = await openDatabaseAt(join(await makeFolder(), 'store.db'));
    expect(await database.read(sql`PRAGMA journal_mode`)).toEqual([{ journal_mode: 'wal' }]);
    expect(await database.read(sql`PRAGMA synchronous`)).toEqual([{ synchronous: 2n }]);
  });
});

describe('an unusable database', () => {
  test('of a newer petstore stays unchanged', async () => {
    const path = join(await makeFolder(), 'store.db');
    const first = await openDatabaseAt(path, { seed: samplePetStatements });
    await first.read({ text: `PRAGMA user_version = ${newest + 1}` });
    await first.close();
    await expect(openDatabaseAt(path)).rejects.toMatchObject({
      name: 'DatabaseError',
      reason: 'newer',
      message: `the database ${path} has the format of a newer version of petstore`,
    });
    const before = await readFile(path);
    await expect(openDatabaseAt(path)).rejects.toMatchObject({ reason: 'newer' });
    expect(await readFile(path)).toEqual(before);
  });

  test('that is another kind of file keeps its content and mode', async () => {
    const path = join(await makeFolder(), 'store.db');
    const text = 'this is a letter, and no database\n'.repeat(100);
    await writeFile(path, text, { mode: 0o644 });
    await expect(openDatabaseAt(path)).rejects.toMatchObject({
      name: 'DatabaseError',
      reason: 'unusable',
      message: `the database ${path} cannot be used: file is not a database`,
    });
    expect(await readFile(path, 'utf8')).toBe(text);
    expect(await mode(path)).toBe(0o644);
  });

  test('that is damaged rejects', async () => {
    const path = join(await makeFolder(), 'store.db');
    const database = await openDatabaseAt(path, { seed: samplePetStatements });
    await database.close();
    for (const journal of ['-wal', '-shm']) await rm(`${path}${journal}`, { force: true });
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0xa5, 16));
    await expect(openDatabaseAt(path)).rejects.toMatchObject({ reason: 'unusable' });
  });

  test('that is a folder or lies below a file rejects', async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'file'), '');
    for (const path of [folder, join(folder, 'file', 'store.db')]) {
      await expect(openDatabaseAt(path)).rejects.toMatchObject({ reason: 'unusable' });
    }
  });

  test.each(['', 'a\0b'])('with the path %j rejects', async (path) => {
    await expect(openDatabaseAt(path)).rejects.toMatchObject({ reason: 'unusable' });
    expect(existsSync('a')).toBe(false);
  });

  test('without read permission rejects', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'store.db');
    await (await openDatabaseAt(path)).close();
    await chmod(folder, 0o755);
    await chmod(path, 0);
    await expect(withoutRoot(() => openDatabaseAt(path))).rejects.toMatchObject({ reason: 'unusable' });
  });
});

test('every supported Node.js version finds a driver', async () => {
  for (const nodeVersion of ['20.19.0', '22.12.0', '24.0.0', '100.0.0']) {
    const { database } = await openSqlite({ path: ':memory:', clock: fakeClock(), nodeVersion });
    expect(await version(database)).toBe(newest);
    await database.close();
  }
});

describe('an unsynced write', () => {
  test('is visible to other connections and after closing', async () => {
    const path = join(await makeFolder(), 'store.db');
    const [first, second] = [await openDatabaseAt(path), await openDatabaseAt(path)];
    const insert = sql`INSERT INTO pets (name, category_id) VALUES ('Rex', 1) RETURNING id`;
    expect(await first.writeUnsynced(insert)).toEqual([{ id: 1n }]);
    expect(await countPets(second)).toBe(1);
    await first.close();
    await second.close();
    const third = await openDatabaseAt(path);
    expect(await countPets(third)).toBe(1);
  });

  test('turns synchronization off only for itself', async () => {
    const database = await openDatabaseAt(join(await makeFolder(), 'store.db'));
    await database.writeUnsynced(sql`UPDATE pets SET name = 'Max'`);
    expect(await database.read(sql`PRAGMA synchronous`)).toEqual([{ synchronous: 1n }]);
    await addPet(database, 'Rex');
    expect(await database.read(sql`PRAGMA synchronous`)).toEqual([{ synchronous: 2n }]);
  });
});

test.each(['moved away', 'replaced'])('a write to a file that was %s rejects', async (what) => {
  const path = join(await makeFolder(), 'store.db');
  const database = await openDatabaseAt(path);
  await addPet(database, 'Rex');
  await rm(path);
  if (what === 'replaced') await writeFile(path, '');
  await expect(addPet(database, 'Bo')).rejects.toMatchObject({ reason: 'unusable' });
});

test('a path that looks like a URI is a file path', async () => {
  const folder = await makeFolder();
  const path = join(folder, 'file:x.db?mode=memory');
  const database = await openDatabaseAt(path);
  await database.close();
  expect(await mode(path)).toBe(0o600);
});

async function version(database: Database): Promise<number> {
  const [row] = await database.read(sql`PRAGMA user_version`);
  return Number(row?.user_version);
}

async function mode(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

test.each([
  ['busy', 'the database x.db is busy', { errcode: 5 }],
  ['busy', 'the database x.db is busy', { errcode: 517 }],
  ['busy', 'the database x.db is busy', { message: 'database is locked', code: 'ERR_SQLITE_ERROR' }],
  ['full', 'the disk of x.db is full', { errcode: 13 }],
  ['full', 'the disk of x.db is full', { message: 'database or disk is full', code: 'ERR_SQLITE_ERROR' }],
  ['full', 'the disk of x.db is full', { errcode: 4874 }],
  ['full', 'cannot write to the disk of x.db: disk I/O error', { errcode: 778, message: 'disk I/O error' }],
  ['unusable', 'the database x.db cannot be used: disk I/O error', { errcode: 266, message: 'disk I/O error' }],
  ['unusable', 'the database x.db cannot be used: EACCES', { code: 'EACCES', message: 'EACCES' }],
])('an error is %s: %s (%j)', (reason, message, properties) => {
  const error = Object.assign(new Error(), properties);
  expect(mapSqliteError(error, 'x.db')).toMatchObject({ name: 'DatabaseError', reason, message, cause: error });
});
