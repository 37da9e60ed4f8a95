import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import {
  bareEnv,
  copyAlone,
  newUser,
  node,
  type RunOptions,
  temporaryDirectory,
} from '../support/petstore.js';

const cache = '.cache/petstore';

test('what was compiled is kept for this user alone, and used', async () => {
  const user = newUser();
  const first = await user.run(['profile', 'list']);
  const folder = join(user.home, cache);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(filesIn(folder).length).toBeGreaterThan(0);
  expect(await user.run(['profile', 'list'])).toEqual(first);
});

test('what another command needs is added to it, and what its second run needs beyond the first', async () => {
  const user = newUser();
  const kept = async (...args: readonly string[]) => {
    await user.run(args);
    const paths = filesIn(join(user.home, cache));
    const main = statSync(paths.find((path) => path.endsWith('-main.cjs')) ?? '');
    return { size: main.size, at: main.mtimeMs };
  };
  const help = await kept('--help');
  expect((await kept('--help')).at).toBeGreaterThan(help.at);
  await kept('profile', 'list');
  const both = await kept('profile', 'list');
  expect(both.size).toBeGreaterThan(help.size);
  expect(await kept('profile', 'list')).toEqual(both);
  expect(await kept('--help')).toEqual(both);
});

test('with PETSTORE_CONFIG_DIR it lies there too', async () => {
  const user = newUser();
  const directory = temporaryDirectory();
  await user.run(['profile', 'list'], { env: { PETSTORE_CONFIG_DIR: directory } });
  expect(readdirSync(directory)).toContain('cache');
  expect(readdirSync(user.home)).toEqual([]);
});

test.each<[string, (bytes: Buffer) => Uint8Array]>([
  ['empty', () => new Uint8Array()],
  ['cut off', (bytes) => bytes.subarray(0, bytes.length / 2)],
  ['not code', (bytes) => Buffer.from('x'.repeat(bytes.length))],
  [
    'damaged in one byte',
    (bytes) => Buffer.from(bytes).fill('x', bytes.length >> 2, (bytes.length >> 2) + 1),
  ],
  ['zero from some page on', (bytes) => Buffer.from(bytes).fill(0, bytes.length >> 3)],
  ['zero', (bytes) => Buffer.alloc(bytes.length)],
])('what was kept and is %s is compiled anew', async (_, damage) => {
  const user = newUser();
  const first = await user.run(['profile', 'list']);
  const kept = filesIn(join(user.home, cache));
  expect(kept).not.toEqual([]);
  for (const path of kept) {
    writeFileSync(path, damage(readFileSync(path)));
  }
  expect(await user.run(['profile', 'list'])).toEqual(first);
});

test('code of another version that is as long is not mistaken for this one', async () => {
  const { home } = newUser();
  const root = copyAlone();
  const run = () =>
    execa(node, [join(root, 'bin/petstore.js'), '--help'], {
      env: bareEnv(home),
      extendEnv: false,
    });
  expect((await run()).stdout).toContain('A client for an animal store');
  const main = join(root, 'dist/main.cjs');
  const other = readFileSync(main, 'utf8')
    .replace(/^\/\/ [0-9a-f]{16}/, '// 0123456789abcdef')
    .replaceAll('A client for an animal store', 'A client for some animal shop');
  writeFileSync(main, other);
  expect((await run()).stdout).toContain('A client for some animal shop');
});

test.each<[string, RunOptions['env'], ((home: string) => void)?]>([
  ['a home that is no directory', { HOME: '/dev/null' }],
  ['no home', { HOME: '' }],
  ['a home in which nothing can be made', { HOME: '/proc' }],
  ['a file in the place of the directory', {}, (home) => writeFileSync(join(home, '.cache'), '')],
  ['a link into nowhere', {}, (home) => symlinkSync('/nowhere/at/all', join(home, '.cache'))],
])('%s costs time and nothing else', async (_, env = {}, prepare = () => {}) => {
  const user = newUser();
  prepare(user.home);
  const { stdout, stderr, exitCode } = await user.run(['--help'], { env });
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toContain('Usage: petstore');
});

test('NODE_DISABLE_COMPILE_CACHE keeps nothing', async () => {
  const user = newUser();
  await user.run(['--help'], { env: { NODE_DISABLE_COMPILE_CACHE: '1' } });
  expect(readdirSync(user.home)).toEqual([]);
});

test.each<[string, (home: string) => RunOptions['env']]>([
  [
    'a link in the place of the directory',
    (home) => {
      mkdirSync(join(home, 'project'));
      mkdirSync(join(home, '.cache'));
      symlinkSync('../project', join(home, cache));
      return {};
    },
  ],
  [
    'a directory in which others may write',
    (home) => {
      mkdirSync(join(home, cache), { recursive: true });
      chmodSync(join(home, cache), 0o777);
      return {};
    },
  ],
  ['a relative PETSTORE_CONFIG_DIR', () => ({ PETSTORE_CONFIG_DIR: '.' })],
  [
    'a PETSTORE_CONFIG_DIR that is not there',
    (home) => ({ PETSTORE_CONFIG_DIR: join(home, 'no') }),
  ],
])('with %s nothing is kept', async (_, prepare) => {
  const user = newUser();
  const env = prepare(user.home) ?? {};
  const before = readdirSync(user.home, { recursive: true });
  const { exitCode } = await user.run(['--help'], { env });
  expect(exitCode).toBe(0);
  expect(readdirSync(user.home, { recursive: true })).toEqual(before);
});

test.each<[string, (mark: string) => unknown]>([
  ['a pipe', (mark) => execa('mkfifo', [mark])],
  ['a link to itself', (mark) => symlinkSync(basename(mark), mark)],
  ['a directory', (mark) => mkdirSync(mark)],
])('%s in the place of a mark keeps nobody waiting, and is told to nobody', async (_, make) => {
  const user = newUser();
  const first = await user.run(['profile', 'list']);
  const isMark = (path: string) => /-main\.cjs\.\d+\./.test(path);
  const marks = filesIn(join(user.home, cache)).filter(isMark);
  expect(marks).toHaveLength(1);
  for (const mark of marks) {
    rmSync(mark);
    await make(mark);
  }
  expect(await user.run(['profile', 'list'])).toEqual(first);
});

test('what else lies in the directory is left alone', async () => {
  const user = newUser();
  mkdirSync(join(user.home, cache, 'src'), { recursive: true, mode: 0o700 });
  chmodSync(join(user.home, cache), 0o700);
  writeFileSync(join(user.home, cache, 'src/mine'), 'mine');
  await user.run(['--help']);
  expect(readFileSync(join(user.home, cache, 'src/mine'), 'utf8')).toBe('mine');
  expect(readdirSync(join(user.home, cache)).length).toBe(2);
});

describe.skipIf(process.getuid?.() !== 0)('what belongs to another user (needs root)', () => {
  test.each(['.cache/petstore', '.cache', '.'])('%s is not used', async (path) => {
    const user = newUser();
    mkdirSync(join(user.home, path), { recursive: true });
    await execa('chown', ['12345', join(user.home, path)]);
    const before = readdirSync(user.home, { recursive: true });
    await user.run(['--help']);
    expect(readdirSync(user.home, { recursive: true })).toEqual(before);
  });
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).size > 0 && statSync(path).isFile());
}
