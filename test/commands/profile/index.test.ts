import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { startCannedServer } from '../../support/http-server.js';
import { createTestCli, type TestCli } from '../../support/test-cli.js';

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

test('a profile can be set, used, listed and removed', async () => {
  const cli = createTestCli();
  const run = (line: string) => cli.run(['profile', ...line.split(' ')]);
  expect(await run('set acme --base-url https://acme.example/v1 -o json')).toEqual({
    stdout: '',
    stderr: '✓ Created profile acme\n',
    exitCode: 0,
  });
  expect((await run('use acme -o table')).stderr).toBe('✓ Switched to profile acme\n');
  expect((await run('list -o table')).stdout).toContain('\nacme        yes      https://acme.example/v1  json    -\n');
  expect((await run('remove acme --yes -o table')).stderr).toBe(
    '✓ Deleted profile acme\nThe current profile is now sandbox.\n',
  );
  expect((await run('list')).stdout).not.toContain('acme');
});

test('removing the profile of the sandbox resets only its settings', async () => {
  const cli = createTestCli();
  await cli.run(['pets', 'list']);
  await cli.run(['profile', 'set', 'sandbox', '--output', 'json']);
  const { stdout } = await cli.run(['auth', 'status', '--fields', 'key']);
  expect(await cli.run(['profile', 'remove', 'sandbox', '--yes', '-o', 'table'])).toEqual({
    stdout: '',
    stderr: '✓ Reset profile sandbox\n',
    exitCode: 0,
  });
  const list = await cli.run(['profile', 'list', '--no-header', '--fields', 'name,output']);
  expect(list.stdout).toMatch(/^sandbox +-\n/);
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
  ['remove acme', 'unknown profile "acme"\n  hint: run petstore profile list to list all profiles, or'],
  ['remove staging', 'resetting profile staging needs confirmation\n  hint: pass --yes'],
  ['remove sandbox', 'resetting profile sandbox needs confirmation\n  hint: pass --yes'],
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
  const { stdout } = await cli.run(['profile', 'list', '--fields', 'name,baseUrl', '--no-header']);
  expect(stdout).toMatch(/^constructor +https:\/\/x\.example\/v1$/m);
  expect((await cli.run(['profile', 'use', 'toString'])).exitCode).toBe(2);
});

test('list warns about unreadable API keys', async () => {
  const cli = createTestCli();
  await cli.run(['profile', 'set', 'staging', '--output', 'json']);
  writeFileSync(join(dirname(configFile(cli)), 'credentials.json'), '{', { mode: 0o600 });
  const list = await cli.run(['profile', 'list', '--no-header', '--fields', 'name']);
  expect(list).toMatchObject({ stdout: 'sandbox\nstaging\nproduction\n', exitCode: 0 });
  expect(list.stderr).toMatch(/^! .*credentials\.json is not a JSON object/);
});

test.each([
  ['quota', 'petstore quota --refresh --profile acme'],
  ['pets get Rex', 'run petstore pets list --name Rex --profile acme'],
  ['pets add --name Rex --category-id 1', 'run petstore pets list --all --profile acme'],
])('the hint of petstore %s names the saved profile, which may change before it is followed', async (line, hint) => {
  const { env, origin } = await startCannedServer({ status: 503, headers: { 'retry-after': '500' } });
  const { PETSTORE_API_KEY = '' } = env;
  const cli = createTestCli({ env: { PETSTORE_API_KEY } });
  await cli.run(['profile', 'set', 'acme', '--base-url', `${origin}/v1`]);
  await cli.run(['profile', 'use', 'acme']);
  const { stderr } = await cli.run(line.split(' '));
  expect(stderr).toContain(hint);
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
