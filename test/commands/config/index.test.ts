import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { patientClock } from '../../support/clock.js';
import { createTestCli } from '../../support/test-cli.js';

test('saves, shows, applies and deletes a setting', async () => {
  const cli = createTestCli();
  expect(await cli.run(['config', 'set', 'output', 'json'])).toMatchObject({ exitCode: 0 });
  const list = await cli.run(['config', 'list', '-o', 'ndjson']);
  const settings = list.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(settings).toEqual([
    { name: 'profile', value: 'sandbox', source: 'default' },
    { name: 'output', value: 'ndjson', source: '--output' },
    { name: 'color', value: 'auto', source: 'default' },
    { name: 'timeout', value: 30, source: 'default' },
    { name: 'max-wait', value: 60, source: 'default' },
    { name: 'accessible', value: false, source: 'default' },
    { name: 'quota-store', value: '', source: 'default' },
  ]);
  expect((await cli.run(['pets', 'list', '--limit', '1', '--fields', 'id'])).stdout).toBe(
    '[\n  {\n    "id": 1\n  }\n]\n',
  );
  expect((await cli.run(['config', 'unset', 'output', '-o', 'table'])).stderr).toBe(
    '✓ Restored the default of output\n',
  );
  expect((await cli.run(['config', 'get', 'output'])).stdout).toBe('table\n');
  expect((await cli.run(['config', 'unset', 'output'])).stderr).toBe('Setting output has no saved value.\n');
});

test.each([
  [{ flag: ['--timeout', '5'], env: { PETSTORE_TIMEOUT: '6' } }, 5, '--timeout'],
  [{ flag: [], env: { PETSTORE_TIMEOUT: '6' } }, 6, 'PETSTORE_TIMEOUT'],
  [{ flag: [], env: {} }, 7, 'config.json'],
])('config get with %j prints %d', async ({ flag, env }, value, source) => {
  const cli = createTestCli();
  await cli.run(['config', 'set', 'timeout', '7']);
  const { stdout } = await cli.run(['config', 'get', 'timeout', '--json', ...flag], { env });
  expect(JSON.parse(stdout)).toEqual({
    name: 'timeout',
    value,
    source: expect.stringContaining(source),
  });
});

test('set says what it saved', async () => {
  const cli = createTestCli();
  const set = async (name: string, value: string) => (await cli.run(['config', 'set', name, value])).stderr;
  expect(await set('timeout', '7.50')).toBe('✓ Set timeout to 7.5\n');
  expect(await set('accessible', '1')).toBe('✓ Set accessible to true\n');
  expect(await set('quota-store', '')).toBe('✓ Set quota-store to ""\n');
  expect(await set('quota-store', 'redis://me:hush@redis.example')).toBe(
    '✓ Set quota-store to redis://me@redis.example:6379/0\n',
  );
});

test('list and get print the same value, and in a pipe, get prints an empty one as such', async () => {
  const cli = createTestCli({ columns: 80, clock: patientClock });
  const list = (await cli.run(['config', 'list', '--no-color'])).stdout;
  for (const name of ['profile', 'output', 'timeout', 'accessible', 'quota-store']) {
    const { stdout } = await cli.run(['config', 'get', name]);
    expect(list).toMatch(new RegExp(`^${name} +${stdout.trim()} +\\S`, 'm'));
  }
  expect((await createTestCli().run(['config', 'get', 'quota-store'])).stdout).toBe('\n');
  const jq = ['config', 'list', '--no-color', '--jq', '.[] | select(.name == "accessible") | .value'];
  expect((await cli.run(jq)).stdout).toBe('false\n');
});

test.each([
  [['set', 'outptu', 'json'], 'unknown setting "outptu"', 'did you mean "output"?'],
  [['set', 'output', 'jsn'], 'the setting output must be one of table, json,', 'tsv\n  hint: did you mean "json"?'],
  [['set', 'timeout', '0'], 'the setting timeout must be a number of seconds', ''],
  [['set', 'quota-store', 'http://:hush@x'], 'the setting quota-store must be a redis:// or rediss://', ''],
  [['set', 'profile', 'nobody'], 'unknown profile "nobody"', ''],
  [['get', 'nothing'], 'unknown setting "nothing"', 'use one of profile, output'],
  [['unset', 'nothing'], 'unknown setting "nothing"', ''],
])('config %j exits with 2', async (args, message, hint) => {
  const run = await createTestCli().run(['config', ...args, '-o', 'table']);
  expect(run.stderr).toContain(`error: ${message}`);
  expect(run.stderr).toContain(hint);
  expect(run.exitCode).toBe(2);
});

test('saves the address of the quota store but never shows its password', async () => {
  const cli = createTestCli();
  await cli.run(['config', 'set', 'quota-store', 'rediss://me:hush-hush@redis.example/2']);
  const file = join(cli.home, '.config/petstore/config.json');
  expect(readFileSync(file, 'utf8')).toContain('rediss://me:hush-hush@redis.example/2');
  for (const args of [['get', 'quota-store'], ['list'], ['list', '--json', '--verbose']]) {
    const { stdout, stderr } = await cli.run(['config', ...args]);
    expect(stdout).toContain('rediss://me@redis.example:6379/2');
    expect(stdout + stderr).not.toContain('hush');
  }
  const env = { PETSTORE_QUOTA_STORE: 'redis:/:hush-hush@redis.example' };
  const rejected = await cli.run(['pets', 'list'], { env });
  expect(rejected).toMatchObject({ exitCode: 2, stdout: '' });
  expect(rejected.stderr).toContain('the environment variable PETSTORE_QUOTA_STORE must be a redis:// or rediss://');
  expect(rejected.stderr).not.toContain('hush');
});

test('an invalid value stops every command but those that fix it', async () => {
  const cli = createTestCli();
  const file = join(cli.home, '.config/petstore/config.json');
  mkdirSync(join(cli.home, '.config/petstore'), { recursive: true });
  writeFileSync(file, '{"settings":{"timeout":"soon","output":"json"},"future":1}');
  const list = await cli.run(['pets', 'list', '-o', 'table']);
  expect(list.stderr).toBe(
    'error: the saved setting timeout must be a number of seconds above 0 and up to 86400\n' +
      '  hint: run petstore config unset timeout\n',
  );
  expect(list.exitCode).toBe(1);
  expect((await cli.run(['config', 'unset', 'timeout'])).exitCode).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    settings: { output: 'json' },
    future: 1,
  });
});
