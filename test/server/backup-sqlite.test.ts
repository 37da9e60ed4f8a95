import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addApiKey } from '../../src/server/api-keys.js';
import { backUpSqlite } from '../../src/server/backup-sqlite.js';
import { samplePetStatements } from '../../src/server/sample-pets.js';
import { sql } from '../../src/server/sql.js';
import { loadDriver } from '../../src/server/sqlite.js';
import { makeFolder } from '../support/temp-folder.js';
import { openDatabaseAt } from '../support/test-database.js';
import { addPet, countPets } from '../support/test-store.js';

const nodeVersion = process.versions.node;

describe('a backup', () => {
  test('has pets, API keys and the next id, and counts them', async () => {
    const folder = await makeFolder();
    const path = join(folder, "anna's store.db");
    const target = join(folder, "anna's copy.db");
    const database = await openDatabaseAt(path, { seed: samplePetStatements });
    await addApiKey(database, 'pets_a_0123456789', { perMinute: 1, perDay: 2 }, 0);
    await addPet(database, 'Zoe');
    await database.write(sql`DELETE FROM pets WHERE id = 73`);
    await writeFile(target, '', { mode: 0o600 });
    expect(await backUpSqlite(path, target, nodeVersion)).toEqual({ pets: 72, keys: 1 });
    await addPet(database, 'Ada');
    const copy = await openDatabaseAt(target);
    expect(copy.isNew).toBe(false);
    expect(await countPets(copy)).toBe(72);
    expect(await copy.read(sql`SELECT digest FROM keys`)).toEqual(await database.read(sql`SELECT digest FROM keys`));
    await addPet(copy, 'Bob');
    expect(await copy.read(sql`SELECT max(id) AS id FROM pets`)).toEqual([{ id: 74n }]);
  });

  test('leaves no other files and does not change the database', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'store.db');
    await (await openDatabaseAt(path)).close();
    const before = await readFile(path);
    const files = await readdir(folder);
    const target = join(folder, 'copy.db');
    await writeFile(target, '');
    await backUpSqlite(path, target, nodeVersion);
    expect((await readdir(folder)).sort()).toEqual(['copy.db', ...files].sort());
    expect((await readFile(path)).equals(before)).toBe(true);
  });

  test('does not wait for a transaction that is not committed', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'store.db');
    const database = await openDatabaseAt(path);
    await addPet(database, 'Rex');
    const Driver = await loadDriver(nodeVersion);
    const writer = new Driver(path);
    writer.exec("BEGIN IMMEDIATE; INSERT INTO pets (name, category_id) VALUES ('Ada', 1)");
    const target = join(folder, 'copy.db');
    await writeFile(target, '');
    expect(await backUpSqlite(path, target, nodeVersion)).toMatchObject({ pets: 1 });
    writer.exec('COMMIT');
    writer.close();
    expect(await countPets(database)).toBe(2);
  });

  test('rejects a damaged database', async () => {
    const folder = await makeFolder();
    const path = join(folder, 'store.db');
    await (await openDatabaseAt(path, { seed: samplePetStatements })).close();
    const content = await readFile(path);
    const pageBytes = content.readUInt16BE(16);
    content.fill(0xa5, pageBytes, 3 * pageBytes);
    await writeFile(path, content);
    const target = join(folder, 'copy.db');
    await writeFile(target, '');
    await expect(backUpSqlite(path, target, nodeVersion)).rejects.toMatchObject({
      reason: 'unusable',
      message: expect.stringContaining(`the database ${path} `),
    });
  });

  test('rejects a database without pets', async () => {
    const folder = await makeFolder();
    const [path, target] = [join(folder, 'empty.db'), join(folder, 'copy.db')];
    for (const file of [path, target]) await writeFile(file, '');
    await expect(backUpSqlite(path, target, nodeVersion)).rejects.toMatchObject({
      reason: 'unusable',
      message: expect.stringContaining(`the database ${path} cannot be used: `),
    });
  });
});
