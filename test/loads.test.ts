import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { bareEnv, binary, newUser, temporaryDirectory } from './support/petstore.js';
import { openScreenEmulator } from './support/screen-emulator.js';
import { keys, openProgram } from './support/terminal.js';
import { startService } from './support/test-service.js';

/** Code that a run loaded. */
interface LoadedCode {
  /** Names of bundled files. */
  readonly files: readonly string[];
  readonly kilobytes: number;
  /** Modules of Node.js that an empty script does not load. */
  readonly builtIn: readonly string[];
}

/** Modules that are slow to load or not needed by these commands. */
const slowModules = [
  'http',
  'http2',
  'https',
  'crypto',
  'tls',
  'child_process',
  'assert',
  'readline',
  'worker_threads',
];

describe('a command loads only the files it needs', () => {
  const cases: readonly (readonly [string, readonly string[], readonly string[], number])[] = [
    ['--version', ['--version'], [], 0],
    ['--help', ['--help'], ['main', 'rolldown-runtime'], 112],
    ['pets list --help', ['pets', 'list', '--help'], ['main', 'rolldown-runtime'], 112],
    ['profile list', ['profile', 'list', '--json'], ['main', 'records', 'rolldown-runtime', 'session', 'show'], 208],
    ['completion bash', ['completion', 'bash'], ['completion-scripts', 'main', 'rolldown-runtime'], 118],
    [
      '__complete pets l',
      ['__complete', '--', 'pets', 'l'],
      ['complete', 'main', 'rolldown-runtime', 'topic-names'],
      118,
    ],
  ];
  test.each(cases)('%s', async (_, args, files, kilobytes) => {
    const loads = await loadsOf(args, {});
    expect(loads.files).toEqual(files);
    expect(loads.kilobytes).toBeLessThanOrEqual(kilobytes);
    expect(loads.builtIn.filter((name) => slowModules.includes(name))).toEqual([]);
  });

  test.each([
    ['JSON', ['--json'], 345],
    ['a table', [], 385],
  ])('pets list as %s from a remote service', async (_, format, kilobytes) => {
    const { env } = await startService();
    const loads = await loadsOf(['pets', 'list', ...format], env);
    expect(loads.files).toEqual(
      [
        ...['llhttp_simd', 'main', 'rolldown-runtime', 'send', 'session'],
        ...(format.length === 0 ? ['render-table'] : []),
      ].sort(),
    );
    expect(loads.kilobytes).toBeLessThanOrEqual(kilobytes);
    expect(loads.builtIn.filter((name) => slowModules.includes(name))).toEqual([]);
  });

  test('pets list from the sandbox, without undici', async () => {
    const user = newUser();
    await user.run(['pets', 'list']);
    const loads = await loadsOf(['pets', 'list', '--json'], {}, user.home);
    const driver = Number.parseInt(process.versions.node, 10) < 24 ? ['sqlite'] : [];
    expect(loads.files).toEqual(['main', 'rolldown-runtime', 'sandbox', 'session', ...driver]);
    expect(loads.kilobytes).toBeLessThanOrEqual(252);
  });
});

test('pets browse loads no other prompts', async () => {
  const { env } = await startService();
  const home = temporaryDirectory();
  const file = join(home, 'loaded.json');
  const screen = openScreenEmulator(home, [process.execPath, '-r', preload, binary, 'pets', 'browse'], {
    env: { ...env, LOADED_FILE: file },
  });
  await screen.see('1 of 72');
  screen.type('\u001b');
  expect(await screen.exitCode).toBe(0);
  const loads = parseLoaded(readFileSync(file, 'utf8'));
  expect(loads.files).toEqual(
    [
      ...[
        'run-prompt',
        'browse',
        'fold-text',
        'llhttp_simd',
        'main',
        'rolldown-runtime',
        'full-screen',
        'job-control',
        'send',
        'session',
      ],
      // @inquirer/core, colors, and character widths.
      ...['create-prompt', 'display-width', 'mjs', 'source', 'wrap-message'],
    ].sort(),
  );
  expect(loads.kilobytes).toBeLessThanOrEqual(405);
});

test('a prompt does not load an editor', async () => {
  const home = temporaryDirectory();
  const file = join(home, 'loaded.json');
  const command = [process.execPath, '-r', preload, binary, 'pets', 'add'];
  const terminal = openProgram(home, command, { env: { LOADED_FILE: file } });
  await terminal.see('Name:');
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
  const loads = parseLoaded(readFileSync(file, 'utf8'));
  expect(loads.files).toContain('inquirer-prompts');
  expect(loads.kilobytes).toBeLessThanOrEqual(278);
});

test('undici parses responses without SIMD', async () => {
  const user = newUser();
  const { env } = await startService();
  const { stdout } = await user.run(['pets', 'list', '--limit', '1', '--fields', 'name', '--json'], {
    env: { ...env, UNDICI_NO_WASM_SIMD: '1' },
  });
  expect(JSON.parse(stdout)).toHaveLength(1);
});

test.each([
  ['pets', 'list'],
  ['pets', 'add', '--name', 'Rex', '--category-id', '1'],
])('%s %s fails with a hint if the files of undici are missing', async (...args) => {
  const folder = temporaryDirectory();
  const root = join(dirname(binary), '..');
  for (const name of ['bin', 'dist']) cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const name of ['llhttp.wasm', 'llhttp_simd.wasm']) rmSync(join(folder, 'dist', name));
  const { env } = await startService();
  const { exitCode, stderr } = await execa(process.execPath, [join(folder, 'bin/petstore.js'), ...args], {
    env: { ...bareEnv(temporaryDirectory()), ...env },
    extendEnv: false,
    reject: false,
  });
  expect(stderr).toContain('llhttp.wasm (ENOENT); nothing was sent\n  hint: reinstall petstore');
  expect(exitCode).toBe(1);
});

let preload: string;

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-loads-'));
  preload = join(folder, 'preload.cjs');
  writeFileSync(
    preload,
    `const before = new Set(process.moduleLoadList);
    const fs = require('node:fs');
    const read = new Set();
    for (const name of ['openSync', 'readFileSync']) {
      const original = fs[name];
      fs[name] = (path, ...rest) => {
        if (/\\.(cjs|wasm)$/.test(path)) read.add(path);
        return original(path, ...rest);
      };
    }
    process.on('exit', () => {
      const files = [...read].filter((path) => path.includes('/dist/'));
      const added = process.moduleLoadList.filter((name) => !before.has(name));
      fs.writeFileSync(process.env.LOADED_FILE ?? 3, JSON.stringify({ files, added }));
    });`,
  );
  return () => rmSync(folder, { recursive: true });
});

async function loadsOf(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  home = temporaryDirectory(),
): Promise<LoadedCode> {
  const { stdio } = await execa(process.execPath, ['-r', preload, binary, ...args], {
    env: { ...bareEnv(home), ...env },
    extendEnv: false,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  return parseLoaded(String(stdio[3]));
}

function parseLoaded(text: string): LoadedCode {
  const { files, added } = JSON.parse(text) as { files: string[]; added: string[] };
  const own = files.filter((path) => !path.includes('/node_modules/'));
  return {
    files: own.map((path) => basename(path).replace(/(-[\w-]{8})?\.(cjs|wasm)$/, '')).sort(),
    kilobytes: own.reduce((sum, path) => sum + readFileSync(path).length, 0) / 1000,
    builtIn: added.map((name) => name.replace(/^NativeModule /, '')),
  };
}
