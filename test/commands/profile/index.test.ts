import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startAnswering } from '../../support/answers.js';
import { startServe } from '../../support/served.js';
import { newWorld } from '../../support/world.js';

const config = (user: { home: string }) => join(user.home, '.config/petstore/config.json');
const credentials = (user: { home: string }) =>
  join(user.home, '.config/petstore/credentials.json');

test('three profiles exist from the start, and the sandbox is current', async () => {
  expect(await newWorld().run(['profile', 'list'])).toMatchSnapshot();
});

test('a profile is set, used, shown and removed', async () => {
  const user = newWorld();
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

test('the flag wins over the environment, the environment over the profile, that over the default', async () => {
  const user = newWorld();
  await user.run(['profile', 'set', 'sandbox', '--output', 'csv']);
  const list = (args: string[], env = {}) =>
    user.run(['pets', 'list', '--limit', '1', '--fields', 'id', '-q', ...args], { env });
  expect((await list([])).stdout).toBe('id\n1\n');
  expect((await list([], { PETSTORE_OUTPUT: 'ndjson' })).stdout).toBe('{"id":1}\n');
  expect((await list(['-o', 'yaml'], { PETSTORE_OUTPUT: 'ndjson' })).stdout).toBe('- id: 1\n');
});

test('PETSTORE_PROFILE chooses a profile, and --profile wins over it', async () => {
  const user = newWorld();
  const env = { PETSTORE_PROFILE: 'production' };
  const named = await user.run(['profile', 'show', '--fields', 'name'], { env });
  expect(named.stdout).toBe('name: production\n');
  const flag = await user.run(['profile', 'show', '--fields', 'name', '-p', 'staging'], { env });
  expect(flag.stdout).toBe('name: staging\n');
  const unknown = await user.run(['profile', 'show'], { env: { PETSTORE_PROFILE: 'prduction' } });
  expect(unknown).toMatchSnapshot();
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
  const user = newWorld();
  const run = await user.run(args);
  expect(run.stderr).toContain(`error: ${message}`);
  expect(run.exitCode).toBe(2);
  expect(existsSync(config(user))).toBe(false);
});

test('names that JavaScript objects have are profiles like others', async () => {
  const user = newWorld();
  await user.run(['profile', 'set', 'constructor', '--base-url', 'https://x.example/v1']);
  const { stdout } = await user.run(['profile', 'show', 'constructor', '--fields', 'baseUrl']);
  expect(stdout).toBe('baseUrl: https://x.example/v1\n');
  expect((await user.run(['profile', 'show', 'toString'])).exitCode).toBe(2);
});

test('login verifies the key, stores it for its origin and makes the profile current', async () => {
  const user = newWorld();
  const { baseUrl, apiKey } = await startServe();
  const login = await user.run(
    ['auth', 'login', '-p', 'staging', '--base-url', baseUrl, '--with-key'],
    { input: `  ${apiKey}\n` },
  );
  expect(login.exitCode).toBe(0);
  expect(login.stderr).toContain('logged in: profile staging is now current; its key pets_…');
  expect(login.stderr + login.stdout).not.toContain(apiKey);
  expect(statSync(credentials(user)).mode & 0o777).toBe(0o600);
  const list = await user.run(['pets', 'list', '--limit', '1', '--no-header']);
  expect(list.stdout).toContain('Ada');
  expect(list.stderr).toContain('staging · 58 of 60 requests left');
  const removed = await user.run(['profile', 'remove', 'staging']);
  expect(removed.stderr).toBe('profile staging keeps nothing any more, and its key is forgotten\n');
  expect(readFileSync(credentials(user), 'utf8')).not.toContain(apiKey);
});

test('a key that is refused changes nothing', async () => {
  const user = newWorld();
  const { baseUrl } = await startServe();
  const run = await user.run(
    ['auth', 'login', '-p', 'staging', '--base-url', baseUrl, '--with-key'],
    { input: 'pets_wrong_0123456789abcdef' },
  );
  expect(run.exitCode).toBe(3);
  expect(existsSync(credentials(user))).toBe(false);
  expect(existsSync(config(user))).toBe(false);
});

test.each([
  ['', 3],
  ['two words', 2],
  ['Bearer pets_0123456789', 2],
  ['schlüssel_0123456789', 2],
  ['pets_with_a…dot', 2],
])('the key %j is refused unseen', async (input, exitCode) => {
  const { env, requests } = await startAnswering({});
  const run = await newWorld().run(
    ['auth', 'login', '-p', 'staging', '--base-url', env.PETSTORE_BASE_URL as string, '--with-key'],
    { input },
  );
  expect(run.exitCode).toBe(exitCode);
  if (input) expect(run.stderr).not.toContain(input);
  expect(requests).toHaveLength(0);
});

test('the sandbox takes no key', async () => {
  const run = await newWorld().run(['auth', 'login', '--with-key'], {
    input: 'pets_0123456789abcdef',
  });
  expect(run).toMatchSnapshot();
});

test('a stored key is not sent to another origin', async () => {
  const user = newWorld();
  const { baseUrl, apiKey } = await startServe();
  await user.run(['auth', 'login', '-p', 'staging', '--base-url', baseUrl, '--with-key'], {
    input: apiKey,
  });
  const other = await startAnswering({});
  for (const args of [
    ['pets', 'list', '--base-url', `${other.origin}/v1`],
    ['profile', 'set', 'staging', '--base-url', `${other.origin}/v1`],
    ['pets', 'list'],
  ]) {
    const run = await user.run(args);
    expect(run.exitCode).toBe(args[0] === 'profile' ? 0 : 3);
  }
  expect(other.requests).toHaveLength(0);
});

test.each(['', '{', '[]', '{"profiles":', 'null', '\ufeff'])(
  'a configuration file of %j stops no help, is named and is not wiped',
  async (content) => {
    const user = newWorld();
    mkdirSync(join(user.home, '.config/petstore'), { recursive: true });
    writeFileSync(config(user), content);
    expect((await user.run(['pets', 'list', '--help'])).exitCode).toBe(0);
    expect((await user.run(['--version'])).exitCode).toBe(0);
    for (const args of [
      ['pets', 'list'],
      ['profile', 'use', 'staging'],
    ]) {
      const run = await user.run(args);
      expect(run.stderr).toContain(`error: ${config(user)} is not a JSON object`);
      expect(run.exitCode).toBe(1);
    }
    expect(readFileSync(config(user), 'utf8')).toBe(content);
  },
);

test('PETSTORE_CONFIG_DIR holds every file', async () => {
  const user = newWorld();
  const directory = join(user.home, 'elsewhere');
  await user.run(['pets', 'list'], { env: { PETSTORE_CONFIG_DIR: directory } });
  expect(existsSync(join(directory, 'credentials.json'))).toBe(true);
  expect(existsSync(join(directory, 'sandbox/store.db'))).toBe(true);
  expect(existsSync(join(user.home, '.config'))).toBe(false);
});

test('a home that cannot be written is said so', async () => {
  const user = newWorld();
  writeFileSync(join(user.home, 'file'), '');
  const env = { PETSTORE_CONFIG_DIR: join(user.home, 'file') };
  const run = await user.run(['pets', 'list'], { env });
  expect(run.exitCode).toBe(1);
  expect(run.stderr).toMatch(/^error: .*file.*(ENOTDIR|EEXIST)/);
});

test('variables and settings that petstore does not know are told with the nearest it does', async () => {
  const env = { PETSTORE_OUTPT: 'json', PETSTORE_QUIET: 'perhaps' };
  const user = newWorld();
  expect((await user.run(['pets', 'list'], { env })).stderr).toContain(
    'error: the variable PETSTORE_QUIET must be true or false',
  );
  expect((await user.run(['profile', 'list'], { env })).stderr).toContain(
    'warning: the variable PETSTORE_QUIET must be true or false',
  );
  const { stderr } = await user.run(['profile', 'list'], { env: { PETSTORE_OUTPT: 'json' } });
  expect(stderr).toBe(
    'warning: petstore does not know the variable PETSTORE_OUTPT; did you mean "PETSTORE_OUTPUT"?\n',
  );
});

test('a private file that others can read is not what login leaves', async () => {
  const user = newWorld();
  mkdirSync(join(user.home, '.config/petstore'), { recursive: true });
  writeFileSync(credentials(user), '{}');
  chmodSync(credentials(user), 0o644);
  await user.run(['pets', 'list', '-q']);
  expect(statSync(credentials(user)).mode & 0o777).toBe(0o600);
});
