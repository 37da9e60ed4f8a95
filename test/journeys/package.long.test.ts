import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bareEnv, type Run, temporaryDirectory } from '../support/petstore.js';
import { installNode, nodePackage } from '../support/programs.js';
import { startServeCommand } from '../support/serve-process.js';

/** The path contains spaces and a non-ASCII letter, which an installation must support. */
const root = mkdtempSync(join(tmpdir(), 'petstore package Ä '));
const full = join(root, 'full');
const lean = join(root, 'without optional packages');
const bin = 'node_modules/.bin/petstore';
let packed: readonly string[];

beforeAll(async () => {
  // Other tests use the build at the same time, so it is packed without building again.
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', root];
  const { stdout } = await execa('npm', pack);
  const [{ filename, files }] = JSON.parse(stdout);
  packed = files.map(({ path }: { path: string }) => path);
  const tarball = join(root, filename);
  await install(full, tarball);
  await install(lean, tarball, '--omit=optional');
}, 120_000);

afterAll(() => rmSync(root, { recursive: true, force: true }));

test('the package contains only programs and documentation', () => {
  const expected =
    /^(bin\/((petstore|code-cache|jq-worker)\.js|package\.json)|completions\/[\w.-]+|man\/[\w./-]+\.\d|docs\/[\w-]+\.(md|png|svg)|docs\/deploy\/[\w.-]+|dist\/[\w-]+\.cjs|dist\/docs\/[\w.-]+\.gz)$/;
  expect(packed.filter((path) => !expected.test(path))).toEqual([
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'SKILL.md',
    'dist/THIRD-PARTY-LICENSES.txt',
    'openapi.yaml',
    'package.json',
  ]);
  expect(packed).toEqual(expect.arrayContaining(['bin/petstore.js', 'dist/main.cjs']));
});

test('an installation without optional packages contains petstore alone', () => {
  expect(readdirSync(join(lean, 'node_modules')).sort()).toEqual(['.bin', '.package-lock.json', 'petstore-cli']);
});

test('an installation lists and adds pets', async () => {
  const petstore = userOf(join(full, bin));
  const version = await petstore(['--version']);
  expect(version).toEqual({
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    stderr: '',
    exitCode: 0,
  });
  const available = await petstore(['pets', 'list', '--status', 'available']);
  expect(available).toMatchObject({ stdout: expect.stringContaining('Ada'), exitCode: 0 });
  const add = ['pets', 'add', '--name', 'Rex', '--category-id', '7', '--quiet'];
  expect(await petstore(add)).toMatchObject({ stderr: '', exitCode: 0 });
  const { stdout } = await petstore(['pets', 'list', '--all', '--json']);
  expect(JSON.parse(stdout)).toContainEqual({ id: 73, name: 'Rex', categoryId: 7 });
});

test('--jq names the missing package without optional packages', async () => {
  const args = ['profile', 'list', '--jq', '.[0].name'];
  expect(await userOf(join(full, bin))(args)).toEqual({
    stdout: 'sandbox',
    stderr: '',
    exitCode: 0,
  });
  const { stdout, stderr, exitCode } = await userOf(join(lean, bin))(args);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
  expect(JSON.parse(stderr).error).toMatchObject({
    code: 'missing_package',
    message: 'the optional package jq-web is not installed',
    hint: 'reinstall petstore with --include=optional, or pipe the output of --json to jq',
  });
});

const oldest = installNode('20.19.0');
const withOldest = `on Node.js 20 (needs ${nodePackage('20.19.0')} from npm)`;

test.skipIf(!oldest).each([[['pets', 'list']], [['serve', '--port', '0']]])(
  `%j names the missing SQLite package without optional packages ${withOldest}`,
  async (args) => {
    expect(await userOf(join(lean, bin), oldest)(args)).toEqual({
      stdout: '',
      stderr:
        'error: this Node.js has no SQLite, and the package @photostructure/sqlite is not installed or does not support this machine\n' +
        '  hint: use Node.js 24 or later, or reinstall petstore with --include=optional',
      exitCode: 1,
    });
  },
);

test.skipIf(!oldest)(`other commands work without optional packages ${withOldest}`, async () => {
  const { env } = await startServeCommand([join(full, bin)]);
  const petstore = userOf(join(lean, bin), oldest, env);
  for (const args of [['--help'], ['--version'], ['profile', 'list'], ['pets', 'list', '-q']]) {
    const run = await petstore(args);
    expect({ args, ...run }).toMatchObject({ args, stderr: '', exitCode: 0 });
    expect(run.stdout).not.toBe('');
  }
});

async function install(folder: string, tarball: string, ...flags: readonly string[]) {
  mkdirSync(folder);
  const quick = ['--ignore-scripts', '--no-audit', '--no-fund'];
  await execa('npm', ['install', '--prefix', folder, ...quick, ...flags, tarball], { cwd: folder });
}

/** Returns a function that runs a file with an empty home directory and this Node.js on the PATH. */
function userOf(file: string, node = process.execPath, extraEnv: Readonly<Record<string, string>> = {}) {
  const env = bareEnv(temporaryDirectory());
  const PATH = [dirname(node), env.PATH].join(delimiter);
  return async (args: readonly string[]): Promise<Run> => {
    const options = {
      env: { ...env, ...extraEnv, PATH },
      extendEnv: false,
      reject: false,
    } as const;
    const { stdout, stderr, exitCode } = await execa(file, args, options);
    return { stdout, stderr, exitCode };
  };
}
