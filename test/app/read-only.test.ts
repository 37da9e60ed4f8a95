import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { createTestCli, type TestCli } from '../support/test-cli.js';

const readOnly = { PETSTORE_READ_ONLY: '1' };

async function guardedProfile(): Promise<{ cli: TestCli; server: Awaited<ReturnType<typeof startCannedServer>> }> {
  const server = await startCannedServer({ body: '[]' });
  const cli = createTestCli({ env: { PETSTORE_API_KEY: server.env.PETSTORE_API_KEY ?? '', PETSTORE_PROFILE: 'acme' } });
  const url = server.env.PETSTORE_BASE_URL ?? '';
  await cli.run(['profile', 'set', 'acme', '--base-url', url, '--read-only', '-q']);
  return { cli, server };
}

test.each([
  ['pets add', ['pets', 'add', '--name', 'Rex', '--category-id', '7']],
  ['pets add without values', ['pets', 'add']],
  ['pets import', ['pets', 'import', 'missing.csv', '--yes']],
  ['api -X POST', ['api', '/pets', '-X', 'POST', '--input', 'missing.json']],
  ['api -f', ['api', '/pets', '-f', 'name=Rex']],
  ['api -X DELETE', ['api', '/pets/1', '-X', 'delete']],
])('a read-only profile rejects %s before anything is read or sent', async (_, args) => {
  const { cli, server } = await guardedProfile();
  const run = await cli.run([...args, '--json']);
  expect({ ...run, stderr: JSON.parse(run.stderr) }).toEqual({
    stdout: '',
    stderr: {
      error: {
        code: 'read_only',
        message: 'profile acme is read-only; nothing was sent',
        hint: 'pass another --profile, or run petstore profile set acme --no-read-only to allow changes',
        exitCode: 2,
      },
    },
    exitCode: 2,
  });
  expect(server.requests).toEqual([]);
});

test.each([
  ['pets list', ['pets', 'list']],
  ['api -X HEAD', ['api', '/pets', '-X', 'HEAD']],
  ['pets add --curl', ['pets', 'add', '--name', 'Rex', '--category-id', '7', '--curl']],
])('a read-only profile allows %s', async (_, args) => {
  const { cli } = await guardedProfile();
  expect((await cli.run(args)).exitCode).toBe(0);
});

test('profile set --no-read-only allows changes again, and PETSTORE_READ_ONLY overrides the profile', async () => {
  const cli = createTestCli();
  const add = async (env = {}) => {
    const run = await cli.run(['pets', 'add', '--name', 'Rex', '--category-id', '7', '--json', '-q'], { env });
    return run.exitCode === 0 ? 'added' : JSON.parse(run.stderr).error;
  };
  await cli.run(['profile', 'set', 'sandbox', '--read-only']);
  expect((await add()).message).toBe('profile sandbox is read-only; nothing was sent');
  expect((await add({ PETSTORE_READ_ONLY: '' })).code).toBe('read_only');
  expect(await add({ PETSTORE_READ_ONLY: '0' })).toBe('added');
  await cli.run(['profile', 'set', 'sandbox', '--no-read-only']);
  expect(readFileSync(join(cli.home, '.config/petstore/config.json'), 'utf8')).not.toContain('readOnly');
  expect(await add()).toBe('added');
  expect(await add(readOnly)).toMatchObject({
    message: 'PETSTORE_READ_ONLY is set, so no data can be changed; nothing was sent',
    hint: 'unset PETSTORE_READ_ONLY to allow changes',
  });
  expect((await add({ PETSTORE_READ_ONLY: 'maybe' })).code).toBe('invalid_setting');
});

test('any value that a person writes into the file makes a profile read-only', async () => {
  const cli = createTestCli();
  await cli.run(['profile', 'set', 'staging', '-o', 'json']);
  const path = join(cli.home, '.config/petstore/config.json');
  writeFileSync(path, JSON.stringify({ profiles: { sandbox: { readOnly: 'yes' } } }));
  expect((await cli.run(['api', '/pets', '-f', 'name=Rex'])).exitCode).toBe(2);
});

test('profile list, auth status and doctor show that a profile is read-only', async () => {
  const { cli } = await guardedProfile();
  expect((await cli.run(['profile', 'list'])).stdout).toMatch(/key +readOnly\nsandbox .* no\n(.*\n)+acme .* yes\n$/);
  expect((await cli.run(['auth', 'status'])).stdout).toContain('readOnly: yes\n');
  expect((await cli.run(['doctor'])).stdout).toMatch(/✓ profile +acme, base URL \S+, read-only\n/);
  const env = { ...readOnly, PETSTORE_PROFILE: 'sandbox' };
  const all = JSON.parse((await cli.run(['profile', 'list', '--json'], { env })).stdout);
  expect(all.map((one: { readOnly: boolean }) => one.readOnly)).toEqual([true, true, true, true]);
  expect((await cli.run(['doctor'], { env })).stdout).toContain('sandbox, read-only because of PETSTORE_READ_ONLY');
});

test('an invalid PETSTORE_READ_ONLY does not allow changes', async () => {
  const cli = createTestCli();
  const run = await cli.run(['api', '/pets', '-f', 'name=Rex'], { env: { PETSTORE_READ_ONLY: 'maybe' } });
  expect(run.stderr).toContain('error: the environment variable PETSTORE_READ_ONLY must be 1 or 0');
  expect(run.exitCode).toBe(2);
});
