import { expect, test } from 'vitest';
import { type CannedResponse, newClosedOrigin, startCannedServer } from '../support/http-server.js';
import { newUser } from '../support/petstore.js';

const add = ['pets', 'add', '--name', 'x', '--category-id', '1'];

test.each<[number, string, readonly string[], CannedResponse]>([
  [0, 'an empty list', ['pets', 'list'], { body: '[]' }],
  [2, 'an unknown flag', ['pets', 'list', '--nope'], {}],
  [3, 'a rejected key', ['pets', 'list'], { status: 401 }],
  [4, 'a missing pet', ['pets', 'get', '1'], { status: 404 }],
  [5, 'a rejected pet', add, { status: 400 }],
  [6, 'a rate-limited request', ['pets', 'list', '--max-wait', '0'], { status: 429 }],
  [7, 'a body that is not JSON', ['pets', 'list'], { body: '<html>' }],
  [9, 'a create with an unknown outcome', add, { status: 502 }],
])('the process exits with %i after %s', async (exitCode, _, args, { status = 200, ...response }) => {
  const body = status === 200 ? '' : JSON.stringify({ code: 'c', message: 'm', status });
  const { env } = await startCannedServer({ status, body, ...response });
  const run = await newUser().run(args, { env });
  expect(run).toMatchObject({ stdout: exitCode === 0 ? expect.any(String) : '', exitCode });
});

test('the process exits with 8 after a refused connection', async () => {
  const env = {
    PETSTORE_BASE_URL: `${await newClosedOrigin()}/v1`,
    PETSTORE_API_KEY: 'pets_key_123456',
  };
  expect((await newUser().run(['pets', 'list'], { env })).exitCode).toBe(8);
});
