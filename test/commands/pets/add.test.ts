import { expect, test } from 'vitest';
import { idleClock } from '../../support/clock.js';
import { startCannedServer } from '../../support/http-server.js';
import { createTestCli } from '../../support/test-cli.js';

const add = ['pets', 'add', '--name', 'Rex', '--category-id', '1'];

test('prints the pet on stdout and a success line on stderr', async () => {
  const run = await createTestCli().run(add);
  expect(run.stdout).toMatch(/^id: +73\nname: +Rex\n/);
  expect(run.stderr).toContain('✓ Added Rex (id 73) to sandbox\n');
  const { env } = await startCannedServer({ status: 201, body: '{"id":9223372036854775807,"name":"Rex"}' });
  const { host } = new URL(env.PETSTORE_BASE_URL as string);
  const json = await createTestCli().run([...add, '--json'], { env });
  expect(json.stdout).toContain('"id": 9223372036854775807');
  expect(json.stderr).toContain(`✓ Added Rex (id 9223372036854775807) to ${host}\n`);
  expect((await createTestCli().run([...add, '--quiet'])).stderr).toBe('');
});

test.each([
  ['a day', 86_400, '23h 5\\dm'],
  ['90 s, less than the wait', 90, '(29|30)s'],
])('prints the hint for an unknown outcome with a key that lives %s', async (_, lifetime, timeLeft) => {
  const headers = { 'idempotency-key-lifetime': String(lifetime), 'retry-after': '40' };
  const { env, requests } = await startCannedServer({ status: 503, headers, body: '{}' });
  const run = await createTestCli({ clock: idleClock() }).run(add, { env });
  expect(run.exitCode).toBe(9);
  expect(run.stderr).toContain('hint: run petstore api /pets -X POST ');
  const hint = new RegExp(
    `Idempotency-Key: [^ ]+' --base-url [^ ]+ to add the pet if it is missing, within ${timeLeft}`,
  );
  expect(run.stderr).toMatch(hint);
  expect(requests.length > 1).toBe(lifetime > 90);
});

test('prints only the id of the new pet for scripts', async () => {
  const flags = ['--fields', 'id', '-o', 'tsv', '--no-header'];
  const run = await createTestCli().run(['pets', 'add', '--name', 'Rex', '--category-id', '1', ...flags]);
  expect(run.stdout).toBe('73\n');
});

test('trims a category id', async () => {
  const run = await createTestCli().run(['pets', 'add', '--name', 'Rex', '--category-id', ' 1 ', '--json']);
  expect(JSON.parse(run.stdout)).toMatchObject({ categoryId: 1 });
});

test.each([
  [['--category-id', 'x'], '--category-id must be a 64-bit integer, such as 1'],
  [[], 'pass --name <name> and --category-id <id>'],
])('rejects the flags %j', async (flags, message) => {
  const run = await createTestCli().run(['pets', 'add', ...flags]);
  expect(run.stderr).toContain(message);
  expect(run).toMatchObject({ stdout: '', exitCode: 2 });
});
