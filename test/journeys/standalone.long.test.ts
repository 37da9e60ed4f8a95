import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { bareEnv, temporaryDirectory } from '../support/petstore.js';

const repository = join(import.meta.dirname, '../..');
const build = spawnSync(process.execPath, [join(repository, 'standalone/build.js')], { encoding: 'utf8' });
const isMissing = /cannot (?:download|build for)/.test(build.stderr);
const executable = build.stdout.trim();

const runWith = (home: string, args: readonly string[], cwd = home) =>
  execa(executable, args, { env: bareEnv(home), extendEnv: false, cwd, reject: false });

/** Journeys that differ, by parts of their titles. docs/performance.md tells users. */
const differences = [
  // These change Node.js with NODE_OPTIONS.
  'the terminal is restored after a crash',
  'keeps an export that another program has open',
  'warns once if the ledger cannot be replaced',
  'replaces a code cache that another process has open',
  // man(1) cannot open a page inside the executable.
  'man(1) shows a page on a terminal',
  // Bun does not start there.
  'in a deleted directory',
  'a deleted working directory',
];

test.skipIf(isMissing)('the executable is built (needs the runtime of Bun from npm)', () => {
  expect(build.status, build.stderr).toBe(0);
});

test.skipIf(isMissing)(
  'every journey passes on the executable (needs the runtime of Bun from npm)',
  async () => {
    const titles = differences.map((title) => title.replace(/[()]/g, '\\$&')).join('|');
    const words = ['run', 'test/journeys', '-t', `^(?!.*(?:${titles}))`];
    const { exitCode, all } = await execa('vitest', words, {
      env: { ...bareEnv(temporaryDirectory()), PETSTORE_BIN: executable },
      extendEnv: false,
      preferLocal: true,
      reject: false,
      all: true,
    });
    expect(exitCode, all).toBe(0);
    // A pattern that matches no title would pass too.
    expect(stripVTControlCharacters(all)).toMatch(/Tests +\d{3} passed/);
  },
  300_000,
);

test.skipIf(isMissing)(
  'files in the working directory change nothing (needs the runtime of Bun from npm)',
  async () => {
    const home = temporaryDirectory();
    const expected = await runWith(home, ['profile', 'show', '--json']);
    const folder = temporaryDirectory();
    writeFileSync(join(folder, '.env'), 'PETSTORE_BASE_URL=http://127.0.0.1:9\nPETSTORE_PROFILE=other\n');
    writeFileSync(join(folder, 'bunfig.toml'), 'preload = ["./preload.js"]\n');
    writeFileSync(join(folder, 'preload.js'), "console.log('preloaded');");
    const { stdout, exitCode } = await runWith(home, ['profile', 'show', '--json'], folder);
    expect({ stdout, exitCode }).toEqual({ stdout: expected.stdout, exitCode: 0 });
  },
);

test.skipIf(isMissing)(
  'the executable contains the optional packages (needs the runtime of Bun from npm)',
  async () => {
    const run = (args: readonly string[], env?: Readonly<Record<string, string>>) => {
      const home = temporaryDirectory();
      return execa(executable, args, { env: { ...bareEnv(home), ...env }, extendEnv: false, cwd: home, reject: false });
    };
    expect((await run(['pets', 'list', '--limit', '2', '--jq', '.[].name'])).stdout).toBe('Ada\nArchie');
    const database = 'postgres://petstore@127.0.0.1:9/petstore';
    expect((await run(['serve', '--port', '0', '--database', database])).stderr).toContain('connect ECONNREFUSED');
    const ledger = 'redis://127.0.0.1:9/0';
    expect((await run(['doctor'], { PETSTORE_LEDGER: ledger })).stdout).toContain(`${ledger} refused the connection`);
  },
);

test.skipIf(isMissing)('pets import reads a named pipe (needs the runtime of Bun from npm)', async () => {
  const home = temporaryDirectory();
  const script = `'${executable}' pets import <(printf 'name,categoryId\\nRex,7\\n') --yes`;
  const { stderr, exitCode } = await execa('bash', ['-c', script], {
    env: bareEnv(home),
    extendEnv: false,
    reject: false,
  });
  expect(stderr).toContain('Added 1 pet to sandbox');
  expect(exitCode).toBe(0);
});
