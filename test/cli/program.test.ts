import { expect, test } from 'vitest';
import { startAnswering } from '../support/answers.js';
import { newWorld } from '../support/world.js';

test('global flags stand before, between and after the words', async () => {
  const { env } = await startAnswering({ body: '[]' });
  for (const args of [
    ['--json', 'pets', 'list'],
    ['pets', '--json', 'list'],
    ['pets', 'list', '--json'],
    ['-o', 'csv', 'pets', 'list', '-o', 'json'],
  ]) {
    expect((await newWorld().run(args, { env })).stdout).toBe('[]\n');
  }
});

test('a flag that looks like a value is taken as the value', async () => {
  const run = await newWorld().run([
    'pets',
    'add',
    '--name',
    '--json',
    '--category-id',
    '-5',
    '--dry-run',
    '-q',
  ]);
  expect(run).toEqual({
    stdout: 'name:       --json\ncategoryId: -5\nstatus:     -\n',
    stderr: '',
    exitCode: 0,
  });
});

test('quiet leaves stderr empty', async () => {
  const { stderr } = await newWorld().run(['pets', 'list', '--quiet', '--limit', '1']);
  expect(stderr).toBe('');
});
