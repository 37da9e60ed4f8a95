import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/canned-server.js';
import { createTestCli, type TestCli } from '../../support/test-cli.js';

const key = 'pets_0123456789abcdefghijklmnopqrstuvwxyz';

async function loggedIn(world: TestCli): Promise<string> {
  const { env } = await startCannedServer({});
  const baseUrl = env.PETSTORE_BASE_URL as string;
  const login = ['auth', 'login', '-p', 'staging', '--base-url', baseUrl, '--with-key'];
  expect((await world.run(login, { input: key })).exitCode).toBe(0);
  return baseUrl;
}

test('status tells key, source and storage, and sends nothing', async () => {
  const world = createTestCli();
  const { env, requests } = await startCannedServer({});
  const baseUrl = env.PETSTORE_BASE_URL as string;
  const fromFile = join(world.home, '.config/petstore/credentials.json');
  await loggedIn(world);
  const { stdout } = await world.run(['auth', 'status', '--json']);
  expect(JSON.parse(stdout)).toEqual({
    profile: 'staging',
    baseUrl: expect.stringContaining('http://127.0.0.1'),
    key: 'pets_…wxyz',
    source: 'the stored key of profile staging',
    storage: fromFile,
  });
  const given = await world.run(['auth', 'status', '--json'], {
    env: { PETSTORE_API_KEY: `${key}2`, PETSTORE_BASE_URL: baseUrl },
  });
  expect(JSON.parse(given.stdout)).toMatchObject({ key: 'pets_…xyz2', source: 'PETSTORE_API_KEY' });
  expect(requests).toHaveLength(0);
});

test('status of a profile without a key shows what is known and is exit 3', async () => {
  const world = createTestCli();
  await world.run(['profile', 'set', 'staging', '--base-url', 'https://x.example/v1']);
  const run = await world.run(['auth', 'status', '-p', 'staging', '--json']);
  expect(JSON.parse(run.stdout)).toMatchObject({ profile: 'staging', key: null });
  expect(run.exitCode).toBe(3);
});

test.each([
  [200, true, 0],
  [401, false, 3],
])('status --check spends one request: %d is valid %s', async (status, valid, exitCode) => {
  const body = status === 200 ? '[]' : '{"code":"c","message":"no","status":401}';
  const { env, requests } = await startCannedServer({ status, body });
  const run = await createTestCli().run(['auth', 'status', '--check', '--json'], { env });
  expect(JSON.parse(run.stdout)).toMatchObject({ valid });
  expect(run.exitCode).toBe(exitCode);
  expect(requests).toHaveLength(1);
});

test('token prints the key and nothing else', async () => {
  const world = createTestCli();
  await loggedIn(world);
  expect(await world.run(['auth', 'token'])).toEqual({
    stdout: `${key}\n`,
    stderr: '',
    exitCode: 0,
  });
  expect((await world.run(['auth', 'token', '--json'])).stdout).toBe(`{\n  "token": "${key}"\n}\n`);
});

test('logout forgets the key, and says what remains', async () => {
  const world = createTestCli();
  await loggedIn(world);
  const env = { PETSTORE_API_KEY: 'pets_from_the_environment' };
  const run = await world.run(['auth', 'logout'], { env });
  expect(run.stderr).toBe(
    'the key of profile staging is forgotten\nwarning: PETSTORE_API_KEY still gives a key\n',
  );
  const file = join(world.home, '.config/petstore/credentials.json');
  expect(readFileSync(file, 'utf8')).not.toContain(key);
  expect((await world.run(['pets', 'list'])).exitCode).toBe(3);
  expect((await world.run(['auth', 'logout'])).stderr).toBe('profile staging has no stored key\n');
  expect((await world.run(['auth', 'logout', '-p', 'sandbox'])).exitCode).toBe(2);
});

test('PETSTORE_API_KEY_FILE names a file with the key', async () => {
  const world = createTestCli();
  const path = join(world.home, 'key.txt');
  writeFileSync(path, `${key}\n`);
  const { env, requests } = await startCannedServer({});
  const { PETSTORE_BASE_URL = '' } = env;
  await world.run(['pets', 'list'], { env: { PETSTORE_BASE_URL, PETSTORE_API_KEY_FILE: path } });
  expect(requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
  const missing = await world.run(['pets', 'list'], {
    env: { PETSTORE_BASE_URL, PETSTORE_API_KEY_FILE: `${path}2` },
  });
  expect(missing.stderr).toContain('the file of PETSTORE_API_KEY_FILE cannot be read (ENOENT)');
  expect(missing.exitCode).toBe(2);
});

test('a login after another replaces the key', async () => {
  const world = createTestCli();
  const baseUrl = await loggedIn(world);
  const login = ['auth', 'login', '-p', 'staging', '--base-url', baseUrl, '--with-key'];
  await world.run(login, { input: `${key}second` });
  expect((await world.run(['auth', 'token'])).stdout).toBe(`${key}second\n`);
  expect(existsSync(join(world.home, '.config/petstore/credentials.json.lock'))).toBe(false);
});
