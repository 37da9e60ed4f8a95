import { readdirSync } from 'node:fs';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { newUser, type RunOptions, temporaryDirectory } from '../support/petstore.js';
import { isInstalled } from '../support/programs.js';
import { startServeProcess } from '../support/serve-process.js';

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
    expect(stderr).toContain('Set PETSTORE_API_KEY before you run the command.');
    const isPaginated = /--all|--paginate/.test(args.join(' '));
    expect(stderr.includes('curl fetches only the first page.')).toBe(isPaginated);
  }
  expect(requests).toEqual([]);
  const files = readdirSync(user.home, { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => !name.includes('cache'))).toEqual([]);
});

test('--curl rejects a filter that the API does not have', async () => {
  const { stdout, stderr, exitCode } = await newUser().run(['pets', 'list', '--name', 'ada', '--curl']);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toContain('--curl cannot show --name');
});
