import { mkdirSync, writeFileSync } from 'node:fs';
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
    stderr: '✓ Deleted 73 pets from the sandbox and added 72 sample pets\n',
    exitCode: 0,
  });
  const { stdout, stderr } = await cli.run(addRex);
  expect(JSON.parse(stdout)).toMatchObject({ id: 73 });
  expect(stderr).toContain('59 of 60 requests left');
});

test('reset --pets 0 deletes all pets, and --plan sets the limits', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  const reset = await cli.run(['sandbox', 'reset', '--yes', '--pets', '0', '--plan', 'business']);
  expect(reset.stderr).toBe('✓ Deleted 72 pets from the sandbox and added 0 sample pets\n');
  const list = await cli.run(['pets', 'list']);
  expect(list.stderr).toContain('No pets found.');
  expect(list.stderr).toContain('999 of 1,000 requests left');
});

test('status reports a file that is in the place of the directory', async () => {
  const cli = createTestCli();
  const path = join(cli.home, '.local/share/petstore');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  const { stdout, stderr, exitCode } = await cli.run(['sandbox', 'status']);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(stderr).toContain(
    `error: cannot write ${cli.home}/.local/share/petstore/sandbox (ENOTDIR)\n  hint: check the permissions`,
  );
});

test('reset --pets adds the same pets each time', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  const list = async () => {
    const { stderr } = await cli.run(['sandbox', 'reset', '--yes', '--pets', '150', '--plan', 'pro']);
    return [stderr, (await cli.run(['pets', 'list', '--all', '--json'])).stdout];
  };
  const [message, pets = ''] = await list();
  expect(message).toBe('✓ Deleted 72 pets from the sandbox and added 150 sample pets\n');
  expect(JSON.parse(pets)).toHaveLength(150);
  expect((await list())[1]).toBe(pets);
});

test.each([
  ['reset --pets 1000001', '--pets must be a whole number from 0 to 1000000, not "1000001"'],
  ['reset', 'replacing all pets in the sandbox needs confirmation\n  hint: pass --yes'],
  ['plan buisness', 'the plan must be one of free, pro, business, enterprise, not "buisness"'],
])('sandbox %s fails without valid input', async (line, message) => {
  const run = await createTestCli().run(['sandbox', ...line.split(' ')]);
  expect(run.stderr).toContain(`error: ${message}`);
  expect(run.exitCode).toBe(2);
});
