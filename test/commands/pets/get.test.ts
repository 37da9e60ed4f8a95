import { expect, test } from 'vitest';
import { createTestCli } from '../../support/test-cli.js';

test('prints the pet, and one line that says when the operation is removed', async () => {
  const { stdout, stderr } = await createTestCli().run(['pets', 'get', '7', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ id: 7 });
  expect(stderr.match(/deprecated/g)).toHaveLength(1);
  expect(stderr).toMatch(/^! pets get is deprecated; the service will remove it on 5 December 2030$/m);
});

test.each([['Rex'], ['--', '-1']])(
  'rejects the id %j before any request, and names the search by name',
  async (...args) => {
    const run = await createTestCli().run(['pets', 'get', ...args]);
    expect(run.stderr).toBe(
      'error: the id of a pet must be a non-negative 64-bit integer, such as 42\n' +
        `  hint: run petstore pets list --name ${args.at(-1)} --profile sandbox to find a pet by name\n`,
    );
    expect(run.exitCode).toBe(2);
  },
);
