import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { newUser, temporaryDirectory } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';
import { openShell, openTerminal, keys as typed } from '../support/terminal.js';

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

test('serve keys rejects the label of another API key, and revokes an API key by its label', async () => {
  const script = `
    petstore serve keys create --plan pro --label ci
    petstore serve keys create --plan free --label ci; echo code $?
    petstore serve keys revoke ci --yes
    petstore serve keys list`;
  const shell = openShell(newUser().home, script);
  expect(await shell.exitCode).toBe(0);
  const [created = '', rest = ''] = stripVTControlCharacters(shell.output()).split('error: ');
  const prefix = /pets_\w{4}…/.exec(created)?.[0];
  expect(rest).toBe(
    [
      `the API key ${prefix} has the label ci already`,
      '  hint: pass another --label, or revoke that API key first',
      'code 2',
      `✓ Revoked API key ${prefix} (ci)`,
      'No API keys found. The next start of petstore serve creates one.',
      '',
    ].join('\r\n'),
  );
});

test('serve keys list shows relative times in a table', async () => {
  const expiresAt = new Date(Date.now() + (35 * 24 + 7) * 3_600_000 + 1_800_000).toISOString();
  const script = `
    petstore serve keys create --plan pro --label ci --expires ${expiresAt}
    petstore serve keys create --plan free --label other
    petstore serve keys list`;
  const shell = openShell(newUser().home, script, { columns: 200 });
  expect(await shell.exitCode).toBe(0);
  const lines = stripVTControlCharacters(shell.output()).split('\r\n');
  expect(lines).toContainEqual(expect.stringMatching(/^EXPIRES +in 35d 7h$/));
  expect(lines.at(-4)).toMatch(/^KEY PREFIX .* EXPIRES +CREATED +LABEL$/);
  expect(lines.at(-3)).toMatch(/^pets_\w{4}… .* in 35d 7h +(now|\d+s ago) +ci$/);
  expect(lines.at(-2)).toMatch(/^pets_\w{4}… .* - +(now|\d+s ago) +other$/);
});
