import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/canned-server.js';
import { fakeClock } from '../../support/clock.js';
import { createTestCli } from '../../support/test-cli.js';

test('a body is printed as the JSON that it is, digits exact', async () => {
  const { env, requests } = await startCannedServer({ body: '{"id":9223372036854775807,"x":1.0}' });
  const run = await createTestCli().run(['api', 'things/1?a=b'], { env });
  expect(run.stdout).toBe('{\n  "id": 9223372036854775807,\n  "x": 1.0\n}\n');
  expect(requests[0]).toMatchObject({ method: 'GET', url: '/v1/things/1?a=b' });
});

test.each([
  [
    [
      '-f',
      'name=1',
      '-F',
      'n=9007199254740993',
      '-F',
      'yes=true',
      '-F',
      'no=null',
      '-F',
      'text=a=b',
    ],
    'POST',
    '{"name":"1","n":9007199254740993,"yes":true,"no":null,"text":"a=b"}',
  ],
  [['-X', 'put', '-f', 'a='], 'PUT', '{"a":""}'],
  [['-X', 'DELETE'], 'DELETE', ''],
])('fields %j make the body', async (args, method, body) => {
  const { env, requests } = await startCannedServer({ body: '{}' });
  await createTestCli().run(['api', '/things', ...args], { env });
  expect(requests[0]).toMatchObject({ method, url: '/v1/things', body });
});

test('with GET the fields go into the query', async () => {
  const { env, requests } = await startCannedServer({});
  await createTestCli().run(['api', '/pets?limit=2', '-X', 'GET', '-f', 'q=a b&c'], { env });
  expect(requests[0]?.url).toBe('/v1/pets?limit=2&q=a+b%26c');
});

test('a body comes from a file, from standard input, or a field from a file', async () => {
  const world = createTestCli();
  const path = join(world.home, 'body.json');
  writeFileSync(path, '{"a":1}');
  const { env, requests } = await startCannedServer({ body: '{}' });
  await world.run(['api', '/x', '--input', path], { env });
  await world.run(['api', '/x', '--input', '-'], { env, input: 'raw' });
  await world.run(['api', '/x', '-F', `f=@${path}`, '-H', 'X-Trace: 7'], { env });
  expect(requests.map(({ method, body }) => [method, body])).toEqual([
    ['POST', '{"a":1}'],
    ['POST', 'raw'],
    ['POST', '{"f":"{\\"a\\":1}"}'],
  ]);
  expect(requests[2]?.headers['x-trace']).toBe('7');
});

test('a refused request prints its body, and the exit code still tells', async () => {
  const { env } = await startCannedServer({
    status: 404,
    body: '{"code":"c","message":"m","status":404}',
  });
  const run = await createTestCli().run(['api', '/x', '--json'], { env });
  expect(JSON.parse(run.stdout)).toEqual({ code: 'c', message: 'm', status: 404 });
  expect(run.exitCode).toBe(4);
});

test('--include prints status and headers, escaped', async () => {
  const { env } = await startCannedServer({ body: '[]', headers: { 'x-odd': 'a\u009bb' } });
  const { stdout } = await createTestCli().run(['api', '/x', '-i'], { env });
  expect(stdout).toMatch(/^HTTP\/1.1 200\n/);
  expect(stdout).toContain('x-odd: a\\u009bb\n');
  expect(stdout).toMatch(/\n\n\[\]\n$/);
});

test('--paginate makes one list of all pages', async () => {
  const world = createTestCli({ clock: fakeClock() });
  const { stdout } = await world.run(['api', '/pets?limit=30', '--paginate']);
  expect(JSON.parse(stdout)).toHaveLength(72);
});

test('a format of one’s choice shows records', async () => {
  const world = createTestCli({ clock: fakeClock() });
  const csv = await world.run(['api', '/pets?limit=1', '-o', 'csv', '--fields', 'name,id']);
  expect(csv.stdout).toBe('name,id\nAda,1\n');
});

test('what is no JSON comes as it is in a pipe, and escaped on a terminal', async () => {
  const { env } = await startCannedServer({ body: 'hello \u001b[2J\nthere' });
  const piped = await createTestCli().run(['api', '/x'], { env });
  expect(piped.stdout).toBe('hello \u001b[2J\nthere');
  const shown = await createTestCli({ columns: 80 }).run(['api', '/x'], { env });
  expect(shown.stdout).toBe('hello \\u001b[2J\nthere');
});

test.each([
  [['https://example.com/v1/pets'], 'the path leads to another origin'],
  [['//example.com/pets'], 'the path leads to another origin'],
  [['../admin'], 'the path leads out of the base URL'],
  [['/pets/..%2f..', '-X', 'GE T'], '-X must be an HTTP method'],
  [['/x', '-f', 'novalue'], '-f must be key=value'],
  [['/x', '-H', 'nocolon'], '-H must be "name: value"'],
  [['/x', '-H', 'Authorization: Bearer x'], "the header authorization is petstore's own"],
  [['/x', '--input', '-', '-f', 'a=b'], '--input takes the place of'],
  [['/x', '-f', 'a=b', '--paginate'], '--paginate goes with GET alone'],
])('api %j is refused: nothing is sent', async (args, message) => {
  const { env, requests } = await startCannedServer({});
  const run = await createTestCli().run(['api', ...args], { env });
  expect(run.stderr).toContain(`error: ${message}`);
  expect(run.exitCode).toBe(2);
  expect(requests).toHaveLength(0);
});

test('a lost answer to a change leaves its outcome unknown', async () => {
  const { env } = await startCannedServer({ status: 502 });
  const run = await createTestCli().run(['api', '/x', '-X', 'DELETE'], { env });
  expect(run.stderr).toContain('whether the request was carried out is not known');
  expect(run.exitCode).toBe(9);
});

test.each([
  [
    ['-F', 'a[b]=1', '-f', 'a[c]=x', '-F', 'l[]=1', '-F', 'l[]=true'],
    '{"a":{"c":"x","b":1},"l":[1,true]}',
  ],
  [['-f', 'l[][n]=a'], '{"l":[{"n":"a"}]}'],
  [['-f', '__proto__[x]=1'], '{"__proto__":{"x":"1"}}'],
])('fields %j nest as gh has it', async (args, body) => {
  const { env, requests } = await startCannedServer({ body: '{}' });
  await createTestCli().run(['api', '/x', ...args], { env });
  expect(requests[0]?.body).toBe(body);
});

test.each([
  [['-f', 'a=1', '-f', 'a=2'], '"a" contradicts another field'],
  [['-f', 'a=1', '-f', 'a[b]=2'], '"a[b]" contradicts another field'],
  [['-f', 'a[b=1'], '"a[b" is no key'],
  [['-F', 'a=@-', '-F', 'b=@-'], 'standard input can be read once'],
])('fields %j are refused', async (args, message) => {
  const { env, requests } = await startCannedServer({});
  const run = await createTestCli().run(['api', '/x', ...args], { env });
  expect(run.stderr).toContain(`error: ${message}`);
  expect(run.exitCode).toBe(2);
  expect(requests).toHaveLength(0);
});

test('a link that nobody asked to follow takes nothing from the answer', async () => {
  const link = '<https://elsewhere.example/x>; rel="next"';
  const { env } = await startCannedServer({ status: 201, body: '{"id":1}', headers: { link } });
  const run = await createTestCli().run(['api', '/x', '-f', 'a=b'], { env });
  expect(run).toEqual({ stdout: '{\n  "id": 1\n}\n', stderr: '', exitCode: 0 });
});

test.each([
  ['leads to another origin', [{ headers: { link: '<https://e.example/>; rel=next' } }], 7],
  ['leads in a circle', [{ headers: { link: '</v1/pets>; rel=next' } }], 7],
  ['is no list', [{ headers: { link: '</v1/2>; rel=next' } }, { body: '<html>' }], 7],
  ['is refused', [{ headers: { link: '</v1/2>; rel=next' } }, { status: 404 }], 4],
])(
  'what was read before a page that %s is shown, and the exit code tells',
  async (_, answers, exitCode) => {
    const [first, ...others] = answers;
    const { env } = await startCannedServer({ body: '[{"id":1}]', ...first }, ...others);
    const run = await createTestCli().run(['api', '/pets', '--paginate'], { env });
    expect(run.stdout).toBe('[\n  {\n    "id": 1\n  }\n]\n');
    expect(run.exitCode).toBe(exitCode);
  },
);

test('fields that a body does not have are shown as missing', async () => {
  const { env } = await startCannedServer({ status: 404, body: '{"code":"c","message":"m"}' });
  const run = await createTestCli().run(['api', '/x', '--fields', 'code,id'], { env });
  expect(run.stdout).toBe('code: c\nid:   -\n');
  expect(run.exitCode).toBe(4);
});

test('global flags go with it, and a colon in a path is no scheme', async () => {
  const { env, requests } = await startCannedServer({ body: '[{"id":1}]' });
  const run = await createTestCli().run(['api', '/pets:search', '-o', 'csv', '--no-header'], {
    env,
  });
  expect(run.stdout).toBe('1\n');
  expect(requests[0]?.url).toBe('/v1/pets:search');
});
