import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { type CannedResponse, newClosedOrigin, startCannedServer, startRawServer } from '../support/http-server.js';
import { newUser, type Run, type RunOptions, type User } from '../support/petstore.js';
import { createFastTestCli, createTestCli } from '../support/test-cli.js';

const canary = 'pets_canary_q7Zk2VbX9mWc4TnR8sHd6JyL3fGp5Qa1E0uKwi';
const credentials = '.config/petstore/credentials.json';

/** A masked key shows nine characters. Ten in a row are a leak. */
const traces = Array.from({ length: canary.length - 9 }, (_, start) => canary.slice(start, start + 10));

function expectNoTrace(text: string, where: string): void {
  const found = traces.filter((trace) => text.includes(trace));
  expect({ where, found, ...(found.length > 0 && { text }) }).toEqual({ where, found: [] });
}

/** Checks every file in the home directory except the credentials. */
function expectNoTraceIn(home: string): void {
  for (const entry of readdirSync(home, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    expectNoTrace(path, 'a file name');
    if (!entry.isFile() || path === join(home, credentials)) continue;
    expectNoTrace(readFileSync(path, 'latin1'), path);
  }
}

function expectNoTraceInRun({ stdout, stderr }: Run, where: string): void {
  expectNoTrace(stdout, `${where}, stdout`);
  expectNoTrace(stderr, `${where}, stderr`);
}

const error = (status: number, message: string, code = 'code'): CannedResponse => ({
  status,
  body: JSON.stringify({ code, message, status }),
});

const pet = '{"id":1,"name":"Rex","categoryId":1,"status":"sold"}';

/** Responses of the service; `echoes` is true if a response contains the key. */
const responses: readonly (readonly [name: string, response: CannedResponse, echoes: boolean])[] = [
  ['pets', { body: `[${pet}]` }, false],
  ['a pet', { body: pet }, false],
  ['401', error(401, 'who are you?'), false],
  ['401 with the key', error(401, `no such key: ${canary}`, canary), true],
  ['403 with the header', error(403, `Bearer ${canary} may not`), true],
  [
    '403 that is truncated within the key',
    error(403, `${'x'.repeat(480)}${canary}`, `${'y'.repeat(80)}${canary}`),
    true,
  ],
  ['404 with the key', error(404, `nothing for ${canary}`), true],
  ['500 with the key', error(500, `broken: ${canary}`), true],
  ['a redirect with the key', { status: 302, headers: { location: `https://elsewhere.example/?key=${canary}` } }, true],
  ['headers with the key', { headers: { link: `<${canary}>`, date: canary }, body: '[]' }, true],
  ['HTML with the key', { body: `<html>${canary}</html>` }, true],
  ['a truncated list with the key', { body: `[{"id":"${canary}","x":${canary}` }, true],
];

const commands: readonly (readonly string[])[] = [
  ['pets', 'list'],
  ['pets', 'list', '--all', '--fields', 'id'],
  ['pets', 'add', '--name', 'Rex', '--category-id', '1'],
  ['pets', 'get', '1'],
  ['orders', 'list'],
  ['quota', '--refresh'],
  ['api', '/pets'],
  ['api', '/pets', '-i', '-f', 'name=Rex'],
  ['auth', 'status', '--check'],
  ['doctor'],
];

const offline: readonly (readonly string[])[] = [
  ['auth', 'status'],
  ['profile', 'list'],
  ['config', 'list'],
  ['quota'],
  ['help'],
  ['auth', 'login', '--help'],
  ['pets', 'list', '--limit', '0'],
  ['auth', 'login', `--key=${canary}`],
  ['auth', 'login', canary],
  ['serve', 'keys', 'revoke', canary],
  ['serve', 'keys', 'revoke', canary, '--yes', '--database', 'none'],
];

const formats = [[], ['--json']];
const verbose = ['-v'];

test.each(responses)('no command shows the key after %s', async (name, response, echoes) => {
  const { env, requests } = await startCannedServer(response);
  const cli = createFastTestCli();
  for (const command of commands) {
    for (const format of formats) {
      const args = [...command, ...format, ...verbose];
      const run = await cli.run(args, { env: { ...env, PETSTORE_API_KEY: canary } });
      // `api` prints the body of the service.
      const stdout = command[0] === 'api' && echoes ? '' : run.stdout;
      expectNoTraceInRun({ ...run, stdout }, `${args.join(' ')} after ${name}`);
    }
  }
  expect(requests[0]?.headers.authorization).toBe(`Bearer ${canary}`);
  expectNoTraceIn(cli.home);
});

test.each(responses)('auth login does not show the key after %s', async (name, response) => {
  const { env } = await startCannedServer(response);
  const cli = createFastTestCli();
  for (const format of formats) {
    const args = [...loginTo(env.PETSTORE_BASE_URL as string), ...format, ...verbose];
    expectNoTraceInRun(await cli.run(args, { input: canary }), `login after ${name}`);
  }
  expectNoTraceIn(cli.home);
});

test('only auth token shows a stored key', async () => {
  const { env, requests } = await startCannedServer({ body: `[${pet}]` });
  const cli = createFastTestCli();
  await cli.run(loginTo(env.PETSTORE_BASE_URL as string), { input: canary });
  await expectNoTraceInCommands(cli, [...offline, ...commands]);
  expect(requests.at(-1)?.headers.authorization).toBe(`Bearer ${canary}`);
  expect(readFileSync(join(cli.home, credentials), 'utf8')).toContain(canary);
  expectNoTraceIn(cli.home);
  const token = await cli.run(['auth', 'token', ...verbose]);
  expect(token).toEqual({ stdout: `${canary}\n`, stderr: '', exitCode: 0 });
  expectNoTraceInRun(await cli.run(['auth', 'logout', ...verbose]), 'logout');
  expect(readFileSync(join(cli.home, credentials), 'utf8')).not.toContain(canary);
});

test.each<[string, (key: string) => RunOptions['env']]>([
  ['in the environment', (key) => ({ PETSTORE_API_KEY: key })],
  ['without a base URL', (key) => ({ PETSTORE_API_KEY: key, PETSTORE_BASE_URL: '' })],
  ['within a text', (key) => ({ PETSTORE_API_KEY: `the key: ${key}` })],
  ['after Bearer', (key) => ({ PETSTORE_API_KEY: `Bearer ${key}` })],
  ['in an unknown variable', (key) => ({ PETSTORE_APIKEY: key })],
  ['in a base URL', (key) => ({ PETSTORE_BASE_URL: `https://${key}@store.example/v1` })],
  ['in a query', (key) => ({ PETSTORE_BASE_URL: `https://store.example/v1?key=${key}` })],
])('no command shows a key %s', async (_, given) => {
  const cli = createFastTestCli();
  const env = { PETSTORE_BASE_URL: `${await newClosedOrigin()}/v1`, ...given(canary) };
  await expectNoTraceInCommands(cli, [...offline, ...commands], env);
});

test.each<[string, (sent: string) => string]>([
  ['in the body', () => 'HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n[{"id":'],
  ['after the key', () => `HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n${canary}`],
  ['in the head', () => `HTTP/1.1 200 OK\r\nx-key: ${canary}`],
  ['after an echo of the request', (sent) => sent],
])('no command shows the key if a response ends %s', async (_, response) => {
  const { origin } = await startRawServer((socket, sent) => socket.end(response(sent)));
  const cli = createFastTestCli();
  const env = { PETSTORE_BASE_URL: `${origin}/v1`, PETSTORE_API_KEY: canary };
  await expectNoTraceInCommands(cli, commands, env);
});

test.each([
  ['text', []],
  ['JSON', ['--json']],
])('an unexpected error with the key does not show it in %s', async (_, format) => {
  const { env } = await startCannedServer({ body: '[]' });
  const clock = {
    ...systemClock,
    sleep: () => {
      throw new TypeError(`cannot read ${canary}`, { cause: new Error(canary) });
    },
  };
  const cli = createTestCli({ clock });
  const args = ['pets', 'list', ...format, ...verbose];
  const run = await cli.run(args, { env: { ...env, PETSTORE_API_KEY: canary } });
  expect(run.exitCode).toBe(1);
  expect(run.stderr).toContain('unexpected error');
  expectNoTraceInRun(run, 'an unexpected error');
});

test('the binary shows no key', async () => {
  const user = newUser();
  const { env } = await startCannedServer({ body: '[]' }, error(403, `${'x'.repeat(480)}${canary}`));
  const login = loginTo(env.PETSTORE_BASE_URL as string);
  const runs: Parameters<User['run']>[] = [
    [login, { input: canary }],
    [['pets', 'list']],
    [['pets', 'list', '--json']],
    [['auth', 'status', '--check', '--json']],
    [['doctor']],
    [login, { input: canary }],
    [['config', 'list'], { env: { PETSTORE_API_KEY: canary } }],
  ];
  for (const [args, options] of runs) {
    expectNoTraceInRun(await user.run([...args, ...verbose], options), args.join(' '));
  }
  expectNoTraceIn(user.home);
  expect((await user.run(['auth', 'token'])).stdout).toBe(`${canary}\n`);
});

/** Runs the commands in both formats and checks their output and the home directory. */
async function expectNoTraceInCommands(
  { home, run }: Pick<User, 'home' | 'run'>,
  commandLines: readonly (readonly string[])[],
  env = {},
): Promise<void> {
  for (const args of commandLines) {
    for (const format of formats) {
      expectNoTraceInRun(await run([...args, ...format, ...verbose], { env }), args.join(' '));
    }
  }
  expectNoTraceIn(home);
}

function loginTo(baseUrl: string): readonly string[] {
  return ['auth', 'login', '-p', 'staging', '--base-url', baseUrl, '--with-key'];
}
