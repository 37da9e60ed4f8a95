import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/canned-server.js';
import { createTestCli, type TestCli } from '../../support/test-cli.js';

const key = 'pets_0123456789abcdefghijklmnopqrstuvwxyz';

const configFile = (cli: TestCli) => join(cli.home, '.config/petstore/config.json');

test('list prints three built-in profiles, and the sandbox is current', async () => {
  const { stdout } = await createTestCli().run(['profile', 'list']);
  expect(stdout).toBe(
    [
      'name        current  baseUrl   output  key',
      'sandbox     yes      embedded  -       -',
      'staging     no       -         -       -',
      'production  no       -         -       -\n',
    ].join('\n'),
  );
});

test('a profile can be set, used, shown and removed', async () => {
  const cli = createTestCli();
  const run = (line: string) => cli.run(['profile', ...line.split(' ')]);
  expect(await run('set acme --base-url https://acme.example/v1 -o json')).toEqual({
    stdout: '',
    stderr: '✓ Created profile acme\n',
    exitCode: 0,
  });
  expect((await run('use acme -o table')).stderr).toBe('✓ Switched to profile acme\n');
  expect((await run('show -o table')).stdout).toBe(
    'name:    acme\ncurrent: yes\nbaseUrl: https://acme.example/v1\noutput:  json\nkey:     -\n',
  );
  expect((await run('remove acme --yes -o table')).stderr).toBe(
    '✓ Deleted profile acme\nThe current profile is now sandbox.\n',
  );
  expect((await run('show --fields name')).stdout).toBe('name: sandbox\n');
});

test('removing the profile of the sandbox resets only its settings', async () => {
  const cli = createTestCli();
  await cli.run(['pets', 'list']);
  await cli.run(['profile', 'set', 'sandbox', '--output', 'json']);
  const { stdout } = await cli.run(['auth', 'status', '--fields', 'key']);
  expect(await cli.run(['profile', 'remove', 'sandbox', '--yes', '-o', 'table'])).toEqual({
    stdout: '',
    stderr: '✓ Reset the settings of profile sandbox\n',
    exitCode: 0,
  });
  expect(await cli.run(['profile', 'show', '--fields', 'output'])).toMatchObject({ stdout: 'output: -\n' });
  expect(await cli.run(['auth', 'status', '--fields', 'key', '--json'])).toMatchObject({ stdout });
});

test.each([
  ['set a.b --base-url https://x/v1', 'a profile name must have 1 to 64 letters'],
  ['set __proto__ -o table', 'a profile name must have 1 to 64 letters'],
  ['set x --base-url https://user:pw@x/v1', 'the base URL must not contain a user name'],
  ['set x --base-url https://x/v1?key=1', 'the base URL must not contain a query'],
  ['set x --base-url http://example.com/v1', 'the base URL must use https'],
  ['set sandbox --base-url https://x/v1', 'cannot set a base URL for the sandbox'],
  ['set x', 'profile set needs --base-url, --output, --read-only or --no-read-only'],
  ['use stging', 'unknown profile "stging"'],
  ['use', 'the profile is missing\n  hint: run petstore profile list, then pass a name'],
  ['remove acme', 'unknown profile "acme"\n  hint: run petstore profile list to list all profiles\n'],
  ['remove staging', 'resetting profile staging needs confirmation\n  hint: pass --yes'],
  ['remove sandbox', 'resetting the settings of profile sandbox needs confirmation\n  hint: pass --yes'],
  ['rename nobody other', 'unknown profile "nobody"'],
  ['rename staging other', 'cannot rename staging, because it is a built-in profile'],
  ['rename sandbox other', 'cannot rename sandbox, because it is a built-in profile'],
])('profile %s fails and changes nothing', async (line, message) => {
  const cli = createTestCli();
  const run = await cli.run(['profile', ...line.split(' ')]);
  expect(run.stderr).toContain(`error: ${message}`);
  expect(run.exitCode).toBe(2);
  expect(existsSync(configFile(cli))).toBe(false);
});

test.each([
  [
    'prodution --read-only',
    '✓ Created profile prodution\n! profile prodution has no base URL; did you mean "production"?\n',
  ],
  ['team -o json', '✓ Created profile team\n! profile team has no base URL\n'],
  ['staging --read-only', '✓ Saved profile staging\n'],
])('profile set %s says whether it created a profile that cannot be used yet', async (line, stderr) => {
  expect((await createTestCli().run(['profile', 'set', ...line.split(' ')])).stderr).toBe(stderr);
});

test('show and list have the API key of the sandbox that auth status has', async () => {
  const cli = createTestCli();
  const keyOf = async (...words: string[]) => [JSON.parse((await cli.run([...words, '--json'])).stdout)].flat()[0].key;
  expect(await keyOf('profile', 'show')).toBe(null);
  await cli.run(['pets', 'list']);
  const key = await keyOf('auth', 'status');
  expect(key).toMatch(/^pets_…\w{4}$/);
  expect(await keyOf('profile', 'show')).toBe(key);
  expect(await keyOf('profile', 'list')).toBe(key);
});

test('use does not overwrite invalid settings', async () => {
  const cli = createTestCli();
  mkdirSync(dirname(configFile(cli)), { recursive: true });
  writeFileSync(configFile(cli), '{"settings":"abc"}');
  const { stderr, exitCode } = await cli.run(['profile', 'use', 'staging']);
  expect(stderr).toContain(`error: "settings" in ${configFile(cli)} is not a JSON object`);
  expect(exitCode).toBe(1);
  expect(readFileSync(configFile(cli), 'utf8')).toBe('{"settings":"abc"}');
});

test('a profile may have the name of an object member', async () => {
  const cli = createTestCli();
  await cli.run(['profile', 'set', 'constructor', '--base-url', 'https://x.example/v1']);
  const { stdout } = await cli.run(['profile', 'show', 'constructor', '--fields', 'baseUrl']);
  expect(stdout).toBe('baseUrl: https://x.example/v1\n');
  expect((await cli.run(['profile', 'show', 'toString'])).exitCode).toBe(2);
});

test('rename keeps the base URL, the defaults and the API key, and the profile stays current', async () => {
  const cli = createTestCli();
  const { origin } = await startCannedServer({});
  const login = ['auth', 'login', '-p', 'acme', '--with-key', '--base-url', `${origin}/v1`];
  expect((await cli.run(login, { input: key })).exitCode).toBe(0);
  await cli.run(['profile', 'set', 'acme', '-o', 'yaml']);
  const show = (name: string) => cli.run(['profile', 'show', name, '--json']);
  const before = JSON.parse((await show('acme')).stdout);
  expect(before).toMatchObject({ name: 'acme', current: true, output: 'yaml', key: 'pets_…wxyz' });
  expect(await cli.run(['profile', 'rename', 'acme', 'acme-test'])).toEqual({
    stdout: '',
    stderr: '✓ Renamed profile acme to acme-test\n',
    exitCode: 0,
  });
  expect(JSON.parse((await show('acme-test')).stdout)).toEqual({ ...before, name: 'acme-test' });
  expect((await show('acme')).exitCode).toBe(2);
  expect((await cli.run(['pets', 'list'])).exitCode).toBe(0);
  const credentials = readFileSync(join(dirname(configFile(cli)), 'credentials.json'), 'utf8');
  expect(Object.keys(JSON.parse(credentials).keys)).toEqual(['acme-test']);
});

test.each([
  ['other', 'the profile other exists already'],
  ['staging', 'the profile staging exists already'],
  ['a.b', 'a profile name must have 1 to 64 letters'],
])('rename to %s fails', async (name, message) => {
  const cli = createTestCli();
  for (const profile of ['acme', 'other']) await cli.run(['profile', 'set', profile, '-o', 'table']);
  const before = readFileSync(configFile(cli), 'utf8');
  const run = await cli.run(['profile', 'rename', 'acme', name]);
  expect(run.stderr).toContain(`error: ${message}`);
  expect(run.exitCode).toBe(2);
  expect(readFileSync(configFile(cli), 'utf8')).toBe(before);
});

test('list warns about unreadable API keys, and show fails', async () => {
  const cli = createTestCli();
  await cli.run(['profile', 'set', 'staging', '--output', 'json']);
  writeFileSync(join(dirname(configFile(cli)), 'credentials.json'), '{', { mode: 0o600 });
  const list = await cli.run(['profile', 'list', '--no-header', '--fields', 'name']);
  expect(list).toMatchObject({ stdout: 'sandbox\nstaging\nproduction\n', exitCode: 0 });
  expect(list.stderr).toMatch(/^! .*credentials\.json is not a JSON object/);
  const show = await cli.run(['profile', 'show', 'staging']);
  expect(show.stderr).toMatch(/^error: .*credentials\.json is not a JSON object/);
  expect(show.exitCode).toBe(1);
});

test('use warns about a variable that selects another profile', async () => {
  const env = { PETSTORE_PROFILE: 'production' };
  expect((await createTestCli().run(['profile', 'use', 'staging'], { env })).stderr).toContain(
    '! PETSTORE_PROFILE still selects profile production; change or unset it to use staging\n',
  );
});

test.each([
  [['-p', 'staging'], {}, 'The current profile is now sandbox.\n'],
  [
    [],
    { PETSTORE_PROFILE: 'staging' },
    'The saved profile is now sandbox.\n! PETSTORE_PROFILE still selects profile staging; change or unset it to use sandbox\n',
  ],
])(
  'removing the saved profile with the flags %j and the variables %j names the new one',
  async (flags, env, messages) => {
    const cli = createTestCli();
    await cli.run(['profile', 'set', 'acme', '--base-url', 'https://acme.example/v1']);
    await cli.run(['profile', 'use', 'acme']);
    const run = await cli.run(['profile', 'remove', 'acme', '--yes', ...flags], { env });
    expect(run.stderr).toBe(`✓ Deleted profile acme\n${messages}`);
  },
);
