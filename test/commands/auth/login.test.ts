import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/canned-server.js';
import { startServeProcess } from '../../support/serve-process.js';
import { createTestCli } from '../../support/test-cli.js';

const config = (user: { home: string }) => join(user.home, '.config/petstore/config.json');
const credentials = (user: { home: string }) =>
  join(user.home, '.config/petstore/credentials.json');

test('login verifies the key, stores it for its origin and makes the profile current', async () => {
  const user = createTestCli();
  const { baseUrl, apiKey } = await startServeProcess();
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
  const user = createTestCli();
  const { baseUrl } = await startServeProcess();
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
  const { env, requests } = await startCannedServer({});
  const run = await createTestCli().run(
    ['auth', 'login', '-p', 'staging', '--base-url', env.PETSTORE_BASE_URL as string, '--with-key'],
    { input },
  );
  expect(run.exitCode).toBe(exitCode);
  if (input) expect(run.stderr).not.toContain(input);
  expect(requests).toHaveLength(0);
});

test('the sandbox takes no key', async () => {
  const run = await createTestCli().run(['auth', 'login', '--with-key'], {
    input: 'pets_0123456789abcdef',
  });
  expect(run).toMatchSnapshot();
});

test('a stored key is not sent to another origin', async () => {
  const user = createTestCli();
  const { baseUrl, apiKey } = await startServeProcess();
  await user.run(['auth', 'login', '-p', 'staging', '--base-url', baseUrl, '--with-key'], {
    input: apiKey,
  });
  const other = await startCannedServer({});
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
