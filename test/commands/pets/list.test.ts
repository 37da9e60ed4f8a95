import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/canned-server.js';
import { createTestCli } from '../../support/test-cli.js';

test('verbose shows request and answer, without the key', async () => {
  const user = createTestCli();
  const { stderr } = await user.run(['pets', 'list', '--limit', '1', '-v', '-q']);
  expect(stderr).toMatch(/^> GET http:\/\/sandbox\.invalid\/v1\/pets\?limit=1$/m);
  expect(stderr).toMatch(/^< 200 .*x-ratelimit-remaining: 59/m);
  expect(stderr).not.toMatch(/pets_/);
});

test('a list that links from page to page is whole with --all', async () => {
  const { env, requests } = await startCannedServer(
    {
      body: '[{"id":1,"name":"A","categoryId":1}]',
      headers: { link: '</v1/pets?after=1>; rel=next' },
    },
    { body: '[{"id":2,"name":"B","categoryId":1}]' },
  );
  const run = await createTestCli().run(['pets', 'list', '--all', '--fields', 'id', '-o', 'csv'], {
    env,
  });
  expect(run).toEqual({ stdout: 'id\n1\n2\n', stderr: '', exitCode: 0 });
  expect(requests.map(({ url }) => url)).toEqual(['/v1/pets?limit=100', '/v1/pets?after=1']);
});

test('a full page without a link may not be all: a notice, and with --all exit 10', async () => {
  const pets = Array.from({ length: 100 }, (_, id) => ({ id, name: 'A', categoryId: 1 }));
  const { env } = await startCannedServer({ body: JSON.stringify(pets) });
  const one = await createTestCli().run(['pets', 'list', '--limit', '100', '-o', 'ndjson'], {
    env,
  });
  expect(one.stderr).toContain('there may be more pets');
  expect(one.exitCode).toBe(0);
  const all = await createTestCli().run(['pets', 'list', '--all', '--json'], { env });
  expect(all).toMatchObject({ stdout: '', exitCode: 10 });
  const table = await createTestCli().run(['pets', 'list', '--all', '--no-header'], { env });
  expect(table.stdout.trimEnd().split('\n')).toHaveLength(100);
  expect(table.exitCode).toBe(10);
});

test.each([
  ['another origin', 'https://example.com/v1/pets?page=2', 'leads to another origin'],
  ['the page itself', '/v1/pets?limit=100', 'leads back to a page that was read'],
])('a next link to %s is not followed', async (_, target, message) => {
  const { env, requests } = await startCannedServer({
    headers: { link: `<${target}>; rel="next"` },
  });
  const run = await createTestCli().run(['pets', 'list', '--all'], { env });
  expect(run.stderr).toContain(`error: the link to the next page ${message}`);
  expect(run.exitCode).toBe(7);
  expect(requests).toHaveLength(1);
});

test('a service that ignores the limit is cut to it, with a warning', async () => {
  const pets = Array.from({ length: 30 }, (_, id) => ({ id, name: 'A', categoryId: 1 }));
  const { env } = await startCannedServer({ body: JSON.stringify(pets) });
  const run = await createTestCli().run(['pets', 'list', '--limit', '2', '-o', 'ndjson'], { env });
  expect(run.stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(run.stderr).toContain('warning: the service sent 30 pets, though 2 were asked for');
});
