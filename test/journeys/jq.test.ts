import { expect, test } from 'vitest';
import { newUser } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { openShell } from '../support/terminal.js';

test('--jq filters the result, and an invalid program exits with 2', async () => {
  const user = newUser();
  const { env } = await startServeProcess();
  const names = await user.run(['pets', 'list', '--limit', '2', '--jq', '.[].name'], { env });
  expect(names).toMatchObject({ stdout: 'Ada\nArchie\n', exitCode: 0 });
  const wrong = await user.run(['pets', 'list', '--jq', '.['], { env });
  expect(wrong).toMatchObject({ stdout: '', exitCode: 2 });
  expect(JSON.parse(wrong.stderr).error.code).toBe('invalid_flag');
});

test('an error of --jq warns against a repetition', async () => {
  const added = await newUser().run(['pets', 'add', '--name', 'Rex', '--category-id', '1', '--jq', 'error("no")']);
  expect(added.stderr).toContain('do not repeat a command that changed data');
  expect(added.exitCode).toBe(1);
});

test('on a terminal, --jq prints the tabs of @tsv and escapes other control characters', async () => {
  const { home } = newUser();
  const program = '.[0] | [.id, "a\\u001bb"] | @tsv';
  const shell = openShell(
    home,
    `petstore pets list -q --limit 1 --jq '${program}' | cat; petstore pets list -q --limit 1 --jq '${program}'`,
  );
  expect(await shell.exitCode).toBe(0);
  expect(shell.output()).toContain('1\ta\\u001bb\r\n');
});

test('--jq prints a large result completely', async () => {
  const user = newUser();
  const { stdout } = await user.run(['pets', 'list', '-q', '--jq', '[range(30000)] | tostring']);
  expect(JSON.parse(stdout)).toHaveLength(30_000);
});
