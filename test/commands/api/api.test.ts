import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeClock, idleClock } from '../../support/clock.js';
import { startCannedServer } from '../../support/http-server.js';
import { createTestCli } from '../../support/test-cli.js';

test('api prints a JSON body with exact numbers', async () => {
  const { env, requests } = await startCannedServer({ body: '{"id":9223372036854775807,"x":1.0}' });
  const run = await createTestCli().run(['api', 'things/1?a=b'], { env });
  expect(run.stdout).toBe('{\n  "id": 9223372036854775807,\n  "x": 1.0\n}\n');
  expect(requests[0]).toMatchObject({ method: 'GET', url: '/v1/things/1?a=b' });
});

test.each([
  [
    '-f name=1 -F n=9007199254740993 -F yes=true -F no=null -F text=a=b',
    'POST',
    '{"name":"1","n":9007199254740993,"yes":true,"no":null,"text":"a=b"}',
  ],
  ['-X put -f a=', 'PUT', '{"a":""}'],
  ['-X DELETE', 'DELETE', ''],
  ['-f __proto__=1', 'POST', '{"__proto__":"1"}'],
])('api with %s sends %s and the body %s', async (flags, method, body) => {
  const { env, requests } = await startCannedServer({ body: '{}' });
  await createTestCli().run(['api', '/things', ...flags.split(' ')], { env });
  expect(requests[0]).toMatchObject({ method, url: '/v1/things', body });
});

test('api adds the fields of a GET request to the query', async () => {
  const { env, requests } = await startCannedServer({});
  await createTestCli().run(['api', '/pets?limit=2', '-X', 'GET', '-f', 'q=a b&c'], { env });
  expect(requests[0]?.url).toBe('/v1/pets?limit=2&q=a+b%26c');
});

test.each([
  [[], 86_400, 'run the same command with -H '],
  [['-H', 'Idempotency-Key: mine'], 86_400, 'check the data of the service'],
  // Keys are not sent in the last minute of their lifetime.
  [[], 60, 'check the data of the service'],
])('api with %j prints the hint for a key that lives %i s: %s', async (flags, lifetime, hint) => {
  const { env, requests } = await startCannedServer({
    status: 503,
    headers: { 'idempotency-key-lifetime': String(lifetime) },
    body: '{}',
  });
  const args = ['api', '/things', '-f', 'a=b', ...flags, '--timeout', '3'];
  const run = await createTestCli({ clock: idleClock() }).run(args, { env });
  expect(run.exitCode).toBe(9);
  expect(run.stderr).toContain(`hint: ${hint}`);
  const key = requests[0]?.headers['idempotency-key'];
  const pattern = new RegExp(`-H 'Idempotency-Key: ${key}' to repeat the request .*, within 23h 5\\dm`);
  if (hint.endsWith('-H ')) expect(run.stderr).toMatch(pattern);
  expect(new Set(requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
});

test('api reads the body or a field from a file or standard input', async () => {
  const cli = createTestCli();
  const path = join(cli.home, 'body.json');
  writeFileSync(path, '{"a":1}');
  const { env, requests } = await startCannedServer({ body: '{}' });
  await cli.run(['api', '/x', '--input', path], { env });
  await cli.run(['api', '/x', '--input', '-'], { env, input: 'raw' });
  await cli.run(['api', '/x', '-F', `f=@${path}`, '-H', 'X-Trace: 7'], { env });
  expect(requests.map(({ method, body }) => [method, body])).toEqual([
    ['POST', '{"a":1}'],
    ['POST', 'raw'],
    ['POST', '{"f":"{\\"a\\":1}"}'],
  ]);
  expect(requests[2]?.headers['x-trace']).toBe('7');
});

test('api prints the body of a 404 and exits with 4', async () => {
  const { env } = await startCannedServer({
    status: 404,
    body: '{"code":"c","message":"m","status":404}',
  });
  const run = await createTestCli().run(['api', '/x', '--json'], { env });
  expect(JSON.parse(run.stdout)).toEqual({ code: 'c', message: 'm', status: 404 });
  expect(run.exitCode).toBe(4);
});

test.each([
  ['GET pest', ['pest'], 'pass a path below the base URL, such as /pets'],
  ['GET /pets', ['/pets'], 'check the base URL, including a version segment such as /v1'],
])('api explains a 404 for %s below a base URL with /v1', async (_, args, hint) => {
  const { env, origin } = await startCannedServer({ status: 404, body: '{"code":"c","message":"m","status":404}' });
  const run = await createTestCli().run(['api', ...args], { env: { ...env, PETSTORE_BASE_URL: `${origin}/v1` } });
  expect(run.stderr).toBe(`error: m (HTTP 404)\n  hint: ${hint}\n`);
  expect(run.exitCode).toBe(4);
});

test('api -i prints the status and escaped headers', async () => {
  const { env } = await startCannedServer({ body: '[]', headers: { 'x-odd': 'a\u009bb' } });
  const { stdout } = await createTestCli().run(['api', '/x', '-i'], { env });
  expect(stdout).toMatch(/^HTTP\/1.1 200\n/);
  expect(stdout).toContain('x-odd: a\\u009bb\n');
  expect(stdout).toMatch(/\n\n\[\]\n$/);
});

test('api --paginate prints one list of all pages', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  const { stdout } = await cli.run(['api', '/pets?limit=30', '--paginate']);
  expect(JSON.parse(stdout)).toHaveLength(72);
});

test('api prints records in an explicit output format', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  const csv = await cli.run(['api', '/pets?limit=1', '-o', 'csv', '--fields', 'name,id']);
  expect(csv.stdout).toBe('name,id\nAda,1\n');
});

test('api prints other bodies unchanged to a pipe and escaped to a terminal', async () => {
  const { env } = await startCannedServer({ body: 'hello \u001b[2J\nthere' });
  const piped = await createTestCli().run(['api', '/x'], { env });
  expect(piped.stdout).toBe('hello \u001b[2J\nthere');
  const shown = await createTestCli({ columns: 80 }).run(['api', '/x'], { env });
  expect(shown.stdout).toBe('hello \\u001b[2J\nthere');
});

test.each([
  [['https://example.com/v1/pets'], 'the path is on another origin'],
  [['//example.com/pets'], 'the path is on another origin'],
  [['http://127.0.0.1:1/v1/pets'], 'the path is on another origin'],
  [['../admin'], 'the path is outside the base URL'],
  [['//['], 'the path is not a valid URL path'],
  [['/pets/..%2f..', '-X', 'GE T'], '-X must be an HTTP method'],
  [['/x', '-f', 'novalue'], '-f must be key=value'],
  [['/x', '-H', 'nocolon'], '-H must be "name: value"'],
  [['/x', '-H', 'Authorization: Bearer x'], 'petstore sets the header authorization itself'],
  [['/x', '-H', 'Proxy-Authorization: Basic x'], 'petstore sets the header proxy-authorization itself'],
  [['/x', '--input', '-', '-f', 'a=b'], '--input cannot be used with'],
  [['/x', '-f', 'a=b', '--paginate'], '--paginate works only with GET'],
  [['/x', '-F', 'a[b]=1'], '-F must be key=value'],
  [['/x', '-F', 'a=@-', '-F', 'b=@-'], 'standard input can be read only once'],
])('api %j fails without a request', async (args, message) => {
  const { env, requests } = await startCannedServer({});
  const run = await createTestCli().run(['api', ...args], { env });
  expect(run.stderr).toContain(`error: ${message}`);
  expect(run.exitCode).toBe(2);
  expect(requests).toHaveLength(0);
});

test('api exits with 9 if the outcome of a DELETE is unknown', async () => {
  const { env } = await startCannedServer({ status: 502 });
  const run = await createTestCli().run(['api', '/x', '-X', 'DELETE'], { env });
  expect(run.stderr).toContain('it is unknown whether the request was processed');
  expect(run.exitCode).toBe(9);
});

test.each([
  ['is on another origin', [{ headers: { link: '<https://e.example/>; rel=next' } }], 7],
  ['repeats', [{ headers: { link: '</v1/pets>; rel=next' } }], 7],
  ['is not a list', [{ headers: { link: '</v1/2>; rel=next' } }, { body: '<html>' }], 7],
  ['is missing', [{ headers: { link: '</v1/2>; rel=next' } }, { status: 404 }], 4],
])('api --paginate prints the items before a page that %s', async (_, responses, exitCode) => {
  const [first, ...others] = responses;
  const { env } = await startCannedServer({ body: '[{"id":1}]', ...first }, ...others);
  const run = await createTestCli().run(['api', '/pets', '--paginate'], { env });
  expect(run.stdout).toBe('[\n  {\n    "id": 1\n  }\n]\n');
  expect(run.exitCode).toBe(exitCode);
});

test('api accepts global flags and a colon in the path', async () => {
  const { env, requests } = await startCannedServer({ body: '[{"id":1}]' });
  const run = await createTestCli().run(['api', '/pets:search', '-o', 'csv', '--no-header'], {
    env,
  });
  expect(run.stdout).toBe('1\n');
  expect(requests[0]?.url).toBe('/v1/pets:search');
});

test.each([
  ['no body', { status: 204 }, '', 0],
  ['a body that is not JSON', { body: '<html>' }, 'cannot apply --jq, because the response body is not JSON', 1],
])('api --jq with %s prints nothing', async (_, response, message, exitCode) => {
  const { env } = await startCannedServer(response);
  const run = await createTestCli().run(['api', '/x', '--jq', '.a'], { env });
  expect(run).toEqual({ stdout: '', stderr: expect.stringContaining(message), exitCode });
});

test.each([
  ['--input', '-'],
  ['-F', 'a=@-'],
])('api %s %s sends at most 1 MiB', async (...flags) => {
  const { env, requests } = await startCannedServer({});
  const input = 'x'.repeat(1024 * 1024 + 1);
  const run = await createTestCli().run(['api', '/x', ...flags], { env, input });
  expect(run.stderr).toBe('error: cannot read standard input: larger than 1048576 bytes\n');
  expect([run.exitCode, requests.length]).toEqual([2, 0]);
  const fitting = await createTestCli().run(['api', '/x', '--input', '-'], { env, input: input.slice(1) });
  expect([fitting.exitCode, requests.length]).toEqual([0, 1]);
});

test('api -F rejects a file that is not UTF-8', async () => {
  const { env, requests } = await startCannedServer({});
  const input = Buffer.from([0xff]);
  const run = await createTestCli().run(['api', '/x', '-F', 'a=@-'], { env, input });
  expect(run.stderr).toBe('error: - is not valid UTF-8\n  hint: convert the file to UTF-8, or send it with --input\n');
  expect([run.exitCode, requests.length]).toEqual([2, 0]);
});
