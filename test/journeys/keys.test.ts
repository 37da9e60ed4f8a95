import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newUser, temporaryDirectory } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { openTerminal, keys as typed } from '../support/terminal.js';

test('two running servers accept a new key, reject it once it is revoked, and never show it', async () => {
  const folder = temporaryDirectory();
  const database = join(folder, 'store.db');
  const user = newUser();
  const keys = (...args: readonly string[]) =>
    user.run(['serve', 'keys', ...args, '--database', database, '--verbose']);
  const servers = [
    await startServeProcess('--database', database, '--verbose'),
    await startServeProcess('--database', database, '--verbose'),
  ];
  const created = await keys('create', '--plan', 'pro', '--label', 'ci', '--json');
  const { apiKey, keyPrefix } = JSON.parse(created.stdout);
  const list = (index: number, key = apiKey) => {
    const env = { ...servers[index]?.env, PETSTORE_API_KEY: key };
    return user.run(['pets', 'list', '--limit', '1'], { env });
  };
  expect((await list(0)).stderr).toContain('299 of 300 requests left');
  expect((await list(1)).stderr).toContain('298 of 300 requests left');
  const listed = await keys('list', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { plan: 'free', minuteLeft: 60 },
    { keyPrefix, plan: 'pro', label: 'ci', minuteLeft: 298, dayLeft: 9_998 },
  ]);
  const revoked = await keys('revoke', 'ci', '--yes');
  expect(revoked).toMatchObject({ stderr: `✓ Revoked API key ${keyPrefix} (ci)\n`, exitCode: 0 });
  for (const index of [0, 1]) expect((await list(index)).exitCode).toBe(3);
  expect((await list(1, servers[0]?.apiKey)).exitCode).toBe(0);

  const logs = await Promise.all(servers.map(async ({ stop }) => (await stop()).log));
  const outputs = [listed, revoked].flatMap(({ stdout, stderr }) => [stdout, stderr]);
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  const texts = [created.stderr, ...outputs, ...files, ...logs];
  expect(texts.filter((text) => text.includes(apiKey.slice(5)))).toEqual([]);
});

test('revoke prompts for confirmation', async () => {
  const user = newUser();
  await user.run(['serve', 'keys', 'create', '--label', 'ci']);
  for (const [key, exitCode] of [
    ['n', 130],
    ['y', 0],
  ] as const) {
    const revoke = openTerminal(user.home, ['serve', 'keys', 'revoke', 'ci']);
    await revoke.see('Revoke API key');
    revoke.type(key + typed.enter);
    expect(await revoke.exitCode).toBe(exitCode);
  }
});
