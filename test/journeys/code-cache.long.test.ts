import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { bareEnv, copyAlone, newUser, node, type RunOptions, temporaryDirectory } from '../support/petstore.js';

const cache = '.cache/petstore';

test('saves code once per command, in a private directory', async () => {
  const user = newUser();
  const first = await user.run(['profile', 'list']);
  expect(statSync(join(user.home, cache)).mode & 0o777).toBe(0o700);
  const path = cacheFileOf(user.home);
  const { ino } = statSync(path);
  expect(await user.run(['profile', 'list'])).toEqual(first);
  expect(statSync(path).ino).toBe(ino);
});

test('saves code if the runtime never reports cached data as rejected', async () => {
  const user = newUser();
  const preload = join(temporaryDirectory(), 'preload.cjs');
  writeFileSync(
    preload,
    `const vm = require('node:vm');
    vm.Script = class extends vm.Script {
      get cachedDataRejected() { return false; }
      set cachedDataRejected(_) {}
    };`,
  );
  await user.run(['--help'], { env: { NODE_OPTIONS: `--require ${preload}` } });
  expect(statSync(cacheFileOf(user.home)).size).toBeGreaterThan(0);
});

test('saves the files of one command together and those of another command apart', async () => {
  const user = newUser();
  const files = async (...args: readonly string[]) => {
    await user.run(args);
    return filesIn(join(user.home, cache)).map(keysIn);
  };
  const [json = []] = await files('pets', 'list', '--json');
  const [table = [], ...others] = await files('--profile=sandbox', 'pets', 'list');
  expect(table.length).toBeGreaterThan(json.length);
  expect(others).toEqual([]);
  expect(await files('profile', 'list')).toHaveLength(2);
});

test('resolves `..` after a link as all other paths do', async () => {
  const user = newUser();
  mkdirSync(join(user.home, 'far/below'), { recursive: true });
  symlinkSync('far/below', join(user.home, 'link'));
  await user.run(['pets', 'list'], { env: { PETSTORE_CONFIG_DIR: `${user.home}/link/../own` } });
  await user.run(['pets', 'list'], { env: { PETSTORE_CONFIG_DIR: `${user.home}/link/../own` } });
  expect(readdirSync(join(user.home, 'own'))).toEqual(
    expect.arrayContaining(['cache', 'credentials.json', 'quota', 'sandbox']),
  );
  expect(readdirSync(join(user.home, 'far'))).toEqual(['below']);
});

test.each([
  ['a usage error', ['auth', 'mysecret'], 2],
  ['any other failure', ['pets', 'list'], 3],
])('saves nothing after %s', async (_, args, exitCode) => {
  const user = newUser();
  const env = { PETSTORE_BASE_URL: 'http://127.0.0.1:9' };
  expect(await user.run(args, { env })).toMatchObject({ exitCode });
  expect(existsSync(join(user.home, cache))).toBe(false);
});

test('saves code below PETSTORE_CONFIG_DIR', async () => {
  const user = newUser();
  const directory = temporaryDirectory();
  await user.run(['profile', 'list'], { env: { PETSTORE_CONFIG_DIR: directory } });
  expect(readdirSync(directory)).toContain('cache');
  expect(readdirSync(user.home)).toEqual([]);
});

test.each<[string, (bytes: Buffer) => Uint8Array]>([
  ['empty', () => new Uint8Array()],
  ['cut off', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['damaged in one byte', (bytes) => Buffer.from(bytes).fill('x', bytes.length >> 2, (bytes.length >> 2) + 1)],
  ['zero', (bytes) => Buffer.alloc(bytes.length)],
  ['without sections', () => Buffer.from('{}\n{}\n')],
  ['of another format', () => Buffer.from('[["main.cjs", 0, 2]]\n')],
])('compiles again if the file is %s', async (_, damage) => {
  const user = newUser();
  const first = await user.run(['profile', 'list']);
  const path = cacheFileOf(user.home);
  const keys = keysIn(path);
  writeFileSync(path, damage(readFileSync(path)));
  expect(await user.run(['profile', 'list'])).toEqual(first);
  expect(keysIn(path)).toEqual(keys);
});

test('compiles again after another build or an edit by hand', async () => {
  const { home, main, help } = newCopy();
  expect(await help()).toContain('Work with an animal store');
  const other = readFileSync(main, 'utf8')
    .replace(/^\/\/ [0-9a-f]{16}/, '// 0123456789abcdef')
    .replaceAll('Work with an animal store', 'Work with some animal shop');
  writeFileSync(main, other);
  expect(await help()).toContain('Work with some animal shop');
  const path = cacheFileOf(home);
  const builds = keysIn(path).map((key) => /[0-9a-f]{16}/.exec(key)?.[0]);
  expect(builds[0]).toBe('0123456789abcdef');
  writeFileSync(main, other.replace('some animal shop', 'my longer animal shop'));
  expect(await help()).toContain('Work with my longer animal shop');
});

test.each<[string, RunOptions['env'], ((home: string) => void)?]>([
  ['a home that is not a directory', { HOME: '/dev/null' }],
  ['no home', { HOME: '' }],
  ['a home that is read-only', { HOME: '/proc' }],
  ['a file in place of the directory', {}, (home) => writeFileSync(join(home, '.cache'), '')],
  ['a dangling link', {}, (home) => symlinkSync('/nowhere/at/all', join(home, '.cache'))],
])('runs without the cache in %s', async (_, env = {}, prepare = () => {}) => {
  const user = newUser();
  prepare(user.home);
  const { stdout, stderr, exitCode } = await user.run(['--help'], { env });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toContain('Usage: petstore');
});

test.each([
  ['NODE_DISABLE_COMPILE_CACHE', '1'],
  ['NODE_COMPILE_CACHE', '/dev/null/cache'],
])('saves nothing with %s', async (name, value) => {
  const user = newUser();
  await user.run(['--help'], { env: { [name]: value } });
  expect(readdirSync(user.home)).toEqual([]);
});

test.each<[string, (home: string) => RunOptions['env']]>([
  [
    'a link in place of the directory',
    (home) => {
      mkdirSync(join(home, 'project'));
      mkdirSync(join(home, '.cache'));
      symlinkSync('../project', join(home, cache));
      return {};
    },
  ],
  [
    'a directory that others can write to',
    (home) => {
      mkdirSync(join(home, cache), { recursive: true });
      chmodSync(join(home, cache), 0o777);
      return {};
    },
  ],
  ['a relative PETSTORE_CONFIG_DIR', () => ({ PETSTORE_CONFIG_DIR: '.' })],
  ['a PETSTORE_CONFIG_DIR that does not exist', (home) => ({ PETSTORE_CONFIG_DIR: join(home, 'no') })],
])('saves nothing with %s', async (_, prepare) => {
  const user = newUser();
  const env = prepare(user.home) ?? {};
  const before = readdirSync(user.home, { recursive: true });
  const { exitCode } = await user.run(['--help'], { env });
  expect(exitCode).toBe(0);
  expect(readdirSync(user.home, { recursive: true })).toEqual(before);
});

test.each<[string, (path: string) => unknown]>([
  ['a pipe', (path) => execa('mkfifo', [path])],
  ['a link to itself', (path) => symlinkSync(basename(path), path)],
  ['a directory', (path) => mkdirSync(path)],
])('ignores %s in place of a file', async (_, make) => {
  const user = newUser();
  const first = await user.run(['profile', 'list']);
  const path = cacheFileOf(user.home);
  rmSync(path);
  await make(path);
  expect(await user.run(['profile', 'list'])).toEqual(first);
  expect(readdirSync(join(user.home, cache))).toHaveLength(1);
});

test('does not run code that others can write to', async () => {
  const { user, path } = await newUserWithCache('--help');
  const help = async () => (await user.run(['--help'])).stdout;
  forge(path);
  expect(await help()).toContain('Work with an pirate store');
  chmodSync(path, 0o666);
  expect(await help()).toContain('Work with an animal store');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  forge(path);
  chmodSync(join(user.home, cache), 0o777);
  expect(await help()).toContain('Work with an animal store');
});

test('replaces the oldest file if there are too many', async () => {
  const user = newUser();
  await user.run(['--help']);
  const path = cacheFileOf(user.home);
  for (let number = 0; number < 63; number += 1) writeFileSync(`${path}${number}`, '');
  utimesSync(`${path}7`, 1, 1);
  await user.run(['profile', 'list']);
  const names = readdirSync(join(user.home, cache));
  expect(names).toHaveLength(64);
  expect(names).toContainEqual(expect.stringContaining('profile-list'));
  expect(names).not.toContain(basename(`${path}7`));
  writeFileSync(path, '');
  await user.run(['--help']);
  expect(statSync(path).size).toBeGreaterThan(0);
});

test('deletes old files of other versions of Node.js and of processes that were killed', async () => {
  const user = newUser();
  await user.run(['--help']);
  const path = cacheFileOf(user.home);
  const name = basename(path);
  const other = name.replace(/^v[\d.]+/, 'v1.2.3');
  for (const file of [other, `${other}-old`, `${name}.1`, `${name}.2`, `${name}.2.old`]) {
    writeFileSync(join(user.home, cache, file), '');
  }
  const days = (count: number) => Date.now() / 1000 - count * 24 * 60 * 60;
  const age = (file: string, time: number) => utimesSync(join(user.home, cache, file), time, time);
  age(name, days(31));
  age(other, days(29));
  age(`${other}-old`, days(31));
  age(`${name}.2`, days(1));
  age(`${name}.2.old`, days(1));
  await user.run(['profile', 'list']);
  const kept = [other, name, `${name}.1`, expect.stringContaining('profile-list')];
  expect(readdirSync(join(user.home, cache)).sort()).toEqual(kept);
});

describe.skipIf(process.getuid?.() !== 0)('with files of another user (needs root)', () => {
  test.each(['.cache/petstore', '.cache', '.'])('saves nothing in %s', async (path) => {
    const user = newUser();
    mkdirSync(join(user.home, path), { recursive: true });
    await execa('chown', ['12345', join(user.home, path)]);
    const before = readdirSync(user.home, { recursive: true });
    await user.run(['--help']);
    expect(readdirSync(user.home, { recursive: true })).toEqual(before);
  });

  test.each(['.', '.cache/petstore'])('does not run code from %s', async (owned) => {
    const { user, path } = await newUserWithCache('--help');
    forge(path);
    await execa('chown', ['12345', join(user.home, owned)]);
    expect((await user.run(['--help'])).stdout).toContain('Work with an animal store');
  });

  test('replaces a file without using it', async () => {
    const { user, path } = await newUserWithCache('--help');
    chownSync(path, 12345, 0);
    await user.run(['--help']);
    expect(statSync(path).uid).toBe(0);
  });
});

/** Returns a copy of petstore with a home, its main.cjs and a function that prints its help. */
function newCopy() {
  const { home } = newUser();
  const root = copyAlone();
  const help = async () => {
    const start = [join(root, 'bin/petstore.js'), '--help'];
    return (await execa(node, start, { env: bareEnv(home), extendEnv: false })).stdout;
  };
  return { home, main: join(root, 'dist/main.cjs'), help };
}

/** Runs one command with a new user and returns the user and the cache file. */
async function newUserWithCache(...args: readonly string[]) {
  const user = newUser();
  await user.run(args);
  return { user, path: cacheFileOf(user.home) };
}

/** Returns the first cache file. */
function cacheFileOf(home: string): string {
  const [path = ''] = filesIn(join(home, cache));
  return path;
}

/** Replaces a text in both copies of the saved code by another of the same length. */
function forge(path: string): void {
  const text = readFileSync(path, 'latin1').replaceAll('an animal store API', 'an pirate store API');
  writeFileSync(path, text, 'latin1');
}

/** Returns the keys of the code in a cache file. */
function keysIn(path: string): readonly string[] {
  const [header = ''] = readFileSync(path, 'latin1').split('\n', 1);
  const sections = JSON.parse(header) as readonly (readonly [key: string, bytes: number])[];
  return sections.map(([key]) => key);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).size > 0 && statSync(path).isFile());
}
