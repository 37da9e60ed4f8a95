import { execa } from 'execa';
import { expect, test } from 'vitest';
import { startAnswering } from '../support/answers.js';
import { bareEnv, binary, newUser, node, temporaryDirectory } from '../support/petstore.js';
import { startServe } from '../support/served.js';

test('the same commands work against petstore serve', async () => {
  const user = newUser();
  const { env, baseUrl } = await startServe();
  const added = await user.run(
    ['pets', 'add', '--name', 'Max', '--category-id', '-9223372036854775808', '--json'],
    { env },
  );
  expect(JSON.parse(added.stdout)).toMatchObject({ id: 73, name: 'Max' });
  expect(added.stdout).toContain('"categoryId": -9223372036854775808');
  const listed = await user.run(['pets', 'list', '--status', 'available', '--limit', '1'], { env });
  expect(listed.stderr).toContain(
    `${new URL(baseUrl).host} · 58 of 60 requests left · resets in …`,
  );
  expect(listed.stdout).toContain('Ada');
});

test('the key travels in the Authorization header and nowhere else', async () => {
  const user = newUser();
  const { env, requests } = await startAnswering({});
  await user.run(['pets', 'list', '--status', 'sold', '--limit', '5'], { env });
  const [request] = requests;
  expect(request?.url).toBe('/v1/pets?limit=5&status=sold');
  expect(request?.headers).toEqual({
    host: expect.any(String),
    connection: 'keep-alive',
    authorization: 'Bearer pets_canary_0123456789',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': expect.stringMatching(/^petstore-cli\/\d+\.\d+\.\d+$/),
  });
});

test('serve makes a key at the first start and names it by its first characters later', async () => {
  const database = `${temporaryDirectory()}/store.db`;
  const first = await startServe('--database', database);
  expect(first.apiKey).toMatch(/^pets_[0-9a-z]{50}$/);
  expect(await first.stop()).toMatchObject({ exitCode: 0 });
  const again = await execa(node, [binary, 'serve', '--port', '0', '--database', database], {
    env: bareEnv(temporaryDirectory()),
    extendEnv: false,
    timeout: 1_500,
    killSignal: 'SIGTERM',
    reject: false,
  });
  expect(again.stdout).toContain(`keyPrefix: ${first.apiKey.slice(0, 9)}…`);
  expect(again.stdout).not.toContain(first.apiKey);
});

test('serve keeps its pets and its counts over a restart', async () => {
  const user = newUser();
  const database = `${temporaryDirectory()}/store.db`;
  const first = await startServe('--database', database);
  await user.run(['pets', 'add', '--name', 'Max', '--category-id', '1'], { env: first.env });
  await first.stop('SIGKILL');
  const second = await startServe('--database', database);
  const env = { ...second.env, PETSTORE_API_KEY: first.apiKey };
  const { stdout, stderr } = await user.run(['pets', 'get', '73', '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ name: 'Max' });
  expect(stderr).toContain('58 of 60 requests left');
});

test('serve logs a line a request, without keys', async () => {
  const user = newUser();
  const served = await startServe();
  await user.run(['pets', 'list', '--limit', '1'], { env: served.env });
  await user.run(['pets', 'get', '4000'], { env: served.env });
  const { log, exitCode } = await served.stop('SIGINT');
  expect(log.replace(/\d+ ms/g, 'N ms')).toBe('GET /v1/pets 200 N ms\nGET /v1/pets/4000 404 N ms');
  expect(exitCode).toBe(0);
});

test('the limits of the plan are in force', async () => {
  const user = newUser();
  const { env } = await startServe('--plan', 'enterprise', '--per-minute', '2', '--per-day', '100');
  for (const left of [1, 0]) {
    const { stderr } = await user.run(['pets', 'list', '--limit', '1'], { env });
    expect(stderr).toContain(`${left} of 2 requests left`);
  }
  // The same user is refused before anything is sent, another one by the service.
  for (const [who, status] of [
    [user, undefined],
    [newUser(), 429],
  ] as const) {
    const limited = await who.run(['pets', 'list', '--json', '--max-wait', '0'], { env });
    const { error } = JSON.parse(limited.stderr.trimEnd().split('\n').at(-1) as string);
    expect(error).toMatchObject({ code: 'rate_limited', exitCode: 6 });
    expect(error.status).toBe(status);
    expect(Date.parse(error.retryAt)).toBeGreaterThan(Date.now());
    expect(limited.exitCode).toBe(6);
  }
});

test.each([
  [['--port', '70000'], '--port must be a whole number from 0 to 65535'],
  [['--plan', 'gold'], '--plan must be one of free, pro, business, enterprise, not "gold"'],
  [['--per-minute', '5'], '--per-minute and --per-day need --plan enterprise'],
  [['--api-key-file', '/nowhere'], 'the file of --api-key-file cannot be read (ENOENT)'],
])('serve refuses %j', async (args, message) => {
  const { stdout, stderr, exitCode } = await newUser().run(['serve', ...args]);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toContain(`error: ${message}`);
});

test('serve says when its port is taken', async () => {
  const { origin } = await startAnswering({});
  const port = new URL(origin).port;
  const run = await newUser().run(['serve', '--database', ':memory:', '--port', port]);
  expect(run.stderr).toBe(
    `error: 127.0.0.1:${port} is in use\n  hint: --port 0 takes any free port\n`,
  );
  expect(run.exitCode).toBe(1);
});
