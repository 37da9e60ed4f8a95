import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { fakeClock } from '../../support/clock.js';
import { temporaryDirectory } from '../../support/petstore.js';
import { createTestCli } from '../../support/test-cli.js';
import { interrupt } from '../../support/test-client.js';

test('serve responds until it shuts down gracefully', async () => {
  const cli = createTestCli();
  const serving = await cli.start(['serve', '--port', '0', '--database', ':memory:', '--json']);
  const { baseUrl, apiKey } = JSON.parse(serving.stdout);
  const env = { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: apiKey };
  const list = await createTestCli().run(['pets', 'list', '--limit', '1', '--no-header'], { env });
  expect(list.stdout).toBe('1  Ada  1  available\n');
  const ended = await serving.end(interrupt);
  expect(ended.exitCode).toBe(0);
  expect(ended.stderr).toMatch(/^\S+Z GET \/v1\/pets 200 \d+ ms \S{36} \S+\n$/);
  expect(ended.stderr.trimEnd().endsWith(` ${apiKey.slice(0, 9)}`)).toBe(true);
});

test('serve on all addresses prints URLs that clients on this machine can use', async () => {
  const args = 'serve --port 0 --metrics-port 0 --host 0.0.0.0 --database :memory:';
  const cli = createTestCli();
  await cli.run(['profile', 'set', 'local', '--base-url', 'http://127.0.0.1:4999/v1']);
  const serving = await cli.start(args.split(' '));
  const { stdout, stderr } = await serving.end(interrupt);
  expect(stdout).toMatch(/http:\/\/127\.0\.0\.1:\d+\/v1\n.*http:\/\/127\.0\.0\.1:\d+\/metrics\n/s);
  // The profile `local` belongs to another server.
  expect(stderr).toMatch(/--profile local-2 --base-url http:\/\/127\.0\.0\.1:\d+\/v1\n/);
  expect(stderr).toContain('open http://127.0.0.1:');
});

test('serve and its subcommands read their flags from variables', async () => {
  const path = join(temporaryDirectory(), 'served.db');
  const env = { PETSTORE_SERVE_PORT: '0', PETSTORE_SERVE_DATABASE: path, PETSTORE_SERVE_PLAN: 'pro' };
  const cli = createTestCli({ env });
  const serving = await cli.start(['serve', '--json']);
  const { baseUrl, database } = JSON.parse(serving.stdout);
  expect(baseUrl).not.toContain(':4010');
  expect(database).toBe(path);
  const [key] = JSON.parse((await cli.run(['serve', 'keys', 'list', '--json'])).stdout);
  expect(key).toMatchObject({ plan: 'pro' });
  expect(await serving.end(interrupt)).toMatchObject({ stderr: '', exitCode: 0 });
});

test('serve names the variable of an invalid value', async () => {
  const run = await createTestCli().run(['serve'], { env: { PETSTORE_SERVE_PORT: '99999' } });
  expect(run).toMatchObject({ stdout: '', exitCode: 2 });
  expect(run.stderr).toContain('the environment variable PETSTORE_SERVE_PORT is invalid: --port must be');
});

test('serve --log json prints its warnings as JSON and nothing else', async () => {
  const args = 'serve --port 0 --host 0.0.0.0 --database :memory: --log json';
  const serving = await createTestCli().start(args.split(' '));
  const { stderr } = await serving.end(interrupt);
  expect(JSON.parse(stderr)).toEqual({
    time: expect.any(String),
    level: 'warning',
    message: 'the server accepts unencrypted requests from other machines at 0.0.0.0',
  });
});

test('serve --log json warns of a readable API key as JSON', async () => {
  const file = join(temporaryDirectory(), 'key.txt');
  writeFileSync(file, `pets_${'1'.repeat(50)}\n`, { mode: 0o644 });
  const args = ['serve', '--port', '0', '--database', ':memory:', '--api-key-file', file];
  const env = { PETSTORE_SERVE_LOG: 'json' };
  const serving = await createTestCli().start(args, { env });
  const { stderr } = await serving.end(interrupt);
  const time = expect.any(String);
  expect(
    stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    {
      time,
      level: 'warning',
      message: `every user of this machine can read the API key in --api-key-file (${file})`,
    },
  ]);
});

test('serve warns if the key in --api-key-file was revoked, and keeps rejecting it', async () => {
  const cli = createTestCli();
  const key = `pets_${'1'.repeat(50)}`;
  const file = join(temporaryDirectory(), 'key.txt');
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  const start = () => cli.start(['serve', '--port', '0', '--json', '--api-key-file', file]);
  const statusOf = async ({ stdout }: { readonly stdout: string }) => {
    const headers = { authorization: `Bearer ${key}`, connection: 'close' };
    return (await fetch(`${JSON.parse(stdout).baseUrl}/pets`, { headers })).status;
  };
  const first = await start();
  expect(await statusOf(first)).toBe(200);
  await first.end(interrupt);
  await cli.run(['serve', 'keys', 'revoke', 'pets_1111', '--yes']);
  const second = await start();
  expect(await statusOf(second)).toBe(401);
  const { stderr } = await second.end(interrupt);
  expect(stderr).toContain('! the API key in --api-key-file was revoked: requests with this key get 401\n');
});

test('serve warns if the key in --api-key-file has expired', async () => {
  const cli = createTestCli();
  const file = join(temporaryDirectory(), 'key.txt');
  writeFileSync(file, `pets_${'1'.repeat(50)}\n`, { mode: 0o600 });
  const start = () => cli.start(['serve', '--port', '0', '--json', '--api-key-file', file]);
  expect(await (await start()).end(interrupt)).toMatchObject({ stderr: '' });
  await cli.run(['serve', 'keys', 'rotate', 'pets_1111', '--overlap', '0s', '--json']);
  const { stderr } = await (await start()).end(interrupt);
  expect(stderr).toBe('! the API key in --api-key-file has expired: requests with this key get 401\n');
});

test('serve --drain responds until the time is over', async () => {
  const clock = fakeClock();
  const serving = await createTestCli({ clock }).start(
    'serve --port 0 --database :memory: --drain 30 --json'.split(' '),
  );
  const { baseUrl, apiKey } = JSON.parse(serving.stdout);
  // The end waits for idle connections.
  const headers = { authorization: `Bearer ${apiKey}`, connection: 'close' };
  const statusOf = async (path: string) => (await fetch(new URL(path, baseUrl), { headers })).status;
  expect(await statusOf('/readyz')).toBe(200);
  const ended = serving.end(interrupt);
  await vi.waitFor(async () => expect(await statusOf('/readyz')).toBe(503), { timeout: 30_000 });
  expect(await statusOf('/v1/pets')).toBe(200);
  clock.advance(29_999);
  expect(await statusOf('/v1/pets')).toBe(200);
  clock.advance(1);
  const { exitCode, stderr } = await ended;
  expect(exitCode).toBe(0);
  expect(stderr).toContain('info: draining for 30 s: GET /readyz responds with 503');
  await expect(statusOf('/livez')).rejects.toThrow();
});
