import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/http-server.js';
import { startServeProcess } from '../../support/serve-process.js';
import { createTestCli, type TestCli } from '../../support/test-cli.js';

const key = 'pets_0123456789abcdefghijklmnopqrstuvwxyz';

const configFile = (cli: TestCli, name: string) => join(cli.home, '.config/petstore', name);

function logIn(cli: TestCli, baseUrl = '', input = key) {
  const args = ['auth', 'login', '-p', 'staging', '--base-url', baseUrl, '--with-key'];
  return cli.run(args, { input });
}

test('login verifies the key, stores it for its origin and makes the profile current', async () => {
  const cli = createTestCli();
  const { baseUrl, apiKey } = await startServeProcess();
  const login = await logIn(cli, baseUrl, `  ${apiKey}\n`);
  expect(login.exitCode).toBe(0);
  expect(login.stderr).toContain(`✓ Logged in to staging at ${new URL(baseUrl).origin} with API key pets_…`);
  expect(login.stderr).toContain('The current profile is now staging.');
  expect(login.stderr + login.stdout).not.toContain(apiKey);
  expect(statSync(configFile(cli, 'credentials.json')).mode & 0o777).toBe(0o600);
  const list = await cli.run(['pets', 'list', '--limit', '1', '--no-header']);
  expect(list.stdout).toContain('Ada');
  expect(list.stderr).toContain('staging · 58 of 60 requests left');
  const other = await startCannedServer({});
  const otherUrl = ['--base-url', `${other.origin}/v1`];
  expect((await cli.run(['pets', 'list', ...otherUrl])).exitCode).toBe(3);
  expect((await cli.run(['profile', 'set', 'staging', ...otherUrl])).exitCode).toBe(0);
  expect((await cli.run(['pets', 'list'])).exitCode).toBe(3);
  expect(other.requests).toHaveLength(0);
  const removed = await cli.run(['profile', 'remove', 'staging', '--yes']);
  expect(removed.stderr).toBe('✓ Reset profile staging and deleted its API key\n');
  expect(readFileSync(configFile(cli, 'credentials.json'), 'utf8')).not.toContain(apiKey);
});

test('login asks before it replaces the base URL of a profile, and says what it replaced', async () => {
  const cli = createTestCli();
  const { origin, requests } = await startCannedServer({});
  await cli.run(['profile', 'set', 'staging', '--base-url', 'https://x.example/v1']);
  const refused = await logIn(cli, `${origin}/v1`);
  expect(refused).toMatchObject({ stdout: '', exitCode: 2 });
  expect(refused.stderr).toContain('profile staging has another base URL: https://x.example/v1');
  expect(requests).toHaveLength(0);
  const args = ['auth', 'login', '-p', 'staging', '--base-url', `${origin}/v1`, '--with-key', '--yes'];
  const login = await cli.run(args, { input: key });
  expect(login.stderr).toContain('Replaced the base URL https://x.example/v1. The API key is saved in ');
  expect((await cli.run(args, { input: `${key}2` })).stderr).toContain('Replaced the API key pets_…wxyz. ');
  expect((await cli.run(['auth', 'token'])).stdout).toBe(`${key}2\n`);
  expect((await cli.run(['auth', 'token', '--json'])).stdout).toBe(`{\n  "token": "${key}2"\n}\n`);
});

test('a login with a banned key says once when the ban ends', async () => {
  const headers = {
    'retry-after': '300',
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + 300),
  };
  const { env } = await startCannedServer({ status: 429, headers });
  const { stderr, exitCode } = await logIn(createTestCli(), env.PETSTORE_BASE_URL);
  expect(stderr.match(/\d+m( \d+s)?/g)).toHaveLength(1);
  expect(exitCode).toBe(6);
});

test('login creates the profile that -p and --base-url name, and says so', async () => {
  const cli = createTestCli();
  const { origin } = await startCannedServer({});
  const baseUrl = `${origin}/v1`;
  const args = ['auth', 'login', '-p', 'stagin', '--with-key'];
  const unknown = await cli.run(args, { input: key });
  expect(unknown.stderr).toBe(
    'error: unknown profile "stagin"\n  hint: pass --base-url <url> to create the profile; did you mean "staging"?\n',
  );
  expect(unknown.exitCode).toBe(2);
  const login = await cli.run([...args, '--base-url', baseUrl], { input: key });
  expect(login.stderr).toContain('Created profile stagin. The API key is saved in ');
  const { stdout } = await cli.run(['auth', 'status', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ profile: 'stagin', baseUrl, key: 'pets_…wxyz' });
});

test.each([
  ['a.b', 2],
  ['acme', 3],
])('login to %s changes nothing if the name is invalid or the service rejects the key', async (name, exitCode) => {
  const cli = createTestCli();
  const { origin } = await startCannedServer({ status: 401, body: '{"code":"c","message":"no","status":401}' });
  const args = ['auth', 'login', '--with-key', '--base-url', `${origin}/v1`];
  expect((await cli.run([...args, '-p', name], { input: key })).exitCode).toBe(exitCode);
  expect(existsSync(configFile(cli, 'config.json'))).toBe(false);
  expect(existsSync(configFile(cli, 'credentials.json'))).toBe(false);
});

test.each([
  ['', 3],
  ['two words', 2],
  ['Bearer pets_0123456789', 2],
  ['schlüssel_0123456789', 2],
  ['pets_with_a…dot', 2],
])('login rejects the key %j without a request', async (input, exitCode) => {
  const { env, requests } = await startCannedServer({});
  const run = await logIn(createTestCli(), env.PETSTORE_BASE_URL, input);
  expect(run.exitCode).toBe(exitCode);
  if (input) expect(run.stderr).not.toContain(input);
  expect(requests).toHaveLength(0);
});

test('login rejects a key for the sandbox', async () => {
  expect(await createTestCli().run(['auth', 'login', '--with-key'], { input: key })).toEqual({
    stdout: '',
    stderr:
      'error: cannot log in to the sandbox, which creates its own API key\n' +
      '  hint: pass --profile staging or --profile production\n',
    exitCode: 2,
  });
});

test('logout deletes the key and warns about another in the environment', async () => {
  const cli = createTestCli();
  const server = await startCannedServer({});
  await logIn(cli, server.env.PETSTORE_BASE_URL);
  const env = { PETSTORE_API_KEY: 'pets_from_the_environment' };
  expect((await cli.run(['auth', 'logout'], { env })).stderr).toBe(
    '✓ Logged out of staging and deleted its API key\n' +
      '! PETSTORE_API_KEY still provides an API key; unset the variable to log out completely\n',
  );
  expect(readFileSync(configFile(cli, 'credentials.json'), 'utf8')).not.toContain(key);
  expect((await cli.run(['pets', 'list'])).exitCode).toBe(3);
  expect((await cli.run(['auth', 'logout'])).stderr).toBe('Profile staging has no saved API key.\n');
  expect(await cli.run(['auth', 'logout', '-p', 'sandbox'])).toEqual({
    stdout: '',
    stderr: 'error: cannot log out of the sandbox; pass --profile <name>\n',
    exitCode: 2,
  });
});

test('login warns about another key in the environment', async () => {
  const { env } = await startCannedServer({ body: '[]' });
  const cli = createTestCli({ env: { PETSTORE_API_KEY: 'pets_from_the_environment' } });
  expect((await logIn(cli, env.PETSTORE_BASE_URL)).stderr).toContain(
    '! PETSTORE_API_KEY overrides the saved API key; unset the variable to use the saved API key\n',
  );
});

test('status prints the key, its source and its storage without a request', async () => {
  const cli = createTestCli();
  const { env, requests } = await startCannedServer({});
  await logIn(cli, env.PETSTORE_BASE_URL);
  const { stdout } = await cli.run(['auth', 'status', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    profile: 'staging',
    baseUrl: env.PETSTORE_BASE_URL,
    readOnly: false,
    key: 'pets_…wxyz',
    source: 'the saved API key of profile staging',
    storage: configFile(cli, 'credentials.json'),
  });
  const given = await cli.run(['auth', 'status', '--json'], {
    env: { ...env, PETSTORE_API_KEY: `${key}2` },
  });
  expect(JSON.parse(given.stdout)).toMatchObject({ key: 'pets_…xyz2', source: 'PETSTORE_API_KEY' });
  expect(requests).toHaveLength(1);
});

test('status --check shows the API key of the sandbox that it has created', async () => {
  const { stdout } = await createTestCli().run(['auth', 'status', '--check', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    key: expect.stringMatching(/^pets_…/),
    source: 'the sandbox',
    valid: true,
  });
});

test('status of a profile without a key exits with 3', async () => {
  const cli = createTestCli();
  await cli.run(['profile', 'set', 'staging', '--base-url', 'https://x.example/v1']);
  const run = await cli.run(['auth', 'status', '-p', 'staging', '--json']);
  expect(JSON.parse(run.stdout)).toMatchObject({ profile: 'staging', key: null });
  expect(run.exitCode).toBe(3);
});

test.each([
  [200, true, 0],
  [401, false, 3],
])('status --check sends one request: after %d valid is %s', async (status, valid, exitCode) => {
  const body = status === 200 ? '[]' : '{"code":"c","message":"no","status":401}';
  const { env, requests } = await startCannedServer({ status, body });
  const run = await createTestCli().run(['auth', 'status', '--check', '--json'], { env });
  expect(JSON.parse(run.stdout)).toMatchObject({ valid });
  expect(run.exitCode).toBe(exitCode);
  expect(requests).toHaveLength(1);
});

test('PETSTORE_API_KEY_FILE names a file with the key', async () => {
  const cli = createTestCli();
  const path = join(cli.home, 'key.txt');
  writeFileSync(path, `${key}\n`);
  const { env, requests } = await startCannedServer({});
  const { PETSTORE_BASE_URL = '' } = env;
  await cli.run(['pets', 'list'], { env: { PETSTORE_BASE_URL, PETSTORE_API_KEY_FILE: path } });
  expect(requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  const missing = await cli.run(['pets', 'list'], {
    env: { PETSTORE_BASE_URL, PETSTORE_API_KEY_FILE: `${path}2` },
  });
  expect(missing.stderr).toContain('cannot read the file in PETSTORE_API_KEY_FILE (ENOENT)');
  expect(missing.exitCode).toBe(2);
  chmodSync(path, 0o666);
  const exposed = await cli.run(['pets', 'list'], { env: { PETSTORE_BASE_URL, PETSTORE_API_KEY_FILE: path } });
  expect(exposed.stderr).toContain('error: the file in PETSTORE_API_KEY_FILE is writable by other users\n');
  expect([exposed.exitCode, requests.length]).toEqual([1, 1]);
});
