import { expect, test } from 'vitest';
import { startAnswering } from '../support/answers.js';
import { newWorld } from '../support/world.js';

test.each([
  ['never ends', 'def f: f; f', '--jq took longer than 5 seconds and was ended'],
  ['allocates without limit', 'def f: [f]; f', 'jq: error: cannot allocate memory'],
])('a program that %s is stopped', async (_, program, message) => {
  const { env } = await startAnswering({ body: '[]' });
  const { stdout, stderr, exitCode } = await newWorld().run(['pets', 'list', '--jq', program], {
    env,
  });
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'jq_failed', message });
});
