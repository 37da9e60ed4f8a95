import { expect, test } from 'vitest';
import { fakeClock } from '../../support/clock.js';
import { createTestCli } from '../../support/test-cli.js';

const get = ['pets', 'get'];

/** Returns the command that the warning recommends, as arguments. */
function replacementIn(stderr: string): readonly string[] {
  const [, command = ''] = /; use petstore (.*) instead$/m.exec(stderr) ?? [];
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

test('the warning recommends a command that prints the same pet', async () => {
  const cli = createTestCli({ clock: fakeClock() });
  const { stderr, stdout } = await cli.run([...get, '7', '-p', 'sandbox', '--json']);
  expect(stderr).toMatch(/^! pets get is deprecated: the service will remove it on 5 December 2030; use /m);
  const replacement = replacementIn(stderr);
  expect(replacement).toEqual(['pets', 'list', '--all', '--jq', '.[] | select(.id == 7)', '--profile', 'sandbox']);
  const run = await cli.run(replacement);
  expect(JSON.parse(run.stdout)).toEqual(JSON.parse(stdout));
});

test.each([
  [['x'], 'must be a non-negative 64-bit integer'],
  [['--', '-1'], 'must be a non-negative 64-bit integer'],
])('rejects the arguments %j before any request', async (args, message) => {
  const run = await createTestCli().run([...get, ...args]);
  expect(run.stderr).toContain(message);
  expect(run.exitCode).toBe(2);
});

test.each([
  ['Rex', 'integer, such as 42\n  hint: run petstore pets list --all --profile sandbox to find a pet by name\n'],
  ['007', 'integer, such as 42\n'],
])('the error about the id "%s" suggests a search only for a name', async (id, words) => {
  const { stderr } = await createTestCli().run([...get, id, '-p', 'sandbox']);
  expect(stderr.slice(-words.length)).toBe(words);
});
