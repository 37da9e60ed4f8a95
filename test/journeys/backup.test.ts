import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newUser } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';

test('a backup of a running server can be served, and its API key works', async () => {
  const user = newUser();
  const [database, copy] = [join(user.home, 'store.db'), join(user.home, 'copy.db')];
  const { env } = await startServeProcess('--database', database);
  const added = await user.run(['pets', 'add', '--name', 'Rex', '--category-id', '1', '--json'], { env });
  expect(added.exitCode).toBe(0);
  expect(await user.run(['serve', 'backup', copy, '--database', database])).toEqual({
    stdout: '',
    stderr: `✓ Backed up 73 pets and 1 API key to ${copy}\n`,
    exitCode: 0,
  });
  const { baseUrl } = await startServeProcess('--database', copy);
  const restored = { ...env, PETSTORE_BASE_URL: baseUrl };
  const { stdout } = await user.run(['pets', 'list', '--all', '--json'], { env: restored });
  expect(JSON.parse(stdout)).toHaveLength(73);
  expect(stdout).toContain('"name": "Rex"');
});
