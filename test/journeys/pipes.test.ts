import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startAnswering } from '../support/answers.js';
import { bareEnv, binary, newUser } from '../support/petstore.js';

test('a closed pipe ends quietly', async () => {
  const name = 'x'.repeat(100_000);
  const pets = Array.from({ length: 50 }, (_, id) => ({ id, name, categoryId: 1 }));
  const { env } = await startAnswering({ body: JSON.stringify(pets) });
  const user = newUser();
  const child = spawn(process.execPath, [binary, 'pets', 'list', '-o', 'ndjson'], {
    env: { ...bareEnv(user.home), ...env },
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const [code] = await once(child, 'exit');
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr:
      'there may be more pets: the service sent as many as were asked for, and no next page\n',
  });
});

test('a whole result reaches a slow reader', async () => {
  const name = 'x'.repeat(10_000);
  const pets = Array.from({ length: 100 }, (_, id) => ({ id, name, categoryId: 1 }));
  const { env } = await startAnswering({ body: JSON.stringify(pets) });
  const { stdout } = await newUser().run(['pets', 'list', '--json', '--limit', '100'], { env });
  expect(JSON.parse(stdout)).toEqual(pets);
});
