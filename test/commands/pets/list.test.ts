import { describe, expect, test } from 'vitest';
import { startCannedServer } from '../../support/canned-server.js';
import { createTestCli } from '../../support/test-cli.js';
import { startService } from '../../support/test-service.js';

test('--verbose prints request and response without the API key', async () => {
  const { stderr } = await createTestCli().run(['pets', 'list', '--limit', '1', '-v', '-q']);
  expect(stderr).toMatch(/^> GET http:\/\/sandbox\.invalid\/v1\/pets\?limit=1$/m);
  expect(stderr).toMatch(/^< 200 in \d+ ms .*x-ratelimit-remaining: 59/m);
  expect(stderr).not.toMatch(/pets_/);
});

test('--all fetches every linked page', async () => {
  const { env, requests } = await startCannedServer(
    {
      body: '[{"id":1,"name":"A","categoryId":1}]',
      headers: { link: '</v1/pets?after=1>; rel=next' },
    },
    { body: '[{"id":2,"name":"B","categoryId":1}]' },
  );
  const args = ['pets', 'list', '--all', '--fields', 'id', '-o', 'csv'];
  const run = await createTestCli().run(args, { env });
  expect(run).toEqual({ stdout: 'id\n1\n2\n', stderr: '', exitCode: 0 });
  expect(requests.map(({ url }) => url)).toEqual(['/v1/pets?limit=100', '/v1/pets?after=1']);
});

test.each([
  ['pets list --all', ['pets', 'list', '--all', '--limit', '1'], 6],
  [
    'pets list --all with several statuses',
    ['pets', 'list', '--all', '--limit', '1', '--status', 'sold', '--status', 'pending'],
    6,
  ],
  ['api --paginate', ['api', '/pets?limit=1', '--paginate'], 6],
] as const)('%s names the pages that were read before the quota ended', async (_, args, exitCode) => {
  const { env } = await startService({ limits: { perMinute: 3, perDay: 1_000 } });
  const run = await createTestCli().run([...args, '--max-wait', '0', '--json'], { env });
  expect(run.stderr).toContain('no requests are left in this window; 3 pages were read');
  expect(run.exitCode).toBe(exitCode);
});

test('a full page without a link causes a notice, or exit code 10 with --all', async () => {
  const pets = Array.from({ length: 100 }, (_, id) => ({ id, name: 'A', categoryId: 1 }));
  const { env } = await startCannedServer({ body: JSON.stringify(pets) });
  const list = (...flags: readonly string[]) => createTestCli().run(['pets', 'list', ...flags], { env });
  const page = await list('--limit', '100', '-o', 'ndjson');
  expect(page.stderr).toContain('The list may be incomplete: ');
  expect(page.exitCode).toBe(0);
  expect(await list('--all', '--json')).toMatchObject({ stdout: '', exitCode: 10 });
  const table = await list('--all', '--no-header');
  expect(table.stdout.trimEnd().split('\n')).toHaveLength(100);
  expect(table.exitCode).toBe(10);
});

test('a list longer than the limit is truncated with a warning', async () => {
  const pets = Array.from({ length: 30 }, (_, id) => ({ id, name: 'A', categoryId: 1 }));
  const { env } = await startCannedServer({ body: JSON.stringify(pets) });
  const run = await createTestCli().run(['pets', 'list', '--limit', '2', '-o', 'ndjson'], { env });
  expect(run.stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(run.stderr).toContain('! the service sent 30 pets, more than the limit of 2');
});

describe('several statuses', () => {
  const list = ['pets', 'list', '--status', 'sold', '--status', 'pending', '--status', 'sold'];
  const bodyOf = (...ids: readonly number[]) => JSON.stringify(ids.map((id) => ({ id, name: 'A', categoryId: 1 })));
  const next = (cursor: string) => ({ link: `</v1/pets?cursor=${cursor}>; rel=next` });

  test('are fetched with one request each and merged by id', async () => {
    const { env, statuses } = await startService();
    const run = (args: readonly string[]) => createTestCli().run([...args, '-o', 'ndjson', '-q'], { env });
    const first = await run(list);
    expect(statuses).toHaveLength(2);
    const all = await run(['pets', 'list', '--all']);
    const expected = all.stdout.match(/.*"status":"(?:sold|pending)".*\n/g) ?? [];
    expect(expected).toHaveLength(36);
    expect(first.stdout).toBe(expected.join(''));
    expect(await run([...list, '--all', '--limit', '5'])).toEqual({
      stdout: expected.join(''),
      stderr: '',
      exitCode: 0,
    });
    expect(await run([...list, '--limit', '7'])).toMatchObject({ stdout: expected.slice(0, 7).join(''), exitCode: 0 });
    expect(await run(['pets', 'export', ...list.slice(2)])).toMatchObject({ stdout: expected.join(''), exitCode: 0 });
  });

  test('without --all are shown up to the end of the first page that was cut', async () => {
    const { env } = await startCannedServer({ body: bodyOf(1, 5), headers: next('x') }, { body: bodyOf(2, 8, 9) });
    const run = await createTestCli().run([...list, '--fields', 'id', '--no-header'], { env });
    expect(run).toMatchObject({ stdout: '1\n2\n5\n', exitCode: 0 });
    expect(run.stderr).toContain('Showing the first 3 pets. Use --all to list every pet.');
  });

  test('with --all exit with code 10 after every pet if one of them may be incomplete', async () => {
    const { env, requests } = await startCannedServer(
      { body: bodyOf(1, 5) },
      { body: bodyOf(2, 3), headers: next('x') },
      { body: bodyOf(4) },
    );
    const args = [...list, '--all', '--limit', '2', '-o', 'ndjson', '--fields', 'id'];
    const run = await createTestCli().run(args, { env });
    expect(run.stdout).toBe('{"id":1}\n{"id":2}\n{"id":3}\n{"id":4}\n{"id":5}\n');
    expect(run.exitCode).toBe(10);
    expect(requests.map(({ url }) => url)).toEqual([
      '/v1/pets?limit=2&status=sold',
      '/v1/pets?limit=2&status=pending',
      '/v1/pets?cursor=x',
    ]);
  });

  test('fail if a link leads back to an earlier page', async () => {
    const { env } = await startCannedServer(
      { body: bodyOf(1) },
      { body: bodyOf(2), headers: { link: '</v1/pets?limit=100&status=pending>; rel=next' } },
    );
    const run = await createTestCli().run([...list, '--all', '-o', 'ndjson'], { env });
    expect(run).toMatchObject({ exitCode: 7, stdout: expect.stringMatching(/^.*"id":1.*\n.*"id":2.*\n$/) });
  });

  test.each([
    ['the first pages', []],
    ['all pages', ['--all']],
  ])('with --curl print one command each for %s', async (_, flags) => {
    const env = { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' };
    const { stdout, stderr, exitCode } = await createTestCli().run([...list, '--curl', ...flags], { env });
    expect(stdout.match(/^ {2}.*\/v1\/pets.*$/gm)).toEqual([
      expect.stringContaining('status=sold'),
      expect.stringContaining('status=pending'),
    ]);
    expect(stdout.match(/^curl /gm)).toHaveLength(2);
    const notices = stderr.trimEnd().split('\n');
    expect(new Set(notices).size).toBe(notices.length);
    expect(exitCode).toBe(0);
  });
});
