import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeClock } from '../../support/clock.js';
import { createTestCli } from '../../support/test-cli.js';

const addRex = ['pets', 'add', '--name', 'Rex', '--category-id', '1', '--json'];

test('plan changes the limits and keeps the pets', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  await cli.run(addRex);
  const changed = await cli.run(['sandbox', 'plan', 'pro']);
  expect(changed.stderr).toBe('✓ Set the sandbox plan to pro: 300 requests per minute and 10,000 per day\n');
  const { stderr } = await cli.run(['pets', 'list', '--limit', '1']);
  expect(stderr).toContain('298 of 300 requests left');
  const status = JSON.parse((await cli.run(['sandbox', 'status', '--json'])).stdout);
  expect(status).toMatchObject({ pets: 73, plan: 'pro', perMinute: 300, perDay: 10_000 });
});

test('reset restores the sample pets, the next id and the quota', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  await cli.run(addRex);
  const reset = await cli.run(['sandbox', 'reset', '--yes']);
  expect(reset).toEqual({
    stdout: '',
    stderr: '✓ Deleted 73 pets from the sandbox and restored the sample pets\n',
    exitCode: 0,
  });
  const { stdout, stderr } = await cli.run(addRex);
  expect(JSON.parse(stdout)).toMatchObject({ id: 73 });
  expect(stderr).toContain('59 of 60 requests left');
});

test('reset --empty deletes all pets, and --plan sets the limits', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  const reset = await cli.run(['sandbox', 'reset', '--yes', '--empty', '--plan', 'business']);
  expect(reset.stderr).toBe('✓ Deleted 72 pets from the sandbox\n');
  const list = await cli.run(['pets', 'list']);
  expect(list.stderr).toContain('No pets found.');
  expect(list.stderr).toContain('999 of 1,000 requests left');
});

test('restore brings back pets, next id and plan, and resets the quota', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  await cli.run(addRex);
  await cli.run(['sandbox', 'plan', 'pro']);
  const saved = await cli.run(['sandbox', 'save', 'fixtures']);
  expect(saved.stderr).toBe('✓ Saved 73 pets of the sandbox as fixtures\n');
  await cli.run(['sandbox', 'reset', '--yes', '--empty', '--plan', 'free']);
  const restored = await cli.run(['sandbox', 'restore', 'fixtures', '--yes']);
  expect(restored).toEqual({ stdout: '', stderr: '✓ Restored 73 pets from fixtures\n', exitCode: 0 });
  const { stdout, stderr } = await cli.run(addRex);
  expect(JSON.parse(stdout)).toMatchObject({ id: 74 });
  expect(stderr).toContain('299 of 300 requests left');
});

test.each([
  [
    'petstore',
    'cannot create %/sandbox because % is not a directory',
    'set PETSTORE_CONFIG_DIR to a directory, or move %',
  ],
  [
    'petstore/sandbox',
    "the database %/store.db cannot be used: ENOTDIR: not a directory, open '%/store.db'",
    'use a directory instead of %',
  ],
  ['petstore/sandbox/saved', 'cannot read % (not a directory)', 'move %'],
])('status reports a file that is in the place of the directory %s', async (name, message, hint) => {
  const cli = createTestCli();
  const path = join(cli.home, '.local/share', name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  const { stdout, stderr, exitCode } = await cli.run(['sandbox', 'status']);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(stderr).toBe(`error: ${message}\n  hint: ${hint}\n`.replaceAll('%', path));
});

test('save replaces a saved sandbox only with --force', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  await cli.run(['sandbox', 'save', 'fixtures']);
  const again = await cli.run(['sandbox', 'save', 'fixtures']);
  expect(again.stderr).toBe(
    'error: the saved sandbox fixtures already exists\n  hint: choose another name, or pass --force\n',
  );
  expect(again.exitCode).toBe(2);
  expect((await cli.run(['sandbox', 'save', 'fixtures', '--force'])).exitCode).toBe(0);
  await cli.run(['sandbox', 'save', 'more']);
  const { stdout } = await cli.run(['sandbox', 'status', '--json']);
  expect(JSON.parse(stdout).saved).toEqual(['fixtures', 'more']);
  expect((await cli.run(['sandbox', 'status', '--fields', 'saved'])).stdout).toBe('saved: fixtures, more\n');
});

test.each<[string, (path: string) => void]>([
  ['a damaged file', (path) => writeFileSync(path, '{')],
  ['a directory', (path) => mkdirSync(path)],
  ['a link to nothing', (path) => symlinkSync('nothing', path)],
])('restore names %s and keeps the pets', async (_, create) => {
  const cli = createTestCli({ clock: fakeClock() });
  await cli.run(['sandbox', 'save', 'fixtures']);
  const path = join(cli.home, '.local/share/petstore/sandbox/saved/fixtures.json');
  rmSync(path);
  create(path);
  const { stderr, exitCode } = await cli.run(['sandbox', 'restore', 'fixtures', '--yes']);
  expect(stderr).toContain(
    'fixtures.json is damaged\n  hint: delete the file, then run petstore sandbox save fixtures',
  );
  expect(exitCode).toBe(1);
  const { stdout } = await cli.run(['sandbox', 'status', '--json']);
  expect(JSON.parse(stdout).pets).toBe(72);
});

test('reset --pets adds the same pets for the same seed', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  const list = async (seed: string) => {
    const { stderr } = await cli.run(['sandbox', 'reset', '--yes', '--pets', '30', '--seed', seed]);
    return [stderr, (await cli.run(['pets', 'list', '--json'])).stdout];
  };
  const [message, pets] = await list('7');
  expect(message).toBe('✓ Deleted 72 pets from the sandbox and added 30 generated pets\n');
  expect((await list('8'))[1]).not.toBe(pets);
  expect((await list('7'))[1]).toBe(pets);
});

test.each([
  ['save ../x', 'the name of a saved sandbox must have 1 to 64 letters'],
  ['restore fixture', 'there is no saved sandbox "fixture"'],
  ['reset --empty --pets 3', '--empty conflicts with --pets'],
  ['reset --seed 3', '--seed requires --pets'],
  ['reset --pets 1000001', '--pets must be a whole number from 0 to 1000000, not "1000001"'],
  ['reset', 'replacing all pets in the sandbox needs confirmation\n  hint: pass --yes'],
  ['plan buisness', 'the plan must be one of free, pro, business, enterprise, not "buisness"'],
])('sandbox %s fails without valid input', async (line, message) => {
  const run = await createTestCli().run(['sandbox', ...line.split(' ')]);
  expect(run.stderr).toContain(`error: ${message}`);
  expect(run.exitCode).toBe(2);
});

test('plan warns if the saved quota cannot be deleted', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  const directory = join(cli.home, '.local/state/petstore/quota');
  mkdirSync(dirname(directory), { recursive: true });
  writeFileSync(directory, '');
  const { stderr, exitCode } = await cli.run(['sandbox', 'plan', 'pro']);
  expect(exitCode).toBe(0);
  expect(stderr).toContain('! cannot reset the quota state: ');
});
