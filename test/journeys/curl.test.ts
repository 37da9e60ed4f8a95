import { readdirSync } from 'node:fs';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { newUser, type RunOptions, temporaryDirectory } from '../support/petstore.js';
import { isInstalled } from '../support/programs.js';
import { startServeProcess } from '../support/serve-process.js';

const canary = 'pets_canary_0123456789';

/** Commands that can print their request. */
const commands: readonly (readonly string[])[] = [
  ['pets', 'list', '--all'],
  ['pets', 'add', '--name', 'Rex', '--category-id', '1'],
  ['api', '/pets', '--paginate'],
];

/** Runs a printed command in a shell. */
async function runScript(script: string, env: Readonly<Record<string, string>>) {
  // Fails the test if curl uses the proxy of the environment.
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
  ['a page of the maximum size', ['pets', 'list', '--limit', '100']],
  ['orders', ['api', '/store/orders']],
  ['a raw list', ['api', '/pets?limit=2']],
  ['a raw path with brackets', ['api', '/pets?limit=2&x[]={a,b}&y=[1-3]&z=%27']],
  ['an error', ['api', '/nowhere']],
])('curl gets %s like petstore (needs curl)', async (_, args) => {
  const user = newUser();
  const { env } = await startServeProcess();
  const { stdout, stderr, exitCode } = await user.run([...args, '--curl'], { env });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).not.toContain(env.PETSTORE_API_KEY);
  const byCurl = await runScript(stdout, env);
  const byPetstore = await user.run([...args, '--json', '-q'], { env });
  expect(JSON.parse(byCurl.stdout)).toEqual(JSON.parse(byPetstore.stdout));
});

test.skipIf(!isInstalled('curl'))(
  'curl adds and gets a pet with special characters like petstore (needs curl)',
  async () => {
    const user = newUser();
    const { env } = await startServeProcess();
    const name = `It's "$HOME" \`id\` !! \\ % @ [a-c] {x,y} 猫 \u202e\u001b[2J`;
    const add = await user.run(['pets', 'add', '--name', name, '--category-id', '9223372036854775807', '--curl'], {
      env,
    });
    expect(add).toMatchObject({ stderr: '', exitCode: 0 });
    const created = await runScript(add.stdout, env);
    expect(created.stdout).toContain('"categoryId":9223372036854775807');
    expect(JSON.parse(created.stdout)).toMatchObject({ id: 73, name });
    const get = await user.run(['api', '/pets/73', '--curl', '-q'], { env });
    const { stdout } = await runScript(get.stdout, env);
    expect(stdout).toBe(created.stdout);
  },
);

test.skipIf(!isInstalled('curl')).each<[string, readonly string[], string | Uint8Array]>([
  ['a body that looks like @file', ['api', '/x', '--input', '-'], '@/etc/passwd'],
  ['lines', ['api', '/x', '--input', '-'], '\r\n{"a":\n1}\n\n'],
  ['every byte', ['api', '/x', '-X', 'PUT', '--input', '-'], Uint8Array.from({ length: 256 }, (_, byte) => byte)],
  ['a large body', ['api', '/x', '--input', '-'], `{"a":"${"'%\\n".repeat(60_000)}"}`],
  ['an empty body', ['api', '/x', '-X', 'DELETE', '--input', '-'], ''],
  ['headers', ['api', '/x', '-H', 'X-A: @b\t"c" $D `e` \'f\'', '-H', 'X-Empty:', '-H', 'Accept: */*'], ''],
  ['a query', ['api', '/x?a=\'"$b`c`[1-2]{3,4}&d=é%00#e'], ''],
  ['HEAD', ['api', '/x', '-X', 'HEAD'], ''],
])('curl sends %s byte for byte like petstore (needs curl)', async (_, args, input) => {
  const user = newUser();
  const { env, requests, origin } = await startCannedServer({});
  const specialEnv = { ...env, PETSTORE_BASE_URL: `${origin}/it's/$HOME/[x]/v1` };
  const { stdout } = await user.run([...args, '--curl', '-q'], { env: specialEnv, input });
  expect(requests).toEqual([]);
  const run = await runScript(stdout, env);
  expect(run).toMatchObject({ exitCode: 0, stderr: '' });
  await user.run([...args, '-q'], { env: specialEnv, input });
  const [byCurl, byPetstore] = requests.map(
    // Each run of a curl command is another create, so it has no key.
    ({
      headers: { connection: _, host: __, 'idempotency-key': ___, 'content-length': length, ...headers },
      ...request
    }) => ({
      ...request,
      // Content-Length: 0 is optional.
      headers: { ...headers, length: length === '0' ? undefined : length },
    }),
  );
  expect(byCurl).toEqual(byPetstore);
});

test('--curl sends nothing, writes nothing and reads no key', async () => {
  const user = newUser();
  const { origin, requests } = await startCannedServer({});
  const env = { PETSTORE_BASE_URL: `${origin}/v1` };
  for (const args of commands) {
    const { stdout, stderr, exitCode } = await user.run([...args, '--curl'], { env });
    expect({ args, exitCode }).toEqual({ args, exitCode: 0 });
    expect(stdout).toMatch(/^curl -q .*\n( .*\n)*$/);
    expect(stderr).toContain('PETSTORE_API_KEY="$(petstore auth token)"');
    const isPaginated = /--all|--paginate/.test(args.join(' '));
    expect(stderr.includes('curl fetches only the first page.')).toBe(isPaginated);
  }
  expect(requests).toEqual([]);
  const files = readdirSync(user.home, { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => !name.includes('cache'))).toEqual([]);
});

test('--curl names the key of the same profile and base URL', async () => {
  const user = newUser();
  const baseUrl = 'http://127.0.0.1:1/v1';
  await user.run(['profile', 'set', 'staging', '--base-url', baseUrl]);
  const keyCommand = async (...flags: readonly string[]) => {
    const { stderr } = await user.run(['pets', 'list', '--curl', ...flags]);
    return stderr.match(/\$\((.*)\)/)?.[1];
  };
  expect(await keyCommand('-p', 'staging')).toBe('petstore auth token --profile staging');
  expect(await keyCommand('--base-url', baseUrl)).toBe(`petstore auth token --base-url ${baseUrl}`);
  await user.run(['profile', 'use', 'staging']);
  expect(await keyCommand()).toBe('petstore auth token');
});

test('--curl fails for the sandbox, which has no address', async () => {
  const { run } = newUser();
  for (const args of [...commands, ['pets', 'add']]) {
    const { stdout, stderr, exitCode } = await run([...args, '--curl']);
    expect({ args, stdout, exitCode }).toEqual({ args, stdout: '', exitCode: 2 });
    expect(stderr).toContain('the sandbox has no HTTP endpoint for curl');
  }
});

test.each<[string, readonly string[], string]>([
  ['a profile without a base URL', ['pets', 'list', '-p', 'staging'], 'has no base URL'],
  ['--watch', ['pets', 'list', '--watch'], '--curl cannot show --watch, which sends many requests'],
  ['another command', ['pets', 'get', '1'], 'unknown flag --curl'],
  [
    'a key in a header',
    ['api', '/pets', '-H', `Authorization: Bearer ${canary}`],
    'petstore sets the header authorization itself',
  ],
])('--curl fails for %s', async (_, args, message) => {
  const env = args.includes('-p') ? {} : { PETSTORE_BASE_URL: 'http://127.0.0.1:1/v1' };
  const { stdout, stderr, exitCode } = await newUser().run([...args, '--curl'], { env });
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toContain(message);
  expect(stderr).not.toContain(canary);
});
