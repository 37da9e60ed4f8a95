import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/http-server.js';
import { createTestCli } from '../../support/test-cli.js';

test.each([
  ['[]', ''],
  ['', ''],
  ['null', ''],
  ['[{"id":1,"pet":{"id":2}},{"id":3,"note":"x"}]', 'id  pet       note\n1   {"id":2}  -\n3   -         x\n'],
  ['{"id":9223372036854775807}', 'id\n9223372036854775807\n'],
  ['[1,"two",[3]]', 'value\n1\ntwo\n[3]\n'],
  ['"text"', 'value\ntext\n'],
])('list prints the orders %s', async (body, stdout) => {
  const { env } = await startCannedServer({ body });
  const run = await createTestCli().run(['orders', 'list'], { env });
  expect(run).toMatchObject({ stdout, exitCode: 0 });
  if (stdout === '') expect(run.stderr).toBe('No orders found.\n');
});

test('list accepts any field name', async () => {
  const { env } = await startCannedServer({ body: '[{"id":1,"total":5}]' });
  const args = ['orders', 'list', '--fields', 'total,none', '-o', 'csv'];
  const run = await createTestCli().run(args, { env });
  expect(run.stdout).toBe('total,none\n5,\n');
});
