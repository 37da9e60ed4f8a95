import { expect, test } from 'vitest';
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
