import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { plans } from '../../../src/api/plan.js';
import { addApiKey } from '../../../src/server/api-keys.js';
import { openDatabase } from '../../../src/server/open-database.js';
import type { Database } from '../../../src/server/sql.js';
import { fakeClock } from '../../support/clock.js';
import { createTestCli, type TestCli } from '../../support/test-cli.js';

const databasePath = '.local/share/petstore/store.db';
const clock = fakeClock(Date.UTC(2026, 10, 21, 12));

let cli: TestCli;

beforeEach(() => {
  cli = createTestCli({ clock });
});

describe('serve keys create', () => {
  test('prints the key once with its limits', async () => {
    const label = '🐈'.repeat(100);
    const run = await keys('create', '--plan', 'pro', '--label', label, '--json');
    const record = JSON.parse(run.stdout);
    expect(record).toEqual({
      apiKey: expect.stringMatching(/^pets_[0-9a-z]{50}$/),
      keyPrefix: `${record.apiKey.slice(0, 9)}…`,
      plan: 'pro',
      ...plans.pro,
      label,
      expiresAt: null,
      database: join(cli.home, databasePath),
    });
    expect(run).toMatchObject({ stderr: `Created the database ${record.database}.\n`, exitCode: 0 });
    expect((await keys('list')).stdout).not.toContain(record.apiKey);
    expect(readFileSync(join(cli.home, databasePath), 'latin1')).not.toContain(record.apiKey);
  });

  test.each([
    ['enterprise', ['--plan', 'enterprise', '--per-minute', '5'], { ...plans.enterprise, perMinute: 5 }],
    ['enterprise', ['--plan', 'pro', '--per-day', '5'], { ...plans.pro, perDay: 5 }],
    ['enterprise', ['--per-minute', '5'], { ...plans.free, perMinute: 5 }],
    ['free', ['--per-minute', '60'], plans.free],
    ['free', [], plans.free],
  ])('creates a key of the plan %s with %j', async (plan, flags, limits) => {
    const { stdout } = await keys('create', ...flags, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ plan, ...limits, label: null });
  });

  test('rejects the label of another key until that key is revoked', async () => {
    const { keyPrefix } = await create('--label', 'ci');
    const again = () => keys('create', '--plan', 'pro', '--label', 'ci');
    expect(await again()).toEqual({
      stdout: '',
      stderr:
        'error: another API key has the label ci already\n' +
        '  hint: pass another --label, or revoke that API key first\n',
      exitCode: 2,
    });
    expect(await prefixes()).toEqual([keyPrefix]);
    await keys('revoke', 'ci', '--yes');
    expect((await again()).exitCode).toBe(0);
  });

  test.each([
    ['an unknown plan', ['--plan', 'por'], '--plan must be one of free, pro'],
    ['an empty label', ['--plan', 'pro', '--label', ''], '--label must be 1 to 100 characters'],
    ['a blank label', ['--plan', 'pro', '--label', ' '], '--label must be'],
    ['a long label', ['--plan', 'pro', '--label', 'x'.repeat(101)], '--label must be'],
    ['a control character', ['--plan', 'pro', '--label', 'a\u001b[2J'], '--label must be'],
    ['a key as a label', ['--plan', 'pro', '--label', `pets_${'0'.repeat(50)}`], 'without an API key'],
    ['a database in memory', ['--plan', 'pro', '--database', ':memory:'], 'does not persist API keys'],
    ['an empty path', ['--plan', 'pro', '--database', ''], '--database must name a file'],
  ])('rejects %s', async (_, flags, problem) => {
    const { stdout, stderr, exitCode } = await keys('create', ...flags);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(problem);
  });
});

describe('serve keys list', () => {
  test('prints every key with its remaining quota', async () => {
    const { keyPrefix } = await create('--label', 'ci');
    expect(JSON.parse((await keys('list', '--json')).stdout)).toEqual([
      {
        keyPrefix,
        plan: 'free',
        ...plans.free,
        minuteLeft: 60,
        dayLeft: 1_000,
        bannedUntil: null,
        expiresAt: null,
        createdAt: '2026-11-21T12:00:00.000Z',
        successor: null,
        label: 'ci',
      },
    ]);
    expect((await keys('list')).stdout).toContain(keyPrefix);
  });

  test('prints a notice without keys', async () => {
    const { keyPrefix } = await create();
    await keys('revoke', keyPrefix, '--yes');
    expect(await keys('list')).toEqual({
      stdout: '',
      stderr: 'No API keys found. The next start of petstore serve creates one.\n',
      exitCode: 0,
    });
  });

  test.each([['list'], ['revoke', 'ci', '--yes'], ['update', 'ci', '--label', 'deploy'], ['rotate', 'ci']])(
    '%s creates no database',
    async (...words) => {
      const database = join(cli.home, 'none.db');
      const { stderr, exitCode } = await keys(...words, '--database', database);
      expect(stderr).toContain(`error: database ${database} does not exist\n`);
      expect(stderr).toContain(`  hint: run petstore serve --database ${database} to create the database, or pass`);
      expect(exitCode).toBe(2);
      expect(existsSync(database)).toBe(false);
    },
  );
});

describe('hints of serve keys', () => {
  test('repeat --database', async () => {
    const database = join(cli.home, 'other.db');
    const flag = `--database ${database}`;
    for (const plan of ['free', 'pro']) await keys('create', '--plan', plan, '--database', database);
    const revoke = async (name: string) => (await keys('revoke', name, '--yes', '--database', database)).stderr;
    expect(await revoke('none')).toContain(`hint: run petstore serve keys list ${flag} to see`);
    expect(await revoke('pets_')).toContain(`hint: run petstore serve keys list ${flag} to see`);
    expect(await revoke(`pets_live_${'0'.repeat(28)}`)).toContain(`petstore serve keys list ${flag} to see`);
    for (const name of await prefixes('--database', database)) await revoke(name);
    expect((await keys('list', '--database', database)).stderr).toContain(
      `start of petstore serve ${flag} creates one.`,
    );
  });
});

describe('serve keys revoke', () => {
  test.each([
    ['the listed prefix', ({ keyPrefix }: Created) => keyPrefix],
    ['a shorter prefix', ({ keyPrefix }: Created) => keyPrefix.slice(0, 3)],
    ['the label', () => 'ci'],
  ])('accepts %s', async (_, nameOf) => {
    const created = await create('--label', 'ci');
    const { stderr, exitCode } = await keys('revoke', nameOf(created), '--yes');
    expect(stderr).toBe(`✓ Revoked API key ${created.keyPrefix} (ci)\n`);
    expect(exitCode).toBe(0);
  });

  test('rejects the first characters of several keys', async () => {
    await create('--label', 'ci');
    await create();
    const { stderr, exitCode } = await keys('revoke', 'pets_', '--yes');
    expect(stderr).toContain('error: 2 API keys have this label or start with these characters\n');
    expect(exitCode).toBe(2);
    expect(await prefixes()).toHaveLength(2);
  });

  test('rejects a full key and does not repeat it', async () => {
    const { apiKey } = await create();
    const other = 'hunter2-hunter2-hunter2';
    await addKeys(other);
    for (const key of [apiKey, other, apiKey.slice(0, 30)]) {
      for (const flags of [['--json'], ['--verbose']]) {
        const { stdout, stderr, exitCode } = await keys('revoke', key, '--yes', ...flags);
        expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
        expect(stderr).toContain('the argument is a full API key');
        expect(stderr).not.toContain(key);
      }
    }
    expect(await prefixes()).toHaveLength(2);
  });

  test.each(['', '…', 'nobody', 'pets_zzzz', '%', '#'])('rejects the unknown name %j', async (name) => {
    await create();
    const { stderr, exitCode } = await keys('revoke', name, '--yes');
    expect(stderr).toContain('error: no API key has this label or starts with these characters\n');
    expect(exitCode).toBe(2);
  });
});

test('a serve flag before keys is rejected', async () => {
  const { stderr, exitCode } = await cli.run(['serve', '--database', 'x', 'keys', 'list']);
  expect(stderr).toContain('error: --database before "keys" has no effect');
  expect(exitCode).toBe(2);
});

test.each(['', 'postgres://anna:hunter22@db.test/store'])('the argument %j of serve is not repeated', async (word) => {
  const { stderr, exitCode } = await cli.run(['serve', word]);
  expect(stderr).toBe('error: unknown command\n  hint: run petstore serve --help\n');
  expect(exitCode).toBe(2);
});

test.each([
  ['keys', 'list', 'x'],
  ['keys', 'revoke', 'x', 'y', '--yes'],
  ['keys', 'create', 'x'],
])('serve %s rejects arguments that it does not take', async (...words) => {
  const { stderr, exitCode } = await cli.run(['serve', ...words]);
  expect(stderr).toMatch(/^error: petstore serve \w+( \w+)? takes (no arguments|at most 1 argument)\n/);
  expect(exitCode).toBe(2);
});

interface Created {
  readonly apiKey: string;
  readonly keyPrefix: string;
  readonly label: string | null;
}

function keys(...words: readonly string[]) {
  return cli.run(['serve', 'keys', ...words]);
}

async function create(...flags: readonly string[]): Promise<Created> {
  return JSON.parse((await keys('create', '--plan', 'free', '--json', ...flags)).stdout);
}

async function prefixes(...flags: readonly string[]): Promise<readonly string[]> {
  const listed = JSON.parse((await keys('list', '--json', ...flags)).stdout) as readonly Created[];
  return listed.map(({ keyPrefix }) => keyPrefix);
}

/** Adds existing keys, as `--api-key-file` does. */
async function addKeys(...given: readonly string[]): Promise<void> {
  const { keyPrefix } = await create();
  await useDatabase(async (database) => {
    for (const key of given) await addApiKey(database, key, { limits: plans.free }, clock.now());
  });
  await keys('revoke', keyPrefix, '--yes');
}

async function useDatabase(use: (database: Database) => Promise<unknown>): Promise<void> {
  const path = join(cli.home, databasePath);
  const database = await openDatabase({ path, clock, nodeVersion: process.versions.node });
  await use(database);
  await database.close();
}
