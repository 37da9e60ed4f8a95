import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { plans } from '../../../src/api/plan.js';
import { sha256Hex } from '../../../src/format/sha256.js';
import { addApiKey } from '../../../src/server/api-keys.js';
import { openDatabase } from '../../../src/server/open-database.js';
import { fakeClock } from '../../support/clock.js';
import { createTestCli, type TestCli } from '../../support/test-cli.js';

const store = '.local/share/petstore/store.db';
const clock = fakeClock(Date.UTC(2026, 10, 21, 12));

let world: TestCli;

beforeEach(() => {
  world = createTestCli({ clock });
});

describe('create', () => {
  test('shows the key this once, with its limits', async () => {
    const run = await keys('create', '--plan', 'pro', '--label', 'build machines', '--json');
    const record = JSON.parse(run.stdout);
    expect(record).toEqual({
      apiKey: expect.stringMatching(/^pets_[0-9a-z]{50}$/),
      keyPrefix: `${record.apiKey.slice(0, 9)}…`,
      plan: 'pro',
      ...plans.pro,
      label: 'build machines',
      database: join(world.home, store),
    });
    expect(run).toMatchObject({ stderr: '', exitCode: 0 });
    expect((await keys('list')).stdout).not.toContain(record.apiKey);
    expect(readFileSync(join(world.home, store), 'latin1')).not.toContain(record.apiKey);
  });

  test('gives an enterprise the limits that are named, and its own for those that are not', async () => {
    const { stdout } = await keys('create', '--plan', 'enterprise', '--per-minute', '5', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      plan: 'enterprise',
      perMinute: 5,
      perDay: plans.enterprise.perDay,
      label: null,
    });
  });

  test.each([
    ['no plan', [], 'pass --plan with one of free, pro, business, enterprise'],
    ['a plan that is none', ['--plan', 'por'], '--plan must be one of free, pro'],
    ['limits for another plan', ['--plan', 'pro', '--per-day', '5'], 'need --plan enterprise'],
    ['no label', ['--plan', 'pro', '--label', ''], '--label must be 1 to 100 characters'],
    ['a blank label', ['--plan', 'pro', '--label', ' '], '--label must be'],
    ['a long label', ['--plan', 'pro', '--label', 'x'.repeat(101)], '--label must be'],
    ['a control character', ['--plan', 'pro', '--label', 'a\u001b[2J'], '--label must be'],
    ['a key as a label', ['--plan', 'pro', '--label', `pets_${'0'.repeat(50)}`], 'not hold a key'],
    ['memory', ['--plan', 'pro', '--database', ':memory:'], 'ends with its process'],
    ['no file', ['--plan', 'pro', '--database', ''], '--database must name a file'],
  ])('refuses %s', async (_, flags, problem) => {
    const { stdout, stderr, exitCode } = await keys('create', ...flags);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(problem);
  });

  test('takes a label of a hundred characters, whatever they are', async () => {
    const label = '🐈'.repeat(100);
    expect((await create('--label', label)).label).toBe(label);
  });
});

describe('list', () => {
  test('shows every key with what it has left', async () => {
    const { keyPrefix } = await create('--label', 'ci');
    expect(JSON.parse((await keys('list', '--json')).stdout)).toEqual([
      {
        keyPrefix,
        plan: 'free',
        ...plans.free,
        minuteLeft: 60,
        dayLeft: 1_000,
        bannedUntil: null,
        createdAt: '2026-11-21T12:00:00.000Z',
        label: 'ci',
      },
    ]);
    expect((await keys('list')).stdout).toContain(keyPrefix);
  });

  test('says where no key is left', async () => {
    const { keyPrefix } = await create();
    await keys('revoke', keyPrefix, '--yes');
    expect(await keys('list')).toEqual({
      stdout: '',
      stderr: 'No keys; the next start of petstore serve makes one.\n',
      exitCode: 0,
    });
  });

  test.each([['list'], ['revoke', 'ci', '--yes']])('%s makes no database', async (...words) => {
    const database = join(world.home, 'none.db');
    const { stderr, exitCode } = await keys(...words, '--database', database);
    expect(stderr).toContain(`error: there is no database ${database}\n`);
    expect(exitCode).toBe(2);
  });
});

describe('revoke', () => {
  test.each([
    ['its first characters as listed', ({ keyPrefix }: Created) => keyPrefix],
    ['fewer of them', ({ keyPrefix }: Created) => keyPrefix.slice(0, 3)],
    ['its label', () => 'ci'],
  ])('takes %s', async (_, nameOf) => {
    const created = await create('--label', 'ci');
    const { stderr, exitCode } = await keys('revoke', nameOf(created), '--yes');
    expect(stderr).toBe(
      `the key ${created.keyPrefix} (ci) is revoked\n` +
        'no key is left; the next start of petstore serve makes one\n',
    );
    expect(exitCode).toBe(0);
  });

  test('asks, and where no one can answer it names --yes', async () => {
    const { keyPrefix } = await create();
    const { stderr, exitCode } = await keys('revoke', keyPrefix);
    expect(stderr).toBe(`error: pass --yes to revoke the key ${keyPrefix}\n`);
    expect(exitCode).toBe(2);
    expect(await prefixes()).toEqual([keyPrefix]);
  });

  test('revokes none of two that are named so, and says how to name one', async () => {
    await addKeys(
      'pets_live_0000000000000000000000000000',
      'pets_live_1111111111111111111111111111',
    );
    const { stderr, exitCode } = await keys('revoke', 'pets_live', '--yes');
    expect(exitCode).toBe(2);
    const names = stderr.match(/pets_live#[0-9a-f]{8}/g) ?? [];
    expect(new Set(names).size).toBe(2);
    expect((await keys('revoke', names[1] as string, '--yes')).exitCode).toBe(0);
    expect(await prefixes()).toEqual(['pets_live…']);
  });

  test.each(['ci', 'pets_'])('takes %s for one key alone', async (name) => {
    await create('--label', 'ci');
    await create('--label', 'ci');
    expect((await keys('revoke', name, '--yes')).stderr).toContain('error: 2 keys are named so: ');
    expect(await prefixes()).toHaveLength(2);
  });

  test('takes a label that ends like the exact name of a key', async () => {
    await create('--label', 'ci#00000001');
    expect((await keys('revoke', 'ci#00000001', '--yes')).exitCode).toBe(0);
    expect(await prefixes()).toEqual([]);
  });

  test('takes the exact name for its key, whoever has it as a label', async () => {
    const key = 'pets_live_0000000000000000000000000000';
    await addKeys(key);
    const name = `pets_live#${sha256Hex(key).slice(0, 8)}`;
    const { keyPrefix } = await create('--label', name);
    expect((await keys('revoke', name, '--yes')).exitCode).toBe(0);
    expect(await prefixes()).toEqual([keyPrefix]);
  });

  test('takes no key in full, and does not repeat it', async () => {
    const { apiKey } = await create();
    const other = 'hunter2-hunter2-hunter2';
    await addKeys(other);
    for (const key of [apiKey, other, apiKey.slice(0, 30)]) {
      for (const format of [[], ['--json'], ['--verbose', '--debug']]) {
        const { stdout, stderr, exitCode } = await keys('revoke', key, '--yes', ...format);
        expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
        expect(stderr).toContain('that is a key in full');
        expect(stderr).not.toContain(key);
      }
    }
    expect(await prefixes()).toHaveLength(2);
  });

  test.each(['', '…', 'nobody', 'pets_zzzz', '%', '#00000000'])('knows no key %j', async (name) => {
    await create();
    const { stderr, exitCode } = await keys('revoke', name, '--yes');
    expect(stderr).toContain('error: no key begins so, and none has this label\n');
    expect(exitCode).toBe(2);
  });
});

test('a flag of the store before keys is refused, not passed over', async () => {
  const { stderr, exitCode } = await world.run(['serve', '--database', 'x', 'keys', 'list']);
  expect(stderr).toContain('error: --database before "keys" is a flag of the store');
  expect(exitCode).toBe(2);
});

test.each(['key', '', 'postgres://anna:hunter22@db.test/store'])(
  'the word %s behind serve is refused, and not repeated',
  async (word) => {
    const { stderr, exitCode } = await world.run(['serve', word]);
    expect(stderr).toContain(
      'error: petstore serve takes no arguments, and its one command is keys',
    );
    expect(stderr).not.toContain('hunter22');
    expect(exitCode).toBe(2);
  },
);

test('a flag that every command takes may stand before keys', async () => {
  await create();
  const { stdout } = await world.run(['serve', '--json', 'keys', 'list']);
  expect(JSON.parse(stdout)).toHaveLength(1);
});

interface Created {
  readonly apiKey: string;
  readonly keyPrefix: string;
  readonly label: string | null;
}

function keys(...words: readonly string[]) {
  return world.run(['serve', 'keys', ...words]);
}

async function create(...flags: readonly string[]): Promise<Created> {
  return JSON.parse((await keys('create', '--plan', 'free', '--json', ...flags)).stdout);
}

async function prefixes(): Promise<readonly string[]> {
  const listed = JSON.parse((await keys('list', '--json')).stdout) as readonly Created[];
  return listed.map(({ keyPrefix }) => keyPrefix);
}

/** Makes keys known that somebody else made, as `--api-key-file` does. */
async function addKeys(...given: readonly string[]): Promise<void> {
  const { keyPrefix } = await create();
  const path = join(world.home, store);
  const database = await openDatabase({ path, clock, nodeVersion: process.versions.node });
  for (const key of given) await addApiKey(database, key, plans.free, clock.now());
  await database.close();
  await keys('revoke', keyPrefix, '--yes');
}
