import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newUser } from '../support/petstore.js';

test('pets list works without an account or configuration', async () => {
  const user = newUser();
  const first = await user.run(['pets', 'list', '--status', 'available', '--limit', '3']);
  expect(first).toMatchInlineSnapshot(`
    id  name    categoryId  status
    1   Ada     1           available
    2   Archie  2           available
    4   Balu    4           available
    --- stderr
    You are using the sandbox: sample pets on this machine.
    To use a real service, run petstore auth login --profile production --base-url <url>.
    Showing the first 3 pets. Use --all to list every pet.
    sandbox · 59 of 60 requests left · resets in …
    --- exit 0
  `);
  const second = await user.run(['pets', 'list', '--status', 'available', '--limit', '1']);
  expect(second).toMatchInlineSnapshot(`
    id  name  categoryId  status
    1   Ada   1           available
    --- stderr
    Showing the first pet. Use --all to list every pet.
    sandbox · 58 of 60 requests left · resets in …
    --- exit 0
  `);
});

test('without HOME, the home directory is that of the account', async () => {
  const { stdout } = await newUser().run(['sandbox', 'status', '--jq', '.path'], { env: { HOME: '' } });
  expect(stdout).toContain(`${userInfo().homedir}/`);
});

test('eight concurrent first runs share one sandbox, one key and one quota', async () => {
  const user = newUser();
  const runs = await Promise.all(Array.from({ length: 8 }, () => user.run(['pets', 'list', '--json', '--limit', '1'])));
  expect(runs.map(({ exitCode }) => exitCode)).toEqual(Array(8).fill(0));
  const left = runs.map(({ stderr }) => Number(/(\d+) of 60/.exec(stderr)?.[1])).sort();
  // A command that ends later shows what the others have used.
  for (const [index, count] of left.entries()) expect(count).toBeLessThanOrEqual(52 + index);
  expect(left[0]).toBe(52);
  const introduced = runs.filter(({ stderr }) => stderr.includes('sample pets'));
  expect(introduced).toHaveLength(1);
});

test('all files are private to the user', async () => {
  const user = newUser();
  await user.run(['pets', 'list', '--quiet']);
  const mode = (path: string) => (statSync(join(user.home, path)).mode & 0o777).toString(8);
  expect(mode('.config/petstore')).toBe('700');
  expect(mode('.config/petstore/credentials.json')).toBe('600');
  expect(mode('.local/share/petstore/sandbox/store.db')).toBe('600');
  expect(mode('.local/state/petstore/quota')).toBe('700');
});
