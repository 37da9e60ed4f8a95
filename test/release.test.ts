import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { isInstalled } from './support/is-installed.js';
import { temporaryDirectory } from './support/petstore.js';

interface Workflow {
  readonly permissions: object;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly permissions?: object;
  readonly uses?: string;
  readonly steps?: readonly { readonly uses?: string; readonly run?: string }[];
}

const { permissions, jobs }: Workflow = parse(readFileSync('.github/workflows/release.yml', 'utf8'));

const stepsOf = (name: string) => jobs[name]?.steps ?? [];

test('only the jobs that publish may write', () => {
  expect(permissions).toEqual({ contents: 'read' });
  const special = Object.entries(jobs).flatMap(([name, job]) => (job.permissions ? [[name, job.permissions]] : []));
  expect(Object.fromEntries(special)).toEqual({
    npm: { contents: 'read', 'id-token': 'write' },
    github: { contents: 'write' },
  });
});

test('the workflow publishes only what all tests have passed', () => {
  const needs = (name: string): readonly string[] => {
    const direct = [jobs[name]?.needs ?? []].flat();
    return [...direct, ...direct.flatMap(needs)];
  };
  expect([...new Set(needs('github'))].sort()).toEqual(['build', 'ci', 'npm', 'unix', 'windows']);
  expect([...new Set(needs('npm'))].sort()).toEqual(['build', 'ci', 'unix', 'windows']);
  expect(stepsOf('npm').some(({ run }) => run?.startsWith('npm publish --provenance '))).toBe(true);
});

test('the job that publishes to npm runs no code of other packages', () => {
  expect(stepsOf('npm').flatMap(({ run }) => run ?? [])).toHaveLength(1);
});

test('the workflows use only actions of GitHub, with the same versions', () => {
  const texts = ['ci', 'release'].map((name) => readFileSync(`.github/workflows/${name}.yml`, 'utf8'));
  const uses = texts.flatMap((text) => [...text.matchAll(/\buses: (\S+)/g)].map(([, name = '']) => name));
  expect([...new Set(uses)].sort()).toEqual([
    './.github/workflows/ci.yml',
    'actions/checkout@v6',
    'actions/download-artifact@v7',
    'actions/setup-node@v6',
    'actions/upload-artifact@v6',
  ]);
});

test('the workflow names steps of the smoke test', () => {
  const smoke = readFileSync('test/support/smoke.js', 'utf8');
  const names = stepsOf('unix').flatMap(({ run = '' }) => [...run.matchAll(/'([a-z0-9 ]+)'/g)].map(([, name]) => name));
  expect(names.length).toBeGreaterThan(3);
  expect(names.filter((name) => !smoke.includes(`  '${name}': async () => {`))).toEqual([]);
});

const changelog =
  '# Changelog\n\n## [Unreleased]\n\n- new\n\n## [1.2.0] - 2026-01-01\n\n- first\n\n## [1.1.0]\n\n- old\n';
const repository = 'git+https://github.com/example/petstore.git';

test('the notes of a release are its section of the changelog', async () => {
  expect(await printNotes('v1.2.0', { version: '1.2.0', repository })).toMatchObject({
    stdout: '- first',
    exitCode: 0,
  });
});

test.each([
  ['v1.2.1', { version: '1.2.0', repository }, 'the tag v1.2.1 does not match the version 1.2.0'],
  ['v1.2.0', { version: '1.2.0' }, 'set repository in package.json'],
  ['v1.3.0', { version: '1.3.0', repository }, 'CHANGELOG.md has no section for 1.3.0'],
])('the tag %s is rejected for %j', async (tag, packageJson, message) => {
  const run = await printNotes(tag, packageJson);
  expect(run).toMatchObject({ stdout: '', stderr: expect.stringContaining(message), exitCode: 1 });
});

function printNotes(tag: string, packageJson: object) {
  const cwd = temporaryDirectory();
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(packageJson));
  writeFileSync(join(cwd, 'CHANGELOG.md'), changelog);
  const script = join(import.meta.dirname, '../release/notes.js');
  return execa(process.execPath, [script, tag], { cwd, reject: false });
}

test.each([
  'http://downloads.example.com',
  'downloads.example.com',
  "https://example.com/'$(id)",
  'https://me:hunter22@example.com',
  'https://example.com/?token=hunter22',
])('a release cannot be built for downloads from %s', async (url) => {
  const env = { RELEASE_DOWNLOAD_URL: url };
  const run = await execa(process.execPath, ['release/build.js', '--output', 'out/test-release'], {
    env,
    reject: false,
  });
  expect(run.stderr).toMatch(/^error: RELEASE_DOWNLOAD_URL must be an https:\/\/ URL without user, password, query /);
  expect(run.stdout + run.stderr).not.toContain(url);
  expect(run.exitCode).toBe(2);
});

test.each([
  ['an unknown target', ['plan9-x64'], 'error: cannot build for plan9-x64\n  hint: choose from linux-x64, '],
  ['an unknown flag', ['--frob'], "error: unknown option '--frob'\n  hint: pass targets, --packages or --output "],
  ['a flag without its value', ['--output'], "error: option '--output <value>' argument missing\n  hint: pass "],
  ['a missing variable', ['--packages'], 'error: packages need RELEASE_DOWNLOAD_URL, RELEASE_HOMEPAGE, '],
])('a release build rejects %s without a stack trace', async (_, args, message) => {
  const env = { RELEASE_DOWNLOAD_URL: '', RELEASE_HOMEPAGE: '', RELEASE_PUBLISHER: '' };
  const run = await execa(process.execPath, ['release/build.js', ...args], { env, reject: false });
  expect(run.stderr).toContain(message);
  expect(run.stderr).not.toContain('    at ');
  expect(run.exitCode).toBe(2);
});

test.each([
  [
    'an address without TLS',
    ['--url', 'http://me:hunter22@host.example/x'],
    'the address does not start with https://',
  ],
  ['an address without a scheme', ['--url', 'me:hunter22@host.example/x'], 'the address does not start with https://'],
  [
    'an argument that it does not know',
    ['--url=https://me:hunter22@host.example/x'],
    'unknown argument: --url=https://',
  ],
])('install.sh prints no password for %s', expectNoPassword);

test.skipIf(!isInstalled('curl')).each([
  ['a failed download', ['--url', 'https://me:hunter/22@127.0.0.1:1/x'], 'cannot download https://'],
  ['an address that curl rejects', ['--url', 'https://me:hunter22[1@127.0.0.1:1/x'], 'cannot download https://'],
])('install.sh prints no password for %s (needs curl)', expectNoPassword);

async function expectNoPassword(_: string, args: readonly string[], message: string) {
  const home = temporaryDirectory();
  const env = { PATH: process.env.PATH ?? '', HOME: home };
  const words = ['release/install.sh', ...args, '--prefix', home];
  const run = await execa('sh', words, { env, extendEnv: false, reject: false });
  expect(run.stderr).toContain(`error: ${message}`);
  expect(run.stdout + run.stderr).not.toContain('hunter');
}

test('a release cannot be built in a folder with other files', async () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'notes.txt'), 'notes');
  const run = await execa(process.execPath, ['release/build.js', '--output', folder], { reject: false });
  expect(run.stderr).toContain('--output must name a folder below out/');
  expect(run.exitCode).toBe(2);
  expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('notes');
});
