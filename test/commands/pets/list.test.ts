import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/http-server.js';
import { createTestCli } from '../../support/test-cli.js';
import { startService } from '../../support/test-server.js';

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

test('a list that the quota ended names the pages that were read', async () => {
  const { env } = await startService({ limits: { perMinute: 3, perDay: 1_000 } });
  const run = await createTestCli().run(['api', '/pets?limit=1', '--paginate', '--max-wait', '0', '--json'], { env });
  expect(run.stderr).toContain('no requests are left in this window; 3 pages were read');
  expect(run.exitCode).toBe(6);
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

test('--limit is the most pets to print, over pages', async () => {
  const list = (...flags: readonly string[]) => cli.run(['pets', 'list', '--fields', 'id', '-o', 'csv', ...flags]);
  const cli = createTestCli();
  await cli.run(['sandbox', 'reset', '--pets', '250', '--yes']);
  const run = await list('--limit', '220');
  expect(run.stdout.trimEnd().split('\n')).toHaveLength(221);
  const [notice = ''] = run.stderr.split('\n');
  expect(JSON.parse(notice)).toEqual({
    notice: {
      code: 'more_pets',
      message: 'Showing the first 220 pets.',
      next: ['petstore pets list --all --profile sandbox --output csv --fields id'],
    },
  });
  expect((await list('--limit', '250')).stderr).not.toContain('notice');
  expect((await list('--limit', '220', '-q')).stderr).toBe('');
  expect((await cli.run(['pets', 'list'])).stderr).toMatch(
    /^Showing the first 20 pets\. Use --all to list every pet\.$/m,
  );
});

test('--name and --category-id filter every page', async () => {
  const pets = (...names: readonly string[]) =>
    names.map((name, index) => ({ id: index + 1, name, categoryId: index % 2 === 0 ? 1 : 2 }));
  const { env, requests } = await startCannedServer(
    { body: JSON.stringify(pets('Rex', 'Zoë')), headers: { link: '</v1/pets?after=2>; rel=next' } },
    { body: JSON.stringify(pets('Amazoe', 'ZOE')) },
  );
  const names = async (...flags: readonly string[]) => {
    const { stdout } = await createTestCli().run(['pets', 'list', '--jq', '.[].name', ...flags], { env });
    return stdout.trimEnd().split('\n');
  };
  expect(await names('--name', 'zoe')).toEqual(['Zoë', 'Amazoe', 'ZOE']);
  expect(requests.map(({ url }) => url)).toEqual(['/v1/pets?limit=100', '/v1/pets?after=2']);
  const invalid = await createTestCli().run(['pets', 'list', '--category-id', '1.5'], { env });
  expect(invalid.exitCode).toBe(2);
});

test('--category-id stops at the limit', async () => {
  const cli = createTestCli();
  const { stdout } = await cli.run(['pets', 'list', '--category-id', '2', '--limit', '3', '--jq', '.[].categoryId']);
  expect(stdout).toBe('2\n2\n2\n');
});
