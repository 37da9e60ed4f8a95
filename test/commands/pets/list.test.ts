import { expect, test } from 'vitest';
import { startAnswering } from '../../support/answers.js';
import { newWorld } from '../../support/world.js';

const odd = JSON.stringify([
  { id: 1, name: 'Rex\u001b[2J\u202e', categoryId: 7, status: 'available' },
  { id: 2, name: '=1+1', categoryId: -5, chip: { code: 'A"1' } },
  { id: 3, name: 'two\nlines, "quoted"', categoryId: 'BIG', status: 'sleeping' },
]).replace('"BIG"', '9223372036854775807');

test.each(['table', 'json', 'ndjson', 'yaml', 'csv', 'tsv'])(
  'odd pets come out in %s',
  async (format) => {
    const { env } = await startAnswering({ body: odd });
    const run = await newWorld().run(['pets', 'list', '-o', format], { env });
    expect(run).toMatchSnapshot();
  },
);

test.each([
  ['table', 'status  id\navailable  1'],
  ['csv', 'status,id\navailable,1\n'],
  ['ndjson', '{"status":"available","id":1}\n'],
])('--fields chooses and orders what %s shows', async (format) => {
  const run = await newWorld().run([
    'pets',
    'list',
    '--limit',
    '1',
    '-q',
    '-o',
    format,
    '--fields',
    'status,id',
  ]);
  expect(run).toMatchSnapshot();
});

test.each(['table', 'csv', 'tsv'])('--no-header leaves the header of %s out', async (format) => {
  const args = ['pets', 'list', '--limit', '1', '-q', '-o', format, '--no-header'];
  const { stdout } = await newWorld().run(args);
  expect(stdout.trimEnd().split(/\s+|,/)).toEqual(['1', 'Ada', '1', 'available']);
});

test.each([
  ['table', '', 'No pets found.\n'],
  ['json', '[]\n', ''],
  ['ndjson', '', ''],
  ['yaml', '[]\n', ''],
  ['csv', 'id,name,categoryId,status\n', ''],
])('an empty list is exit 0, and in %s it is written so', async (format, stdout, stderr) => {
  const { env } = await startAnswering({ body: '[]' });
  const run = await newWorld().run(['pets', 'list', '-o', format], { env });
  expect(run).toEqual({ stdout, stderr, exitCode: 0 });
});

test('global flags stand before, between and after the words', async () => {
  const { env } = await startAnswering({ body: '[]' });
  for (const args of [
    ['--json', 'pets', 'list'],
    ['pets', '--json', 'list'],
    ['pets', 'list', '--json'],
    ['-o', 'csv', 'pets', 'list', '-o', 'json'],
  ]) {
    expect((await newWorld().run(args, { env })).stdout).toBe('[]\n');
  }
});

test('a flag that looks like a value is taken as the value', async () => {
  const run = await newWorld().run([
    'pets',
    'add',
    '--name',
    '--json',
    '--category-id',
    '-5',
    '--dry-run',
    '-q',
  ]);
  expect(run).toEqual({
    stdout: 'name:       --json\ncategoryId: -5\nstatus:     -\n',
    stderr: '',
    exitCode: 0,
  });
});

test('quiet leaves stderr empty', async () => {
  const { stderr } = await newWorld().run(['pets', 'list', '--quiet', '--limit', '1']);
  expect(stderr).toBe('');
});

test('verbose shows request and answer, without the key', async () => {
  const user = newWorld();
  const { stderr } = await user.run(['pets', 'list', '--limit', '1', '-v', '-q']);
  expect(stderr).toMatch(/^> GET http:\/\/sandbox\.invalid\/v1\/pets\?limit=1$/m);
  expect(stderr).toMatch(/^< 200 .*x-ratelimit-remaining: 59/m);
  expect(stderr).not.toMatch(/pets_/);
});

test('a list that links from page to page is whole with --all', async () => {
  const { env, requests } = await startAnswering(
    {
      body: '[{"id":1,"name":"A","categoryId":1}]',
      headers: { link: '</v1/pets?after=1>; rel=next' },
    },
    { body: '[{"id":2,"name":"B","categoryId":1}]' },
  );
  const run = await newWorld().run(['pets', 'list', '--all', '--fields', 'id', '-o', 'csv'], {
    env,
  });
  expect(run).toEqual({ stdout: 'id\n1\n2\n', stderr: '', exitCode: 0 });
  expect(requests.map(({ url }) => url)).toEqual(['/v1/pets?limit=100', '/v1/pets?after=1']);
});

test('a full page without a link may not be all: a notice, and with --all exit 10', async () => {
  const pets = Array.from({ length: 100 }, (_, id) => ({ id, name: 'A', categoryId: 1 }));
  const { env } = await startAnswering({ body: JSON.stringify(pets) });
  const one = await newWorld().run(['pets', 'list', '--limit', '100', '-o', 'ndjson'], { env });
  expect(one.stderr).toContain('there may be more pets');
  expect(one.exitCode).toBe(0);
  const all = await newWorld().run(['pets', 'list', '--all', '--json'], { env });
  expect(all).toMatchObject({ stdout: '', exitCode: 10 });
  const table = await newWorld().run(['pets', 'list', '--all', '--no-header'], { env });
  expect(table.stdout.trimEnd().split('\n')).toHaveLength(100);
  expect(table.exitCode).toBe(10);
});

test.each([
  ['another origin', 'https://example.com/v1/pets?page=2', 'leads to another origin'],
  ['the page itself', '/v1/pets?limit=100', 'leads back to a page that was read'],
])('a next link to %s is not followed', async (_, target, message) => {
  const { env, requests } = await startAnswering({ headers: { link: `<${target}>; rel="next"` } });
  const run = await newWorld().run(['pets', 'list', '--all'], { env });
  expect(run.stderr).toContain(`error: the link to the next page ${message}`);
  expect(run.exitCode).toBe(7);
  expect(requests).toHaveLength(1);
});

test('a service that ignores the limit is cut to it, with a warning', async () => {
  const pets = Array.from({ length: 30 }, (_, id) => ({ id, name: 'A', categoryId: 1 }));
  const { env } = await startAnswering({ body: JSON.stringify(pets) });
  const run = await newWorld().run(['pets', 'list', '--limit', '2', '-o', 'ndjson'], { env });
  expect(run.stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(run.stderr).toContain('warning: the service sent 30 pets, though 2 were asked for');
});
