import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestCli } from '../../support/test-cli.js';

const config = (user: { home: string }) => join(user.home, '.config/petstore/config.json');
const credentials = (user: { home: string }) =>
  join(user.home, '.config/petstore/credentials.json');

test('three profiles exist from the start, and the sandbox is current', async () => {
  expect(await createTestCli().run(['profile', 'list'])).toMatchSnapshot();
});

test('a profile is set, used, shown and removed', async () => {
  const user = createTestCli();
  const set = await user.run([
    'profile',
    'set',
    'acme',
    '--base-url',
    'https://acme.example/v1',
    '-o',
    'json',
  ]);
  expect(set).toEqual({ stdout: '', stderr: 'profile acme is set\n', exitCode: 0 });
  await user.run(['profile', 'use', 'acme']);
  const shown = await user.run(['profile', 'show', '-o', 'table']);
  expect(shown).toMatchSnapshot();
  const removed = await user.run(['profile', 'remove', 'acme', '-o', 'table']);
  expect(removed.stderr).toBe('profile acme is removed\nthe current profile is now sandbox\n');
  const after = await user.run(['profile', 'show', '--fields', 'name']);
  expect(after.stdout).toBe('name: sandbox\n');
});

test.each([
  [['profile', 'set', 'a.b', '--base-url', 'https://x/v1'], 'a profile name has 1 to 64 letters'],
  [['profile', 'set', '__proto__', '-o', 'table'], 'a profile name has 1 to 64 letters'],
  [
    ['profile', 'set', 'x', '--base-url', 'https://user:pw@x/v1'],
    'the base URL must not hold a user',
  ],
  [
    ['profile', 'set', 'x', '--base-url', 'https://x/v1?key=1'],
    'the base URL must not hold a query',
  ],
  [['profile', 'set', 'x', '--base-url', 'http://example.com/v1'], 'the base URL must be https'],
  [['profile', 'set', 'sandbox', '--base-url', 'https://x/v1'], 'the sandbox is embedded'],
  [['profile', 'set', 'x'], 'pass what the profile shall keep'],
  [['profile', 'use', 'stging'], 'there is no profile "stging"'],
  [['profile', 'use'], 'pass the name of a profile'],
  [['profile', 'remove', 'nobody'], 'there is no profile "nobody"'],
])('%j changes nothing', async (args, message) => {
  const user = createTestCli();
  const run = await user.run(args);
  expect(run.stderr).toContain(`error: ${message}`);
  expect(run.exitCode).toBe(2);
  expect(existsSync(config(user))).toBe(false);
});

test('settings that are no object are mended by hand, and not by choosing a profile', async () => {
  const user = createTestCli();
  mkdirSync(join(user.home, '.config/petstore'), { recursive: true });
  writeFileSync(config(user), '{"settings":"abc"}');
  const { stderr, exitCode } = await user.run(['profile', 'use', 'staging']);
  expect(stderr).toContain('error: the kept settings are not an object');
  expect(exitCode).toBe(1);
  expect(readFileSync(config(user), 'utf8')).toBe('{"settings":"abc"}');
});

test('names that JavaScript objects have are profiles like others', async () => {
  const user = createTestCli();
  await user.run(['profile', 'set', 'constructor', '--base-url', 'https://x.example/v1']);
  const { stdout } = await user.run(['profile', 'show', 'constructor', '--fields', 'baseUrl']);
  expect(stdout).toBe('baseUrl: https://x.example/v1\n');
  expect((await user.run(['profile', 'show', 'toString'])).exitCode).toBe(2);
});

test('a file of keys that others can read is made private before it is used', async () => {
  const user = createTestCli();
  mkdirSync(join(user.home, '.config/petstore'), { recursive: true });
  writeFileSync(credentials(user), '{}');
  chmodSync(credentials(user), 0o644);
  await user.run(['pets', 'list', '-q']);
  expect(statSync(credentials(user)).mode & 0o777).toBe(0o600);
});
