import { expect, test } from 'vitest';
import { type Answer, startAnswering } from '../support/answers.js';
import { newUser } from '../support/petstore.js';

const said = (status: number) => JSON.stringify({ code: 'c', message: 'said', status });

test.each<[string, readonly string[], Answer, number]>([
  ['an empty list', ['pets', 'list'], { body: '[]' }, 0],
  ['a rejected key', ['pets', 'list'], { status: 401, body: said(401) }, 3],
  ['a missing pet', ['pets', 'get', '1'], { status: 404, body: said(404) }, 4],
  [
    'a refused pet',
    ['pets', 'add', '--name', 'x', '--category-id', '1'],
    { status: 400, body: said(400) },
    5,
  ],
  ['a used up quota', ['pets', 'list', '--max-wait', '0'], { status: 429, body: said(429) }, 6],
  ['an answer that is no JSON', ['pets', 'list'], { body: '<html>' }, 7],
  [
    'a create without a clear answer',
    ['pets', 'add', '--name', 'x', '--category-id', '1'],
    { status: 502 },
    9,
  ],
  ['a flag that is not known', ['pets', 'list', '--nope'], {}, 2],
])('after %s the process ends so', async (_, args, answer, exitCode) => {
  const { env } = await startAnswering(answer);
  const run = await newUser().run(args, { env });
  expect(run.exitCode).toBe(exitCode);
  if (exitCode !== 0) expect(run.stdout).toBe('');
});

test('after a refused connection the process ends so', async () => {
  const env = { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1', PETSTORE_API_KEY: 'pets_key_123456' };
  expect((await newUser().run(['pets', 'list'], { env })).exitCode).toBe(8);
});
