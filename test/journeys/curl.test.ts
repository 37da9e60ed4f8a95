import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { startCannedServer } from '../support/canned-server.js';
import { isInstalled } from '../support/is-installed.js';
import { newUser, type RunOptions, temporaryDirectory } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';

const canary = 'pets_canary_0123456789';

/** What a shell prints for a script, as it would on a terminal into which it is pasted. */
async function pasted(script: string, env: Readonly<Record<string, string>>) {
  // A curl that reads this would follow where it must not.
  const home = temporaryDirectory();
  return execa('sh', ['-es'], {
    input: script,
    env: { PATH: process.env.PATH ?? '', HOME: home, http_proxy: 'http://127.0.0.1:1', ...env },
    extendEnv: false,
    reject: false,
  });
}

test.skipIf(!isInstalled('curl')).each<[string, readonly string[], RunOptions?]>([
  ['a list', ['pets', 'list', '--status', 'available', '--limit', '3']],
  ['every page, which is the first', ['pets', 'list', '--limit', '100']],
  ['orders', ['orders', 'list']],
  ['a raw list', ['api', '/pets?limit=2']],
  ['a raw path with brackets', ['api', '/pets?limit=2&x[]={a,b}&y=[1-3]&z=%27']],
  ['a failure', ['api', '/nowhere']],
])('%s by curl is what petstore gets (needs curl)', async (_, args) => {
  const user = newUser();
  const { env } = await startServeProcess();
  const { stdout, stderr, exitCode } = await user.run([...args, '--curl'], { env });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).not.toContain(env.PETSTORE_API_KEY);
  const { stdout: answer } = await pasted(stdout, env);
  const own = await user.run([...args, '--json', '-q'], { env });
  expect(JSON.parse(answer)).toEqual(JSON.parse(own.stdout));
});

test.skipIf(!isInstalled('curl'))(
  'a pet that curl shows and adds is as petstore has it (needs curl)',
  async () => {
    const user = newUser();
    const { env } = await startServeProcess();
    const name = `It's "$HOME" \`id\` !! \\ % @ [a-c] {x,y} 猫 \u202e\u001b[2J`;
    const shown = await user.run(
      ['pets', 'add', '--name', name, '--category-id', '9223372036854775807', '--curl'],
      { env },
    );
    expect(shown).toMatchObject({ stderr: '', exitCode: 0 });
    const created = await pasted(shown.stdout, env);
    expect(created.stdout).toContain('"categoryId":9223372036854775807');
    expect(JSON.parse(created.stdout)).toMatchObject({ id: 73, name });
    const command = await user.run(['pets', 'get', '73', '--curl', '-q'], { env });
    const { stdout } = await pasted(command.stdout, env);
    expect(stdout).toBe(created.stdout);
  },
);

test.skipIf(!isInstalled('curl')).each<[string, readonly string[], string | Uint8Array]>([
  ['@file', ['api', '/x', '--input', '-'], '@/etc/passwd'],
  ['lines', ['api', '/x', '--input', '-'], '\r\n{"a":\n1}\n\n'],
  [
    'every byte',
    ['api', '/x', '-X', 'PUT', '--input', '-'],
    Uint8Array.from({ length: 256 }, (_, byte) => byte),
  ],
  ['a large body', ['api', '/x', '--input', '-'], `{"a":"${"'%\\n".repeat(60_000)}"}`],
  ['nothing', ['api', '/x', '-X', 'DELETE', '--input', '-'], ''],
  [
    'headers',
    ['api', '/x', '-H', 'X-A: @b\t"c" $D `e` \'f\'', '-H', 'X-Empty:', '-H', 'Accept: */*'],
    '',
  ],
  ['a query', ['api', '/x?a=\'"$b`c`[1-2]{3,4}&d=é%00#e'], ''],
  ['HEAD', ['api', '/x', '-X', 'HEAD'], ''],
])('curl sends byte by byte what petstore does: %s (needs curl)', async (_, args, input) => {
  const user = newUser();
  const { env, requests, origin } = await startCannedServer({});
  const odd = { ...env, PETSTORE_BASE_URL: `${origin}/it's/$HOME/[x]/v1` };
  const { stdout } = await user.run([...args, '--curl', '-q'], { env: odd, input });
  expect(requests).toEqual([]);
  const run = await pasted(stdout, env);
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  await user.run([...args, '-q'], { env: odd, input });
  const [byCurl, own] = requests.map(
    ({
      headers: { connection: _, host: __, 'content-length': length, ...headers },
      ...request
    }) => ({
      ...request,
      // That nothing follows may be said or not.
      headers: { ...headers, length: length === '0' ? undefined : length },
    }),
  );
  expect(byCurl).toEqual(own);
});

test('it sends nothing, keeps nothing, and reads no key', async () => {
  const user = newUser();
  const { origin, requests } = await startCannedServer({});
  const env = { PETSTORE_BASE_URL: `${origin}/v1` };
  const lines = [
    ['pets', 'list', '--all'],
    ['pets', 'add', '--name', 'Rex', '--category-id', '1'],
    ['pets', 'get', '1'],
    ['pets', 'export', join(user.home, 'pets.csv')],
    ['orders', 'list'],
    ['auth', 'status', '--check'],
    ['quota', '--refresh'],
    ['api', '/pets', '--paginate'],
    ['doctor'],
  ];
  for (const line of lines) {
    const { stdout, stderr, exitCode } = await user.run([...line, '--curl'], { env });
    expect({ line, exitCode }).toEqual({ line, exitCode: 0 });
    expect(stdout).toMatch(/^curl -q .*\n( .*\n)*$/);
    expect(stderr).toContain('export PETSTORE_API_KEY="$(petstore auth token)"');
    const many = line.includes('--all') || line.includes('--paginate') || line.includes('export');
    expect(stderr.includes('this is the first page')).toBe(many);
  }
  expect(requests).toEqual([]);
  expect(
    readdirSync(user.home, { recursive: true }).filter((name) => !/cache/.test(String(name))),
  ).toEqual([]);
});

test('the key it names is that of the same profile and address', async () => {
  const user = newUser();
  const baseUrl = 'http://127.0.0.1:1/v1';
  await user.run(['profile', 'set', 'staging', '--base-url', baseUrl]);
  const told = async (...flags: readonly string[]) => {
    const { stderr } = await user.run(['pets', 'list', '--curl', ...flags]);
    return stderr.match(/\$\((.*)\)/)?.[1];
  };
  expect(await told('-p', 'staging')).toBe('petstore auth token --profile staging');
  expect(await told('--base-url', baseUrl)).toBe(`petstore auth token --base-url '${baseUrl}'`);
  await user.run(['profile', 'use', 'staging']);
  expect(await told()).toBe('petstore auth token');
});

test.each([
  [['pets', 'list']],
  [['pets', 'add']],
  [['pets', 'get', '1']],
  [['pets', 'export']],
  [['pets', 'import', 'pets.csv']],
  [['orders', 'list']],
  [['auth', 'status', '--check']],
  [['quota', '--refresh']],
  [['api', '/pets']],
  [['doctor']],
])('the sandbox has no address for %j', async (args) => {
  const { stdout, stderr, exitCode } = await newUser().run([...args, '--curl']);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toContain('petstore serve runs the same store for others');
});

test.each<[string, readonly string[], Record<string, string>, string]>([
  ['a profile without a base URL', ['pets', 'list', '-p', 'staging'], {}, 'has no base URL yet'],
  [
    'an import',
    ['pets', 'import', 'pets.csv'],
    { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' },
    'an import is many requests',
  ],
  [
    'a watch',
    ['pets', 'list', '--watch'],
    { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' },
    '--watch is many requests',
  ],
  [
    'what sends nothing',
    ['quota'],
    { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' },
    '--curl has nothing to show',
  ],
  [
    'a dry run',
    ['pets', 'add', '--name', 'x', '--category-id', '1', '--dry-run'],
    { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' },
    '--curl has nothing to show',
  ],
  [
    'what asks again and again',
    ['pets', 'list', '--watch'],
    { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' },
    '--watch is many requests, and --curl shows one',
  ],
  ['a command that never sends', ['config', 'list'], {}, "unknown option '--curl'"],
  [
    'a key in a header',
    ['api', '/pets', '-H', `Authorization: Bearer ${canary}`],
    { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' },
    "the header authorization is petstore's own",
  ],
])('%s is refused', async (_, args, env, words) => {
  const { stdout, stderr, exitCode } = await newUser().run([...args, '--curl'], { env });
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toContain(words);
  expect(stderr).not.toContain(canary);
});
