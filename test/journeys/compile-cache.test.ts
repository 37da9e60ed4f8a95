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

test('the second run of a command keeps what it needs beyond the first, and then no run does', async () => {
  const user = newUser();
  const keptBy = async (...args: readonly string[]) => {
    await user.run(args);
    const path = keptIn(user.home);
    return readFileSync(path);
  };
  const first = sectionsOf(await keptBy('profile', 'list'));
  const second = await keptBy('profile', 'list');
  expect(sectionsOf(second).map(([, , times]) => times)).toEqual(first.map(() => 2));
  expect((await keptBy('profile', 'list')).equals(second)).toBe(true);
});

test('what flags make a command load is kept beside it, and what other words name apart', async () => {
  const user = newUser();
  const files = async (...args: readonly string[]) => {
    await user.run(args);
    return filesIn(join(user.home, cache)).map((path) => sectionsOf(readFileSync(path)));
  };
  const [json = []] = await files('pets', 'list', '--json');
  const [table = [], ...others] = await files('--profile=sandbox', 'pets', 'list');
  expect(table.length).toBeGreaterThan(json.length);
  expect(others).toEqual([]);
  expect(await files('profile', 'list')).toHaveLength(2);
});

test('past a link it lies where all else does', async () => {
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

test('a line that cannot be understood leaves nothing there, nor its words in a name', async () => {
  const user = newUser();
  expect((await user.run(['auth', 'mysecret'])).exitCode).toBe(2);
  expect(existsSync(join(user.home, cache))).toBe(false);
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
  ['longer than it says', (bytes) => headed(bytes, (line) => line.replace(/,(\d+),/, ',1$1,'))],
  ['of no length', (bytes) => headed(bytes, (line) => line.replaceAll(/,\d+,/g, ',0,'))],
  ['no list', (bytes) => headed(bytes, () => '{}')],
  ['told without end', (bytes) => headed(bytes, (line) => `${line}${' '.repeat(5_000)}`)],
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

test('code of another build that is as long is not mistaken for this one, nor kept on', async () => {
  const { home, main, help } = newCopy();
  expect(await help()).toContain('A client for an animal store');
  const other = readFileSync(main, 'utf8')
    .replace(/^\/\/ [0-9a-f]{16}/, '// 0123456789abcdef')
    .replaceAll('A client for an animal store', 'A client for some animal shop');
  writeFileSync(main, other);
  expect(await help()).toContain('A client for some animal shop');
  const path = keptIn(home);
  const builds = sectionsOf(readFileSync(path)).flatMap(([key]) => /^[0-9a-f]{16}/.exec(key) ?? []);
  expect(builds).toEqual(['0123456789abcdef']);
});

test('a file of the package that somebody has changed is compiled anew', async () => {
  const { main, help } = newCopy();
  await help();
  await help();
  const changed = readFileSync(main, 'utf8').replace(
    'A client for an animal',
    'A client of every animal',
  );
  writeFileSync(main, changed);
  expect(await help()).toContain('A client of every animal store');
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

test.each<[string, (path: string) => unknown]>([
  ['a pipe', (path) => execa('mkfifo', [path])],
  ['a link to itself', (path) => symlinkSync(basename(path), path)],
  ['a directory', (path) => mkdirSync(path)],
])('%s in the place of a file keeps nobody waiting, and is told to nobody', async (_, make) => {
  const user = newUser();
  const first = await user.run(['profile', 'list']);
  const path = keptIn(user.home);
  rmSync(path);
  await make(path);
  expect(await user.run(['profile', 'list'])).toEqual(first);
  expect(readdirSync(join(user.home, cache))).toHaveLength(1);
});

test('a file that others may write is not used, and kept anew', async () => {
  const { user, path } = await newlyKept('profile', 'list');
  chmodSync(path, 0o666);
  await user.run(['profile', 'list']);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(sectionsOf(readFileSync(path))[0]?.[2]).toBe(1);
});

test('code in a directory that others may write to is not run', async () => {
  const { user, path } = await newlyKept('--help');
  forge(path);
  expect((await user.run(['--help'])).stdout).toContain('A pirate for an animal store');
  chmodSync(join(user.home, cache), 0o777);
  expect((await user.run(['--help'])).stdout).toContain('A client for an animal store');
});

test('words that are no command do not fill the disk', async () => {
  const user = newUser();
  await user.run(['--help']);
  const path = keptIn(user.home);
  for (let number = 0; number < 63; number += 1) writeFileSync(`${path}${number}`, '');
  await user.run(['profile', 'list']);
  expect(readdirSync(join(user.home, cache))).toHaveLength(64);
  await user.run(['--help']);
  expect(sectionsOf(readFileSync(path))[0]?.[2]).toBe(2);
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

  test.each(['.', '.cache/petstore'])('code in %s is not run', async (owned) => {
    const { user, path } = await newlyKept('--help');
    forge(path);
    await execa('chown', ['12345', join(user.home, owned)]);
    expect((await user.run(['--help'])).stdout).toContain('A client for an animal store');
  });

  test('a file is not used, and kept anew', async () => {
    const user = newUser();
    await user.run(['--help']);
    const path = keptIn(user.home);
    chownSync(path, 12345, 0);
    await user.run(['--help']);
    expect(statSync(path).uid).toBe(0);
    expect(sectionsOf(readFileSync(path))[0]?.[2]).toBe(1);
  });
});

/** A user of a copy of petstore alone: its first file, and what it says of itself. */
function newCopy() {
  const { home } = newUser();
  const root = copyAlone();
  const help = async () => {
    const start = [join(root, 'bin/petstore.js'), '--help'];
    return (await execa(node, start, { env: bareEnv(home), extendEnv: false })).stdout;
  };
  return { home, main: join(root, 'dist/main.cjs'), help };
}

/** A user who has given one command as often as it is kept, and the file that has it. */
async function newlyKept(...args: readonly string[]) {
  const user = newUser();
  await user.run(args);
  await user.run(args);
  return { user, path: keptIn(user.home) };
}

/** The one file in which the code of one command is kept. */
function keptIn(home: string): string {
  const [path = ''] = filesIn(join(home, cache));
  return path;
}

/** Another text of the same length in the kept code, in both copies. */
function forge(path: string): void {
  const text = readFileSync(path, 'latin1').replaceAll('A client for an', 'A pirate for an');
  writeFileSync(path, text, 'latin1');
}

/** The line that says what is kept: names, how many bytes of code, and how often it was kept. */
function sectionsOf(bytes: Buffer): readonly (readonly [string, number, number])[] {
  return JSON.parse(bytes.toString('latin1', 0, bytes.indexOf('\n')));
}

function headed(bytes: Buffer, change: (line: string) => string): Uint8Array {
  const end = bytes.indexOf('\n');
  return Buffer.concat([
    Buffer.from(change(bytes.toString('latin1', 0, end))),
    bytes.subarray(end),
  ]);
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).size > 0 && statSync(path).isFile());
}
