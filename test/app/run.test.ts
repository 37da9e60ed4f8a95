import { expect, test } from 'vitest';
import { type CannedResponse, startCannedServer } from '../support/http-server.js';
import type { Run } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { createFastTestCli, createTestCli } from '../support/test-cli.js';

/** Returns the error object in the last line of stderr. */
function errorOf({ stderr }: Run): Record<string, unknown> {
  return (JSON.parse(stderr.trimEnd().split('\n').at(-1) as string) as { error: never }).error;
}

test.each<[string, CannedResponse, number, string]>([
  ['401', errorResponse(401, 'unauthorized'), 3, 'unauthorized'],
  ['403', errorResponse(403, 'forbidden'), 3, 'forbidden'],
  ['404', errorResponse(404, 'not_found'), 4, 'not_found'],
  ['410', errorResponse(410, 'gone'), 4, 'gone'],
  ['400', errorResponse(400, 'invalid_request'), 5, 'invalid_request'],
  ['422', errorResponse(422, 'unprocessable'), 5, 'unprocessable'],
  ['429', errorResponse(429, 'rate_limited', { 'retry-after': '60' }), 6, 'rate_limited'],
  ['500', errorResponse(500, 'internal_error'), 7, 'internal_error'],
  ['a redirect', { status: 302, headers: { location: 'https://example.com/' } }, 7, 'redirected'],
  ['a web page', { body: '<html>', headers: { 'content-type': 'text/html' } }, 7, 'invalid_response'],
  ['an empty body', { body: '' }, 7, 'invalid_response'],
  ['a record instead of a list', { body: '{}' }, 7, 'invalid_response'],
])('%s causes an exit code, one line on stderr and nothing on stdout', async (_, response, exitCode, code) => {
  const user = createFastTestCli();
  const { env } = await startCannedServer(response);
  const machine = await user.run(['pets', 'list', '--json', '--quiet'], { env });
  expect(machine.stdout).toBe('');
  expect(machine.exitCode).toBe(exitCode);
  expect(machine.stderr.split('\n')).toHaveLength(2);
  expect(errorOf(machine)).toMatchObject({ code, exitCode });
  const human = await user.run(['pets', 'list'], { env });
  expect(human.exitCode).toBe(exitCode);
  expect(human.stderr).toMatch(/^error: .+\n/m);
});

test.each([
  [['pets', 'list', '--limit', '0'], '--limit must be a whole number from 1 to 1000000'],
  [['pets', 'list', '--limit', '1e2'], '--limit must be a whole number from 1 to 1000000'],
  [['pets', 'list', '--status', 'gone'], '--status must be one of available, pending, sold'],
  [
    ['pets', 'list', '--fields', 'id,nme'],
    'unknown field "nme" in --fields; the fields are id, name, categoryId, status',
  ],
  [['pets', 'list', '--output', 'jsn'], '--output must be one of table, json'],
  [['pets', 'list', '--timeout', '0'], '--timeout must be a number of seconds'],
  [['pets', 'get', '007'], 'the id of a pet must be a non-negative 64-bit integer'],
  [['pets', 'get', '9223372036854775808'], 'the id of a pet must be a non-negative 64-bit integer'],
  [['pets', 'get', '../../admin'], 'the id of a pet must be a non-negative 64-bit integer'],
  [['pets', 'get'], 'petstore pets get needs the argument <petId>'],
  [['pets', 'add'], 'the name and the category id are missing'],
  [['pets', 'add', '--name', 'Rex'], 'the category id is missing\n  hint: pass --category-id'],
  [['pets', 'add', '--name', ' ', '--category-id', '1'], '--name must not be blank'],
  [['pets', 'add', '--name', 'Rex', '--category-id', '9223372036854775808'], '--category-id must be'],
  [['pets', 'lst'], 'unknown command "lst"'],
  [['pets', 'list', '--statsu', 'sold'], 'unknown flag --statsu'],
  [['pets', 'list', '--profile', 'prod'], 'unknown profile "prod"'],
  [['pets', 'list', '--profile', 'staging'], 'profile staging has no base URL'],
  [['pets', 'list', '--base-url', 'ftp://x/v1'], 'the base URL must be an absolute http or https URL'],
  [['pets', 'list', '--base-url', 'bad'], 'the base URL must be an absolute http or https URL'],
  [['pets', 'list', 'extra'], 'petstore pets list takes no arguments'],
])('%j is a usage error and sends nothing', async (args, message) => {
  const { env, requests } = await startCannedServer({});
  const isAddressed = args.includes('--base-url') || args.includes('--profile');
  const run = await createTestCli().run(args, { env: isAddressed ? {} : env });
  expect(run).toMatchObject({ stdout: '', exitCode: 2 });
  expect(run.stderr).toContain(`error: ${message}`);
  expect(requests).toHaveLength(0);
  const machine = await createTestCli().run([...args.slice(0, 2), '--json', ...args.slice(2)], {
    env: {},
  });
  expect(errorOf(machine)).toMatchObject({ exitCode: 2 });
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

function errorResponse(status: number, code: string, headers = {}): CannedResponse {
  return { status, headers, body: JSON.stringify({ code, message: `message of ${code}`, status }) };
}
