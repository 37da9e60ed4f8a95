import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestCli, type TestCli } from '../../support/test-cli.js';

const configFile = (cli: TestCli) => join(cli.home, '.config/petstore/config.json');

test('list prints three built-in profiles, and the sandbox is current', async () => {
  const { stdout } = await createTestCli().run(['profile', 'list']);
  expect(stdout).toBe(
    [
      'name        current  baseUrl  output  key',
      'sandbox     yes      -        -       -',
      'staging     no       -        -       -',
      'production  no       -        -       -\n',
    ].join('\n'),
  );
});

test('a profile can be set, used, shown and removed', async () => {
  const cli = createTestCli();
  const run = (line: string) => cli.run(['profile', ...line.split(' ')]);
  expect(await run('set acme --base-url https://acme.example/v1 -o json')).toEqual({
    stdout: '',
    stderr: '✓ Saved profile acme\n',
    exitCode: 0,
  });
  expect((await run('use acme -o table')).stderr).toBe('✓ Switched to profile acme\n');
  expect((await run('show -o table')).stdout).toBe(
    'name:    acme\ncurrent: yes\nbaseUrl: https://acme.example/v1\noutput:  json\nkey:     -\n',
  );
  expect((await run('remove acme -o table')).stderr).toBe(
    '✓ Deleted profile acme\nThe current profile is now sandbox.\n',
  );
  expect((await run('show --fields name')).stdout).toBe('name: sandbox\n');
});

test.each([
  ['set a.b --base-url https://x/v1', 'a profile name must have 1 to 64 letters'],
  ['set __proto__ -o table', 'a profile name must have 1 to 64 letters'],
  ['set x --base-url https://user:pw@x/v1', 'the base URL must not contain a user name'],
  ['set x --base-url https://x/v1?key=1', 'the base URL must not contain a query'],
  ['set x --base-url http://example.com/v1', 'the base URL must use https'],
  ['set sandbox --base-url https://x/v1', 'cannot set a base URL for the sandbox'],
  ['set x', 'profile set needs --base-url or --output'],
  ['use stging', 'unknown profile "stging"'],
  ['use', 'the profile is missing; run petstore profile list, then pass a name'],
  ['remove nobody', 'unknown profile "nobody"'],
])('profile %s fails and changes nothing', async (line, message) => {
  const cli = createTestCli();
  const run = await cli.run(['profile', ...line.split(' ')]);
  expect(run.stderr).toContain(`error: ${message}`);
  expect(run.exitCode).toBe(2);
  expect(existsSync(configFile(cli))).toBe(false);
});

test('use does not overwrite invalid settings', async () => {
  const cli = createTestCli();
  mkdirSync(dirname(configFile(cli)), { recursive: true });
  writeFileSync(configFile(cli), '{"settings":"abc"}');
  const { stderr, exitCode } = await cli.run(['profile', 'use', 'staging']);
  expect(stderr).toContain('error: "settings" in the configuration file is not a JSON object');
  expect(exitCode).toBe(1);
  expect(readFileSync(configFile(cli), 'utf8')).toBe('{"settings":"abc"}');
});

test('a profile may have the name of an object member', async () => {
  const cli = createTestCli();
  await cli.run(['profile', 'set', 'constructor', '--base-url', 'https://x.example/v1']);
  const { stdout } = await cli.run(['profile', 'show', 'constructor', '--fields', 'baseUrl']);
  expect(stdout).toBe('baseUrl: https://x.example/v1\n');
  expect((await cli.run(['profile', 'show', 'toString'])).exitCode).toBe(2);
});
