import { linkSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { interrupt } from '../../support/interrupt.js';
import { mountSmallDisk } from '../../support/small-disk.js';
import { createTestCli, type TestCli } from '../../support/test-cli.js';

const defaultDatabase = '.local/share/petstore/store.db';
const postgresUrl = 'postgres://anna:hunter22@db.test/store?host=/run/pg';
const smallDisk = mountSmallDisk();

let cli: TestCli;

beforeEach(() => {
  cli = createTestCli();
});

describe('serve backup', () => {
  test('copies the default database to a private file', async () => {
    await createKey();
    const run = await backUp('copy.db');
    expect(run).toEqual({ stdout: '', stderr: '✓ Backed up 72 pets and 1 API key to copy.db\n', exitCode: 0 });
    const { mode } = statSync(inHome('copy.db'));
    expect(mode & 0o777).toBe(0o600);
    const { stdout } = await cli.run(['serve', 'keys', 'list', '--database', inHome('copy.db'), '--json']);
    expect(JSON.parse(stdout)).toEqual(JSON.parse((await cli.run(['serve', 'keys', 'list', '--json'])).stdout));
  });

  test('prints a record in machine formats', async () => {
    await createKey('--database', inHome('a.db'));
    const { stdout, stderr } = await backUp('copy.db', '--database', inHome('a.db'), '--json', '--quiet');
    const bytes = statSync(inHome('copy.db')).size;
    expect(JSON.parse(stdout)).toEqual({ file: 'copy.db', pets: 72, keys: 1, bytes, database: 'a.db' });
    expect(stderr).toBe('');
  });

  test('keeps an existing file unless --force', async () => {
    await createKey();
    writeFileSync(inHome('copy.db'), 'mine', { mode: 0o644 });
    const kept = await backUp('copy.db');
    expect(kept).toMatchObject({ stdout: '', exitCode: 2 });
    expect(kept.stderr).toContain('error: copy.db already exists\n  hint: choose another name, or pass --force');
    expect(readFileSync(inHome('copy.db'), 'utf8')).toBe('mine');
    expect((await backUp('copy.db', '--force')).exitCode).toBe(0);
    const { mode, size } = statSync(inHome('copy.db'));
    expect([mode & 0o777, size > 4]).toEqual([0o600, true]);
  });

  test.each([
    ['the default database', '', `database ${defaultDatabase} does not exist\n  hint: run petstore serve to create`],
    ['another one', 'a.db', 'database a.db does not exist\n  hint: run petstore serve --database a.db'],
  ])('creates nothing if %s is missing', async (_, database, problem) => {
    const flags = database === '' ? [] : ['--database', inHome(database)];
    const { stdout, stderr, exitCode } = await backUp('copy.db', ...flags);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(`error: ${problem}`);
    expect(readdirSync(cli.home)).toEqual([]);
  });

  test.each([
    ['the database', 'store.db'],
    ['its write-ahead log', 'store.db-wal'],
    ['a symbolic link to it', 'link.db'],
    ['a hard link to it', 'hard.db'],
    ['another path to it', 'folder/store.db'],
  ])('never overwrites %s', async (_, file) => {
    await createKey('--database', inHome('store.db'));
    symlinkSync(inHome('store.db'), inHome('link.db'));
    linkSync(inHome('store.db'), inHome('hard.db'));
    symlinkSync(cli.home, inHome('folder'));
    const before = readFileSync(inHome('store.db'));
    const { stderr, exitCode } = await backUp(file, '--database', inHome('store.db'), '--force');
    expect(stderr).toContain(`error: cannot write ${file}: it is a file of the database itself\n`);
    expect(exitCode).toBe(2);
    expect(readFileSync(inHome('store.db')).equals(before)).toBe(true);
  });

  test.each(['copy.db-wal', 'copy.db-journal'])('never overwrites a database with changes in %s', async (journal) => {
    await createKey();
    writeFileSync(inHome('copy.db'), 'mine');
    writeFileSync(inHome(journal), 'changes');
    const { stderr, exitCode } = await backUp('copy.db', '--force');
    expect(stderr).toContain(`error: cannot write copy.db: ${journal} has changes of another database\n`);
    expect(exitCode).toBe(2);
    expect(readFileSync(inHome('copy.db'), 'utf8')).toBe('mine');
    symlinkSync(inHome('copy.db'), inHome('link.db'));
    expect((await backUp('link.db', '--force')).exitCode).toBe(2);
  });

  test.each([
    ['standard output', '-', 2, 'a backup is written to a file, not to standard output'],
    ['an empty name', '', 2, 'a backup is written to a file, not to standard output'],
    ['a device', '/dev/null', 2, 'cannot write /dev/null: not a regular file'],
    ['a directory', '.local', 2, 'cannot write .local: is a directory'],
    ['a missing directory', 'nowhere/copy.db', 1, 'cannot write nowhere/copy.db: no such directory'],
  ])('rejects %s as the file', async (_, file, expectedCode, problem) => {
    await createKey();
    const { stdout, stderr, exitCode } = await backUp(file);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: expectedCode });
    expect(stderr).toContain(`error: ${problem}\n`);
  });

  test.each([
    ['--database', postgresUrl],
    ['--database-url-file', 'url.txt'],
  ])('names pg_dump for PostgreSQL, without the password (%s)', async (flag, value) => {
    writeFileSync(inHome('url.txt'), postgresUrl, { mode: 0o600 });
    const { stdout, stderr, exitCode } = await backUp('copy.db', flag, value.replace('url.txt', inHome('url.txt')));
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toBe(
      'error: postgres://anna@db.test/store?host=/run/pg is a PostgreSQL database, and serve backup copies SQLite databases only\n' +
        "  hint: run pg_dump --format=custom --file=copy.db 'postgres://anna@db.test/store?host=/run/pg'\n",
    );
  });

  test('rejects a database in memory', async () => {
    const { stderr, exitCode } = await backUp('copy.db', '--database', ':memory:');
    expect(stderr).toContain('error: --database :memory: has no file to back up\n');
    expect(exitCode).toBe(2);
  });

  test('leaves nothing behind if the database is not one', async () => {
    writeFileSync(inHome('a.db'), 'hello');
    const { stderr, exitCode } = await backUp('copy.db', '--database', inHome('a.db'));
    expect(stderr).toContain('error: the database a.db cannot be used: ');
    expect(exitCode).toBe(1);
    expect(readdirSync(cli.home)).not.toContain('copy.db');
    expect(readdirSync(cli.home).filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  test('leaves nothing behind if it is canceled', async () => {
    await createKey();
    const backup = await cli.start(['serve', 'backup', inHome('copy.db')], { until: Promise.resolve() });
    const { stdout, stderr, exitCode } = await backup.end(interrupt);
    expect({ stdout, stderr, exitCode }).toEqual({ stdout: '', stderr: 'Canceled.\n', exitCode: 130 });
    expect(readdirSync(cli.home)).toEqual(['.local']);
  });

  test.skipIf(smallDisk === undefined)('leaves nothing behind on a full disk (needs root to mount one)', async () => {
    await createKey();
    const disk = smallDisk ?? '';
    const room = 20_000;
    writeFileSync(join(disk, 'ballast'), Buffer.alloc(2 * 1024 * 1024 - room));
    const { stdout, stderr, exitCode } = await backUp(join(disk, 'copy.db'));
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toMatch(/^error: the disk of \S*\/copy\.db is full\n {2}hint: free some disk space, then retry\n$/);
    expect(readdirSync(disk)).toEqual(['ballast']);
  });
});

/** Backs up to a file of the home directory. The path of this directory is removed from the output. */
async function backUp(file: string, ...flags: readonly string[]) {
  const args = file === '' || file === '-' ? [file] : [resolve(cli.home, file)];
  const { stdout, stderr, exitCode } = await cli.run(['serve', 'backup', ...args, ...flags]);
  const [shownOut, shownErr] = [stdout, stderr].map((text) => text.replaceAll(`${cli.home}/`, ''));
  return { stdout: shownOut ?? '', stderr: shownErr ?? '', exitCode };
}

function inHome(file: string): string {
  return join(cli.home, file);
}

function createKey(...flags: readonly string[]) {
  return cli.run(['serve', 'keys', 'create', '--plan', 'pro', ...flags]);
}
