import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { bareEnv, binary, newUser, node, type User } from '../support/petstore.js';
import { createTestCli } from '../support/test-cli.js';
import { startTamperingServer, testKey } from '../support/test-server.js';

interface ErrorObject {
  readonly code: string;
  readonly missing?: unknown;
  readonly next?: readonly string[];
}

const apiKey = 'pets_live_0123456789abcdefghijklmnopqrstuv';

/** Each command line with its error code, the commands of `next`, and `missing`. */
const cases: readonly (readonly [string, string, readonly string[], unknown?])[] = [
  ['list --json', 'unknown_command', []],
  [`list ${apiKey} --json`, 'unknown_command', []],
  [`${apiKey} --json`, 'unknown_command', []],
  ['pets list --zzz --json', 'unknown_option', []],
  [`pets list --stats=${apiKey} --json`, 'unknown_option', []],
  [`pets list --key ${apiKey} --json`, 'unknown_option', []],
  ['pets list --all=x --json', 'invalid_flag', []],
  [`pets add ${apiKey} --json`, 'invalid_argument', []],
  ['pets import --json', 'missing_input', [], [{ argument: 'file' }]],
  ['pets add --json', 'missing_input', [], [{ flag: '--name' }, { flag: '--category-id' }]],
  ['pets get --json', 'missing_input', [], [{ argument: 'petId' }]],
  ['profile use --json', 'missing_input', [], [{ argument: 'name', choices: ['sandbox', 'staging', 'production'] }]],
  ['sandbox reset --json', 'missing_input', [], [{ flag: '--yes' }]],
  ['pets list -p nope --json', 'unknown_profile', []],
  ['config get nope --json', 'unknown_setting', []],
  ['pets browse --json', 'no_terminal', []],
  ['auth token --json', 'no_key', []],
  ['help pets lst --json -o table', 'unknown_command', []],
];

for (const [words, code, next, missing] of cases) {
  test(`the error of petstore ${words} has the code ${code} and names the next commands`, async () => {
    const args = words.replace(' --json -o table', '').split(' ');
    const { stderr } = await createTestCli({ env: { PETSTORE_OUTPUT: 'json' } }).run(args);
    const error = errorIn(stderr);
    expect([error.code, error.next ?? [], error.missing]).toEqual([code, next, missing]);
    expect(stderr).not.toContain(apiKey);
  });
}

test('the command in `next` resumes a rate limited command', async () => {
  const user = newUser();
  const limited = { status: 429, headers: { 'retry-after': '1' }, body: '{"code":"slow","message":"slow"}' };
  const { env } = await startCannedServer(limited, { body: '[{"id":1,"name":"Rex"}]' });
  const args = ['pets', 'list', '--fields', 'id name', '-o', 'json', '--max-wait', '0'];
  const { stderr, exitCode } = await user.run(args, { env });
  const [next = ''] = errorIn(stderr).next ?? [];
  expect([exitCode, next]).toEqual([
    6,
    `petstore pets list --fields 'id name' -o json --max-wait 0 --base-url ${env.PETSTORE_BASE_URL} --max-wait 60`,
  ]);
  const resumed = await runInShell(user, next, env);
  expect(resumed.stderr).not.toContain('error');
  expect(JSON.parse(resumed.stdout)).toEqual([{ id: 1, name: 'Rex' }]);
});

test('the command in `next` resumes an import', async () => {
  const user = newUser();
  const file = join(user.home, "Ann's pets.csv");
  writeFileSync(file, 'name,categoryId\nRex,1\nTom,2\n');
  const created = { status: 201, body: '{"id":1,"name":"Rex","categoryId":1}' };
  const limited = { status: 429, headers: { 'retry-after': '1' }, body: '{"code":"slow","message":"slow"}' };
  const { env } = await startCannedServer(created, limited, created);
  const args = ['pets', 'import', file, '--json', '--max-wait', '0'];
  const { stderr, exitCode } = await user.run(args, { env });
  const [next = ''] = errorIn(stderr).next ?? [];
  expect(exitCode).toBe(10);
  expect((await runInShell(user, next.replace('--max-wait 0', '--max-wait 2'), env)).exitCode).toBe(0);
});

test.each([
  ['a pet', []],
  ['a pet with a status', ['--status', 'sold']],
])('the command in `next` settles a create of %s whose outcome is unknown', async (_, flags) => {
  const user = newUser();
  let isDown = true;
  const { env } = await startTamperingServer((answer, line) =>
    isDown && line.startsWith('POST') ? { ...answer, status: 500, body: new TextEncoder().encode('{}') } : answer,
  );
  const args = ['pets', 'add', '--name', "Ann's Rex", '--category-id', '1', ...flags, '--json', '--timeout', '1'];
  const { stderr, exitCode } = await user.run(args, { env });
  const [next = ''] = errorIn(stderr).next ?? [];
  expect([exitCode, next]).toEqual([9, expect.stringContaining("petstore api /pets -X POST -f 'name=Ann'\\''s Rex'")]);
  expect(stderr).not.toContain(testKey);
  isDown = false;
  const settled = await runInShell(user, next, env);
  expect(JSON.parse(settled.stdout)).toMatchObject({ name: "Ann's Rex" });
  const { stdout } = await user.run(['pets', 'list', '--all', '--jq', 'map(select(.name == "Ann\'s Rex")) | length'], {
    env,
  });
  expect(stdout).toBe('1\n');
});

function errorIn(stderr: string): ErrorObject {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').error;
}

/** Runs a command line in a shell without a terminal, with `petstore` on the path. */
async function runInShell({ home }: User, line: string, env: Readonly<Record<string, string>> = {}) {
  const folder = join(home, 'bin');
  const program = join(folder, 'petstore');
  if (!existsSync(folder)) {
    mkdirSync(folder);
    writeFileSync(program, `#!/bin/sh\nexec '${node}' '${binary}' "$@"\n`, { mode: 0o755 });
  }
  const base = bareEnv(home);
  return execa('sh', ['-c', line], {
    env: { ...base, PATH: `${folder}:${base.PATH}`, ...env },
    extendEnv: false,
    input: '',
    reject: false,
  });
}
