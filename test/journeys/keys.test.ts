import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newUser, temporaryDirectory } from '../support/petstore.js';
import { startServe } from '../support/served.js';
import { openTerminal, keys as typed } from '../support/terminal.js';

test('a key is created, used, listed and revoked while the store runs, and seen by nobody else', async () => {
  const folder = temporaryDirectory();
  const database = join(folder, 'store.db');
  const user = newUser();
  const keys = (...words: readonly string[]) =>
    user.run(['serve', 'keys', ...words, '--database', database, '--verbose']);
  const served = [
    await startServe('--database', database, '--verbose'),
    await startServe('--database', database, '--verbose', '--debug'),
  ];
  const created = await keys('create', '--plan', 'pro', '--label', 'ci', '--json');
  const { apiKey, keyPrefix } = JSON.parse(created.stdout);
  const list = (at: number, key = apiKey) => {
    const env = { ...served[at]?.env, PETSTORE_API_KEY: key };
    return user.run(['pets', 'list', '--limit', '1'], { env });
  };
  expect((await list(0)).stderr).toContain('299 of 300 requests left');
  expect((await list(1)).stderr).toContain('298 of 300 requests left');
  const listed = await keys('list', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { plan: 'free', minuteLeft: 60 },
    { keyPrefix, plan: 'pro', label: 'ci', minuteLeft: 298, dayLeft: 9_998 },
  ]);
  expect((await keys('revoke', 'ci')).exitCode).toBe(2);
  const revoked = await keys('revoke', 'ci', '--yes');
  expect(revoked).toMatchObject({ stderr: `the key ${keyPrefix} (ci) is revoked\n`, exitCode: 0 });
  for (const at of [0, 1]) expect((await list(at)).exitCode).toBe(3);
  expect((await list(1, served[0]?.apiKey)).exitCode).toBe(0);

  const seen = [
    created.stderr,
    ...[listed, revoked].flatMap(({ stdout, stderr }) => [stdout, stderr]),
    ...bytesIn(folder),
  ];
  for (const serve of served) seen.push((await serve.stop()).log);
  expect(seen.filter((text) => text.includes(apiKey.slice(5)))).toEqual([]);
});

test('each key has its own windows and its own ban', async () => {
  const database = join(temporaryDirectory(), 'store.db');
  const user = newUser();
  const create = async (...flags: readonly string[]) => {
    const words = ['serve', 'keys', 'create', ...flags, '--database', database, '--json'];
    return JSON.parse((await user.run(words)).stdout).apiKey as string;
  };
  const small = await create('--plan', 'enterprise', '--per-minute', '2', '--per-day', '50');
  const large = await create('--plan', 'business');
  const { baseUrl, apiKey } = await startServe('--database', database);
  expect(apiKey).toBe('');
  const send = async (key: string) => {
    const { headers, status } = await fetch(`${baseUrl}/pets?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return [status, Number(headers.get('x-ratelimit-remaining'))];
  };
  const statuses = [];
  for (let sent = 0; sent < 12; sent += 1) statuses.push((await send(small))[0]);
  expect(statuses).toEqual([200, 200, ...Array(10).fill(429)]);
  expect(await send(large)).toEqual([200, 999]);
  const { stdout } = await user.run(['serve', 'keys', 'list', '--database', database, '--json']);
  expect(JSON.parse(stdout)).toMatchObject([
    { minuteLeft: 0, dayLeft: 48, bannedUntil: expect.stringMatching(/^\d{4}-.*Z$/) },
    { minuteLeft: 999, dayLeft: 99_999, bannedUntil: null },
  ]);
});

test('revoke asks on a terminal, and create for the plan', async () => {
  const user = newUser();
  const create = openTerminal(user.home, ['serve', 'keys', 'create', '--label', 'ci']);
  await create.see('Plan');
  create.type(typed.down + typed.enter);
  await create.see('label:');
  expect(await create.exitCode).toBe(0);
  expect(create.output()).toMatch(/plan:[^\n]* pro\r?\n/);
  for (const [answer, exitCode] of [
    ['n', 130],
    ['y', 0],
  ] as const) {
    const revoke = openTerminal(user.home, ['serve', 'keys', 'revoke', 'ci']);
    await revoke.see('Revoke the key');
    revoke.type(answer + typed.enter);
    expect(await revoke.exitCode).toBe(exitCode);
  }
});

function bytesIn(folder: string): readonly string[] {
  return readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
}
