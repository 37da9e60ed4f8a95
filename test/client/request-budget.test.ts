import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../support/canned-server.js';
import { csvOf, summaryOf, writeInput } from '../support/imports.js';
import { createFastTestCli, createTestCli } from '../support/test-cli.js';

const limitReached = { code: 'request_budget', hint: 'increase --max-requests' };

function lastError({ stderr }: { readonly stderr: string }) {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
}

test.each(['0', '-1', '1.5', 'x', '1000001'])('--max-requests %s is rejected', async (value) => {
  const run = await createTestCli().run(['pets', 'list', `--max-requests=${value}`]);
  expect(run.stderr).toContain('error: --max-requests must be a whole number from 1 to 1000000');
  expect(run.exitCode).toBe(2);
});

test('PETSTORE_MAX_REQUESTS applies without the flag, and must be valid', async () => {
  const cli = createTestCli();
  const list = (env: Record<string, string>, ...args: string[]) =>
    cli.run(['pets', 'list', '--all', '--limit', '50', '--json', ...args], { env });
  expect((await list({ PETSTORE_MAX_REQUESTS: '1' })).stderr).toContain(
    'the limit of PETSTORE_MAX_REQUESTS=1 is reached',
  );
  expect((await list({ PETSTORE_MAX_REQUESTS: '1' }, '--max-requests', '2')).exitCode).toBe(0);
  expect((await list({ PETSTORE_MAX_REQUESTS: 'many' })).stderr).toContain(
    'PETSTORE_MAX_REQUESTS must be a whole number',
  );
});

test.each([
  ['ndjson', 40],
  ['csv', 40],
  ['table', 40],
  ['json', 0],
])('a list as %s that the limit cuts exits 10 and prints %i pets', async (format, count) => {
  const args = ['pets', 'list', '--all', '--limit', '20', '--max-requests', '2', '-o', format];
  const run = await createTestCli().run(args);
  expect(run.exitCode).toBe(10);
  expect(run.stdout.match(/available|pending|sold/g) ?? []).toHaveLength(count);
  expect(run.stderr).toContain('the list is incomplete: the limit of --max-requests 2 is reached');
});

test('pages of api --paginate that were fetched are printed', async () => {
  const run = await createTestCli().run(['api', '/pets?limit=20', '--paginate', '--max-requests', '2', '--json']);
  expect(JSON.parse(run.stdout)).toHaveLength(40);
  expect(lastError(run)).toMatchObject({ ...limitReached, exitCode: 10 });
});

test('an export that the limit cuts writes no file and exits 6', async () => {
  const { env } = await startCannedServer({ headers: { link: '</v1/pets?page=2>; rel="next"' }, body: '[{"id":1}]' });
  const cli = createTestCli();
  const path = join(cli.home, 'pets.json');
  const run = await cli.run(['pets', 'export', path, '--max-requests', '1', '--json'], { env });
  expect(lastError(run)).toMatchObject({ ...limitReached, exitCode: 6 });
  expect(existsSync(path)).toBe(false);
});

test('a retry that the limit forbids exits 6', async () => {
  const { env, requests } = await startCannedServer({ status: 503 }, { body: '[]' });
  const cli = createFastTestCli();
  const list = (max: string) => cli.run(['pets', 'list', '--max-requests', max, '--json'], { env });
  expect(lastError(await list('1'))).toMatchObject({ ...limitReached, exitCode: 6 });
  expect(requests).toHaveLength(1);
});

test('a create whose outcome is unknown exits 9', async () => {
  const { env, requests } = await startCannedServer(
    { headers: { 'idempotency-key-lifetime': '86400' } },
    { status: 503 },
  );
  const cli = createFastTestCli();
  await cli.run(['pets', 'list', '-q'], { env });
  const run = await cli.run(['pets', 'add', '--name', 'Rex', '--category-id', '7', '--max-requests', '1'], { env });
  expect(run.exitCode).toBe(9);
  expect(requests).toHaveLength(2);
});

test('an import stops at the limit, and the command of the hint resumes it', async () => {
  const cli = createTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(5));
  const run = await cli.run(['pets', 'import', path, '--max-requests', '2', '--json']);
  expect(summaryOf(run)).toMatchObject({ added: 2, notSent: 3 });
  expect(lastError(run)).toMatchObject({
    code: 'import_stopped',
    message: 'the import stopped: the limit of --max-requests 2 is reached',
    hint: `run petstore pets import ${path} --max-requests 2 --output json to resume`,
    exitCode: 10,
  });
  const resume = ['pets', 'import', path, '--max-requests', '2', '--json'];
  expect(summaryOf(await cli.run(resume))).toMatchObject({ added: 2, skipped: 2 });
  expect(summaryOf(await cli.run(resume))).toMatchObject({ added: 1, skipped: 4 });
});

test('an import with nothing but unknown outcomes exits 9', async () => {
  const { env } = await startCannedServer({ status: 503 });
  const cli = createFastTestCli();
  const path = writeInput(cli, 'pets.csv', csvOf(3));
  const run = await cli.run(['pets', 'import', path, '--max-requests', '1', '--json'], { env });
  expect(summaryOf(run)).toMatchObject({ added: 0, inDoubt: 1, notSent: 2 });
  expect(run.exitCode).toBe(9);
});

test('a watch ends with exit 6 at the limit', async () => {
  const run = await createFastTestCli().run(['pets', 'list', '--watch=1', '--max-requests', '3', '-o', 'ndjson']);
  expect(lastError(run)).toMatchObject({ ...limitReached, exitCode: 6 });
});
