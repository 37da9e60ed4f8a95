import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestCli } from '../support/test-cli.js';

const configPath = (user: { home: string }) => join(user.home, '.config/petstore/config.json');

test('prefers the flag, then the variable, then the profile', async () => {
  const user = createTestCli();
  await user.run(['profile', 'set', 'sandbox', '--output', 'csv']);
  const list = (args: string[], env = {}) =>
    user.run(['pets', 'list', '--limit', '1', '--fields', 'id', '-q', ...args], { env });
  expect((await list([])).stdout).toBe('id\n1\n');
  expect((await list([], { PETSTORE_OUTPUT: 'ndjson' })).stdout).toBe('{"id":1}\n');
  expect((await list(['-o', 'yaml'], { PETSTORE_OUTPUT: 'ndjson' })).stdout).toBe('- id: 1\n');
});

test('prefers --profile to PETSTORE_PROFILE', async () => {
  const user = createTestCli();
  const env = { PETSTORE_PROFILE: 'production' };
  expect((await user.run(['config', 'get', 'profile'], { env })).stdout).toBe('production\n');
  expect((await user.run(['config', 'get', 'profile', '-p', 'staging'], { env })).stdout).toBe('staging\n');
  const unknown = await user.run(['auth', 'status'], { env: { PETSTORE_PROFILE: 'prduction' } });
  expect(unknown).toMatchSnapshot();
});

test('suggests a value for an invalid variable', async () => {
  const { stderr } = await createTestCli().run(['pets', 'list'], { env: { PETSTORE_OUTPUT: 'jsn' } });
  expect(stderr).toMatch(/PETSTORE_OUTPUT must be one of .*\n {2}hint: did you mean "json"\?\n/);
});

test.each(['', '{', '[]', 'null'])('reports a config file of %j, keeps it, and still prints help', async (content) => {
  const user = createTestCli();
  mkdirSync(join(user.home, '.config/petstore'), { recursive: true });
  writeFileSync(configPath(user), content);
  expect((await user.run(['pets', 'list', '--help'])).exitCode).toBe(0);
  expect((await user.run(['--version'])).exitCode).toBe(0);
  for (const args of [
    ['pets', 'list'],
    ['profile', 'use', 'staging'],
    ['config', 'set', 'output', 'json'],
  ]) {
    const run = await user.run(args);
    expect(run.stderr.startsWith(`error: ${configPath(user)} is not a JSON object`)).toBe(true);
    expect(run.exitCode).toBe(1);
  }
  expect(readFileSync(configPath(user), 'utf8')).toBe(content);
});

test.each([
  ['{ broken', 'is not a JSON object'],
  [undefined, 'EISDIR'],
])('a config file of %j stops no command that examines it', async (content, problem) => {
  const user = createTestCli();
  mkdirSync(join(user.home, '.config/petstore'), { recursive: true, mode: 0o700 });
  if (content === undefined) mkdirSync(configPath(user), { mode: 0o700 });
  else writeFileSync(configPath(user), content, { mode: 0o600 });
  const list = await user.run(['profile', 'list', '--json']);
  const profiles: readonly { readonly current: boolean }[] = JSON.parse(list.stdout);
  expect(profiles.map(({ current }) => current)).toEqual([false, false, false]);
  expect(list.stderr).toMatch(/^! .*\n$/);
  expect(list.stderr).toContain(configPath(user));
  expect(list.stderr).toContain(problem);
  expect(list.exitCode).toBe(0);
  const doctor = await user.run(['doctor', '--json']);
  const failed = JSON.parse(doctor.stdout).filter(({ status }: { status: string }) => status === 'failed');
  expect(failed).toMatchObject([{ check: 'configuration', detail: expect.stringContaining(configPath(user)) }]);
  expect(doctor.exitCode).toBe(1);
  for (const flag of ['--help', '--version']) expect(await user.run([flag])).toMatchObject({ stderr: '', exitCode: 0 });
});

test('reports invalid and misspelled variables, with a suggestion', async () => {
  const env = { PETSTORE_OUTPT: 'json', PETSTORE_NO_INPUT: 'perhaps' };
  const user = createTestCli();
  expect((await user.run(['pets', 'list'], { env })).stderr).toContain(
    'error: the environment variable PETSTORE_NO_INPUT must be 1 or 0',
  );
  expect((await user.run(['profile', 'list'], { env })).stderr).toContain(
    '! the environment variable PETSTORE_NO_INPUT must be 1 or 0',
  );
  const { stderr } = await user.run(['profile', 'list'], { env: { PETSTORE_OUTPT: 'json' } });
  expect(stderr).toBe('! unknown environment variable PETSTORE_OUTPT; did you mean "PETSTORE_OUTPUT"?\n');
});
