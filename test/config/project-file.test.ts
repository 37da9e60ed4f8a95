import { chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProjectFile } from '../../src/config/config-file.js';
import { startCannedServer } from '../support/canned-server.js';
import { temporaryDirectory } from '../support/petstore.js';
import { createTestCli, type TestCli } from '../support/test-cli.js';

const userId = process.getuid?.() ?? 0;

/** Writes a `.petstore.json`; creates its directory. Returns the path. */
function write(directory: string, content: unknown): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, '.petstore.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

describe('findProjectFile', () => {
  const find = (directory: string | undefined, home: string | undefined, owner = userId) => {
    const ignored: string[] = [];
    const onIgnored = (path: string) => ignored.push(path);
    return { path: findProjectFile(directory, { home, userId: owner, onIgnored }), ignored };
  };

  test('finds the file of the nearest parent, up to the home directory', () => {
    const root = temporaryDirectory();
    const home = join(root, 'home');
    const deep = join(home, 'repository/a/b');
    mkdirSync(deep, { recursive: true });
    const above = write(root, {});
    expect(find(deep, home).path).toBeUndefined();
    const inHome = write(home, {});
    expect(find(deep, `${home}/`).path).toBe(inHome);
    const inRepository = write(join(home, 'repository'), {});
    expect(find(deep, home).path).toBe(inRepository);
    const here = write(deep, {});
    expect(find(deep, home).path).toBe(here);
    // Outside the home directory, and without one, every parent counts.
    expect(find(root, home).path).toBe(above);
    expect(find(join(root, 'missing/directory'), undefined).path).toBe(above);
  });

  test('stops at a home directory that is a symbolic link', () => {
    const root = temporaryDirectory();
    const directory = join(root, 'real/repository');
    mkdirSync(directory, { recursive: true });
    symlinkSync(join(root, 'real'), join(root, 'home'));
    write(root, {});
    expect(find(directory, join(root, 'home')).path).toBeUndefined();
  });

  test('ignores files and links of other users, and finds the next one', () => {
    const home = temporaryDirectory();
    const shared = join(home, 'shared');
    const path = write(shared, {});
    expect(find(shared, home, userId + 1)).toEqual({ path: undefined, ignored: [path] });
    expect(find(shared, home)).toEqual({ path, ignored: [] });
  });

  test.skipIf(userId !== 0)('ignores a link of this user to the file of another user', () => {
    const home = temporaryDirectory();
    const target = write(join(home, 'other'), {});
    chownSync(target, 12_345, 12_345);
    const link = join(home, '.petstore.json');
    symlinkSync(target, link);
    expect(find(home, home)).toEqual({ path: undefined, ignored: [link] });
  });

  test('follows links, and ignores one without a target', () => {
    const home = temporaryDirectory();
    const target = join(home, 'target.json');
    symlinkSync(target, join(home, '.petstore.json'));
    expect(find(home, home).path).toBeUndefined();
    writeFileSync(target, '{}');
    expect(find(home, home).path).toBe(join(home, '.petstore.json'));
  });

  test('finds nothing in a deleted or unusable working directory', () => {
    const home = temporaryDirectory();
    expect(find(undefined, home).path).toBeUndefined();
    expect(find('/dev/null/below', '/dev/null').path).toBeUndefined();
    expect(find(join(home, 'x'.repeat(300)), home).path).toBeUndefined();
  });
});

const profileOf = async (cli: TestCli, cwd: string, args: readonly string[] = [], env = {}) =>
  (await cli.run(['profile', 'show', '--fields', 'name', '-o', 'csv', '--no-header', ...args], { cwd, env })).stdout;

test('the profile of the file overrides the saved one, and flag and variable override the file', async () => {
  const cli = createTestCli();
  const cwd = join(cli.home, 'repository');
  const path = write(cwd, { profile: 'staging' });
  await cli.run(['profile', 'use', 'production']);
  expect(await profileOf(cli, cli.home)).toBe('production\n');
  expect(await profileOf(cli, cwd)).toBe('staging\n');
  expect(await profileOf(cli, cwd, [], { PETSTORE_PROFILE: 'sandbox' })).toBe('sandbox\n');
  expect(await profileOf(cli, cwd, ['-p', 'sandbox'], { PETSTORE_PROFILE: 'production' })).toBe('sandbox\n');
  const list = await cli.run(['config', 'list', '--sources', '-o', 'ndjson'], { cwd });
  expect(list.stdout.split('\n')[0]).toBe(JSON.stringify({ name: 'profile', value: 'staging', source: path }));
  const doctor = await cli.run(['doctor', '--json'], { cwd });
  expect(doctor.stdout).toContain(`profile staging has no base URL; ${path} selects this profile`);
  await cli.run(['profile', 'set', 'staging', '--base-url', 'http://127.0.0.1:9/v1']);
  expect((await cli.run(['doctor'], { cwd })).stdout).toMatch(/✓ profile +staging, from .*\.petstore\.json, base URL /);
});

test('a file without a profile hides those of its parents and changes nothing', async () => {
  const cli = createTestCli();
  write(cli.home, { profile: 'staging' });
  const cwd = join(cli.home, 'repository');
  write(cwd, '\ufeff{}');
  expect(await profileOf(cli, cwd)).toBe('sandbox\n');
});

test.each([
  ['{"profile":"staging","baseUrl":"https://evil.example"}', 'has the member "baseUrl", but may only name a "profile"'],
  ['{"apiKey":"pets_canary"}', 'has the member "apiKey"'],
  ['{"profile":7}', '"profile" in'],
  ['{"profile":"../x"}', '"profile" in'],
  ['[]', 'is not a JSON object'],
  ['{"profile":', 'is not a JSON object'],
  ['', 'is not a JSON object'],
])('a file with %s is an error that names it', async (content, message) => {
  const cli = createTestCli();
  const path = write(cli.home, content);
  const run = await cli.run(['pets', 'list', '--json']);
  const { error } = JSON.parse(run.stderr);
  expect(error).toMatchObject({ code: 'invalid_project_file', exitCode: 2 });
  expect(error.message).toContain(path);
  expect(error.message).toContain(message);
  expect(run.stderr).not.toMatch(/canary|evil/);
  expect((await cli.run(['pets', 'list', '-q', '-p', 'sandbox'])).exitCode).toBe(0);
  for (const args of [['--version'], ['pets', '--help'], ['profile', 'list'], ['config', 'path']]) {
    expect((await cli.run(args)).exitCode).toBe(0);
  }
  expect((await cli.run(['doctor'])).stdout).toContain(message);
});

test('a directory of that name is an error', async () => {
  const cli = createTestCli();
  mkdirSync(join(cli.home, '.petstore.json'));
  const run = await cli.run(['pets', 'list']);
  const path = join(cli.home, '.petstore.json');
  expect(run.stderr).toBe(`error: cannot read ${path} (not a regular file)\n  hint: move ${path}, then retry\n`);
  expect(run.exitCode).toBe(2);
});

test('an unknown profile is an error that names the file', async () => {
  const cli = createTestCli();
  const path = write(cli.home, { profile: 'stagin' });
  const run = await cli.run(['pets', 'list']);
  expect(run.stderr).toBe(`error: unknown profile "stagin" in ${path}\n  hint: did you mean "staging"?\n`);
  expect(run.exitCode).toBe(2);
  expect((await cli.run(['profile', 'list'])).exitCode).toBe(0);
});

test('commands that change the current profile say that the file overrides it', async () => {
  const cli = createTestCli();
  const path = write(cli.home, { profile: 'acme' });
  await cli.run(['profile', 'set', 'acme', '-o', 'json']);
  const run = async (...args: string[]) => (await cli.run([...args, '-o', 'table'])).stderr;
  expect(await run('profile', 'use', 'staging')).toContain(
    `${path} still selects profile acme; change or delete it to use staging`,
  );
  expect(await run('profile', 'use', 'acme')).toBe('✓ Switched to profile acme\n');
  expect(await run('config', 'set', 'profile', 'staging')).toContain(`${path} overrides this setting`);
  expect(await run('profile', 'rename', 'acme', 'other')).toContain(`${path} still selects profile acme`);
  await cli.run(['profile', 'set', 'acme', '-o', 'json']);
  const removed = await run('profile', 'remove', 'acme', '--yes');
  expect(removed).toContain(`${path} still selects profile acme`);
  expect(removed).not.toContain('The current profile is now');
});

test('auth login warns about the file although a flag selects the profile', async () => {
  const cli = createTestCli();
  const path = write(cli.home, { profile: 'sandbox' });
  const { origin } = await startCannedServer({});
  const args = ['auth', 'login', '-p', 'staging', '--base-url', `${origin}/v1`, '--with-key'];
  const { stderr } = await cli.run(args, { input: 'pets_0123456789abcdefghijklmnopqrstuvwxyz' });
  expect(stderr).toContain(`! ${path} still selects profile sandbox; change or delete it to use staging\n`);
});

test('the file of another user is ignored with a notice', async () => {
  const cli = createTestCli({ userId: userId + 1 });
  const path = write(cli.home, { profile: 'staging' });
  const run = await cli.run(['profile', 'show', '--fields', 'name']);
  expect(run).toEqual({
    stdout: 'name: sandbox\n',
    stderr: `Ignored ${path}, because it belongs to another user.\n`,
    exitCode: 0,
  });
});
