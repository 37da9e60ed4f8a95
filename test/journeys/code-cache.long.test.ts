import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { bareEnv, copyAlone, newUser, node, type User } from '../support/petstore.js';

const cache = '.cache/petstore';

test('saves code once per command, in a private directory', async () => {
  const user = newUserWithCache();
  const first = await user.run(['profile', 'list']);
  expect(statSync(join(user.home, cache)).mode & 0o777).toBe(0o700);
  const path = cacheFileOf(user);
  const { ino } = statSync(path);
  expect(await user.run(['profile', 'list'])).toEqual(first);
  expect(statSync(path).ino).toBe(ino);
  await user.run(['--help']);
  expect(readdirSync(join(user.home, cache))).toHaveLength(2);
});

test('saves nothing after a failure', async () => {
  const user = newUserWithCache();
  expect(await user.run(['auth', 'mysecret'])).toMatchObject({ exitCode: 2 });
  expect(readdirSync(user.home)).toEqual([]);
});

test.each<[string, (bytes: Buffer) => Uint8Array]>([
  ['empty', () => new Uint8Array()],
  ['cut off', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['damaged in one byte', (bytes) => Buffer.from(bytes).fill('x', bytes.length >> 2, (bytes.length >> 2) + 1)],
])('compiles again if the file is %s', async (_, damage) => {
  const user = newUserWithCache();
  const first = await user.run(['profile', 'list']);
  const path = cacheFileOf(user);
  const keys = keysIn(path);
  writeFileSync(path, damage(readFileSync(path)));
  expect(await user.run(['profile', 'list'])).toEqual(first);
  expect(keysIn(path)).toEqual(keys);
});

test('compiles again after another build', async () => {
  const user = newUser();
  const root = copyAlone();
  const main = join(root, 'dist/main.cjs');
  const env = { ...bareEnv(user.home), ...cacheEnv };
  const help = async () =>
    (await execa(node, [join(root, 'bin/petstore.js'), '--help'], { env, extendEnv: false })).stdout;
  expect(await help()).toContain('Work with an animal store');
  const other = readFileSync(main, 'utf8').replace(/^\/\/ [0-9a-f]{16}/, '// 0123456789abcdef');
  writeFileSync(main, other.replaceAll('Work with an animal store', 'Work with some animal shop'));
  expect(await help()).toContain('Work with some animal shop');
});

test.each<[string, (user: User) => Readonly<Record<string, string>>]>([
  ['a home that is read-only', () => ({ HOME: '/proc' })],
  [
    'a file in place of the directory',
    ({ home }) => {
      writeFileSync(join(home, '.cache'), '');
      return {};
    },
  ],
  [
    'a link in place of the directory',
    ({ home }) => {
      for (const folder of ['project', '.cache']) mkdirSync(join(home, folder));
      symlinkSync('../project', join(home, cache));
      return {};
    },
  ],
  [
    'a directory that others can write to',
    ({ home }) => {
      mkdirSync(join(home, cache), { recursive: true });
      chmodSync(join(home, cache), 0o777);
      return {};
    },
  ],
])('runs, and saves nothing, with %s', async (_, prepare) => {
  const user = newUserWithCache();
  const env = prepare(user);
  const before = readdirSync(user.home, { recursive: true });
  const { stdout, stderr, exitCode } = await user.run(['--help'], { env: { ...cacheEnv, ...env } });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toContain('Usage: petstore');
  expect(readdirSync(user.home, { recursive: true })).toEqual(before);
});

describe('code of others', () => {
  test('is not run if others can write to it', async () => {
    const user = newUserWithCache();
    const help = async () => (await user.run(['--help'])).stdout;
    await help();
    const path = cacheFileOf(user);
    forge(path);
    expect(await help()).toContain('Work with an pirate store');
    chmodSync(path, 0o666);
    expect(await help()).toContain('Work with an animal store');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    forge(path);
    chmodSync(join(user.home, cache), 0o777);
    expect(await help()).toContain('Work with an animal store');
  });

  test.skipIf(process.getuid?.() !== 0).each(['.', cache])(
    'is not run if another user owns %s (needs root)',
    async (owned) => {
      const user = newUserWithCache();
      await user.run(['--help']);
      forge(cacheFileOf(user));
      await execa('chown', ['12345', join(user.home, owned)]);
      expect((await user.run(['--help'])).stdout).toContain('Work with an animal store');
    },
  );
});

test('replaces the oldest file if there are too many, and deletes old files of another Node.js', async () => {
  const user = newUserWithCache();
  await user.run(['--help']);
  const path = cacheFileOf(user);
  const other = path.replace(/\/v[\d.]+/, '/v1.2.3');
  writeFileSync(other, '');
  const monthAgo = Date.now() / 1000 - 31 * 24 * 60 * 60;
  utimesSync(other, monthAgo, monthAgo);
  for (let number = 0; number < 63; number += 1) writeFileSync(`${path}${number}`, '');
  utimesSync(`${path}7`, monthAgo + 1, monthAgo + 1);
  await user.run(['profile', 'list']);
  const names = readdirSync(join(user.home, cache));
  expect(names).toContainEqual(expect.stringContaining('profile-list'));
  expect(names).not.toContain(basename(other));
  expect(names).not.toContain(basename(`${path}7`));
  expect(names.length).toBeLessThanOrEqual(64);
});

/** Returns a user whose processes save code in the home directory. */
function newUserWithCache(): User {
  const user = newUser();
  return { ...user, run: (args, options) => user.run(args, { env: cacheEnv, ...options }) };
}

/** Undoes that all processes of a test run share their saved code. */
const cacheEnv = { XDG_CACHE_HOME: '' };

/** Returns the first cache file. */
function cacheFileOf({ home }: User): string {
  return join(home, cache, readdirSync(join(home, cache))[0] ?? '');
}

/** Replaces a text in both copies of the saved code by another of the same length. */
function forge(path: string): void {
  const text = readFileSync(path, 'latin1').replaceAll('an animal store API', 'an pirate store API');
  writeFileSync(path, text, 'latin1');
}

/** Returns the keys of the code in a cache file. */
function keysIn(path: string): readonly string[] {
  const [header = ''] = readFileSync(path, 'latin1').split('\n', 1);
  return (JSON.parse(header) as readonly (readonly [key: string, bytes: number])[]).map(([key]) => key);
}
