import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeClock } from '../support/clock.js';
import { startCannedServer } from '../support/http-server.js';
import { startServeProcess } from '../support/serve-process.js';
import { createTestCli } from '../support/test-cli.js';

test.each([
  [['pets', 'list', '--limit', '0'], '--limit must be a whole number from 1 to 1000000'],
  [['pets', 'list', '--status', 'gone'], '--status must be one of available, pending, sold'],
  [
    ['pets', 'list', '--fields', 'id,nme'],
    'unknown field "nme" in --fields; the fields are id, name, categoryId, status',
  ],
  [['pets', 'list', '--timeout', '0'], '--timeout must be a number of seconds'],
  [['pets', 'get', '007'], 'the id of a pet must be a non-negative 64-bit integer'],
  [['pets', 'add', '--name', 'Rex'], 'the category id is missing\n  hint: pass --category-id'],
  [['pets', 'add', '--name', ' ', '--category-id', '1'], '--name must not be blank'],
  [['pets', 'add', '--name', 'Rex', '--category-id', '9223372036854775808'], '--category-id must be'],
  [['pets', 'list', '--profile', 'prod'], 'unknown profile "prod"'],
  [['pets', 'list', '--profile', 'staging'], 'profile staging has no base URL'],
  [['pets', 'list', '--base-url', 'ftp://x/v1'], 'the base URL must be an absolute http or https URL'],
  [['pets', 'list', '--curl', '--profile', 'sandbox'], 'the sandbox has no HTTP endpoint for curl'],
  [['pets', 'list', '--curl', '--watch'], '--curl cannot show --watch'],
  [['pets', 'list', '--curl', '--jq', '.'], 'cannot apply --jq, because this command prints no JSON'],
  [['serve', '--host', ''], '--host must name an address'],
])('%j is a usage error and sends nothing', async (args, message) => {
  const { env, requests } = await startCannedServer({});
  const isAddressed = args.includes('--base-url') || args.includes('--profile');
  const run = await createTestCli().run(args, { env: isAddressed ? {} : env });
  expect(run).toMatchObject({ stdout: '', exitCode: 2 });
  expect(run.stderr).toContain(message);
  expect(requests).toHaveLength(0);
});

test('an invalid PETSTORE_BASE_URL is a usage error', async () => {
  const run = await createTestCli().run(['pets', 'list'], { env: { PETSTORE_BASE_URL: 'bad' } });
  expect(run).toMatchObject({ stdout: '', exitCode: 2 });
  expect(run.stderr).toContain('error: the base URL in PETSTORE_BASE_URL must be an absolute http or https URL');
});

test('the error for a rejected key names its source without showing it', async () => {
  const { baseUrl } = await startServeProcess();
  const key = 'pets_not_the_right_one_0123456789';
  const env = { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: key };
  const run = await createTestCli().run(['pets', 'list', '--verbose'], { env });
  expect(run.exitCode).toBe(3);
  expect(run.stderr).toContain('check PETSTORE_API_KEY, or unset it and run petstore auth login');
  expect(run.stdout + run.stderr).not.toContain(key);
});

test('a key in the environment is not used for the sandbox unless the profile is set', async () => {
  const env = { PETSTORE_API_KEY: 'pets_of_another_service' };
  expect(await createTestCli().run(['pets', 'list'], { env })).toMatchInlineSnapshot(`
    --- stderr
    error: PETSTORE_API_KEY is set, but no profile or base URL is selected; nothing was sent
      hint: set PETSTORE_PROFILE or PETSTORE_BASE_URL, or pass --profile sandbox to use the sample pets
    --- exit 2
  `);
  const chosen = await createTestCli().run(['pets', 'list', '-p', 'sandbox', '--limit', '1'], { env });
  expect(chosen.exitCode).toBe(0);
});

test('a missing key exits with 3 and a hint', async () => {
  const env = { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' };
  const run = await createTestCli().run(['pets', 'list'], { env });
  expect(run).toMatchInlineSnapshot(`
    --- stderr
    error: no API key is available for this base URL
      hint: set PETSTORE_API_KEY, or run petstore auth login --profile <name> --base-url http://127.0.0.1:1/v1
    --- exit 3
  `);
});

test('the sandbox serves requests in this process', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  expect(await cli.run(['pets', 'list', '--limit', '2'])).toMatchSnapshot();
  expect(await cli.run(['pets', 'add', '--name', 'Rex', '--category-id', '7'])).toMatchSnapshot();
  expect(await cli.run(['pets', 'get', '73', '-o', 'yaml'])).toMatchSnapshot();
});

test('the quota resets at the end of its window', async () => {
  const clock = fakeClock();
  const cli = createTestCli({ clock });
  const left = async () => /(\d+) of 60/.exec((await cli.run(['pets', 'list'])).stderr)?.[1];
  expect([await left(), await left()]).toEqual(['59', '58']);
  clock.advance(60_000);
  expect(await left()).toBe('59');
});

test('an exhausted sandbox exits with 6 and the retry time', async () => {
  const clock = fakeClock();
  const cli = createTestCli({ clock });
  const list = async () => {
    const run = await cli.run(['pets', 'list', '--json', '--max-wait', '30']);
    return { ...run, stderr: JSON.parse(run.stderr.trimEnd().split('\n').at(-1) as string) };
  };
  const limited = {
    code: 'rate_limited',
    hint: 'run petstore sandbox plan enterprise to raise the limits, or pass --max-wait 60 to wait',
    exitCode: 6,
    retryAt: '2026-11-21T12:01:00.000Z',
    next: ['petstore pets list --json --max-wait 30 --profile sandbox --max-wait 60'],
  };
  for (let count = 0; count < 60; count += 1) await cli.run(['pets', 'list', '-q']);
  clock.advance(18_000);
  const message = 'no requests are left in this window; nothing was sent';
  expect(await list()).toEqual({
    stdout: '',
    stderr: { error: { ...limited, message } },
    exitCode: 6,
  });
  // Without quota state, the sandbox itself rate limits the request.
  rmSync(join(cli.home, '.local/state/petstore/quota'), { recursive: true });
  const response = { message: 'the rate limit is exceeded (HTTP 429)', status: 429 };
  expect(await list()).toEqual({
    stdout: '',
    stderr: { error: { ...limited, ...response } },
    exitCode: 6,
  });
});

test('a message of the service is escaped', async () => {
  const body = JSON.stringify({
    code: 'no\u001b[31m',
    message: 'a\u001b]0;x\u0007b\nc',
    status: 400,
  });
  const { env } = await startCannedServer({ status: 400, body });
  const run = await createTestCli({ columns: 80 }).run(['pets', 'list', '--no-color'], { env });
  expect(run.stderr).toBe('error: a\\u001b]0;x\\u0007b\\u000ac (HTTP 400)\n');
});

test('a damaged sandbox fails with its path and a hint', async () => {
  const cli = createTestCli();
  const directory = join(cli.home, '.local/share/petstore/sandbox');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'store.db'), 'this is no database, but long enough to look like one');
  const run = await cli.run(['pets', 'list']);
  expect(run.stderr).toContain(`error: the database ${directory}/store.db cannot be used`);
  expect(run.stderr).toContain('hint: check that the directory exists');
  expect(run.exitCode).toBe(1);
});

test('a quota store that cannot be written causes one warning', async () => {
  const cli = createTestCli();
  mkdirSync(join(cli.home, '.local/state'), { recursive: true });
  writeFileSync(join(cli.home, '.local/state/petstore'), 'in the way');
  const run = await cli.run(['pets', 'list', '--limit', '1', '--no-header']);
  expect(run.stdout).toBe('1  Ada  1  available\n');
  expect(run.stderr.match(/! cannot use the quota state/g)).toHaveLength(1);
  expect(run.exitCode).toBe(0);
});

test('a quota state that cannot be read causes one warning that does not speak of saving', async () => {
  const cli = createTestCli();
  await cli.run(['pets', 'list']);
  const directory = join(cli.home, '.local/state/petstore/quota');
  for (const name of readdirSync(directory)) {
    rmSync(join(directory, name));
    mkdirSync(join(directory, name));
  }
  const run = await cli.run(['pets', 'list', '--limit', '1']);
  expect(run.stderr.match(/^! .*/gm)).toEqual([expect.stringMatching(/^! cannot use the quota state in (?!.*save)/)]);
  expect(run.exitCode).toBe(0);
});
