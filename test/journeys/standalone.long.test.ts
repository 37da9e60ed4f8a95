import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { bareEnv, temporaryDirectory } from '../support/petstore.js';
import { openSocket, readToEnd } from '../support/raw-client.js';
import { startServeCommand } from '../support/serve-process.js';
import { checkSlowClients, sendSlowly } from '../support/slow-clients.js';
import { openProgram } from '../support/terminal.js';
import { startService } from '../support/test-service.js';

const repository = join(import.meta.dirname, '../..');
const { targets } = await import(join(repository, 'standalone/runtimes.js'));
const build = spawnSync(process.execPath, [join(repository, 'standalone/build.js')], { encoding: 'utf8' });
const isMissing = /cannot (?:download|build for)/.test(build.stderr);
const executable = build.stdout.trim();

const runWith = (home: string, args: readonly string[], cwd = home) =>
  execa(executable, args, { env: bareEnv(home), extendEnv: false, cwd, reject: false });

/** Tests that cannot pass, by parts of their titles. docs/performance.md lists the differences. */
const differences = [
  // There is no code cache.
  'replaces a code cache that another process has open',
  // man(1) cannot open a page inside the executable.
  'man(1) shows a page on a terminal',
  // The runtime of a jq program starts there, other than on Node.js.
  '--jq in a deleted directory',
  // These set the clock or the name service of this process.
  'after three refused connections within seconds',
  'sends a create once the service accepts connections',
  'looks up a host name that fails with',
  'commands fail without sending until it ends',
  'each 429 without Retry-After doubles the block',
  'an unsolicited response on an idle connection closes it',
];

test.skipIf(isMissing)('the executable is built (needs the runtime of Bun from npm)', () => {
  expect(build.status, build.stderr).toBe(0);
});

test.skipIf(isMissing).each([
  ['every journey passes', ['test/journeys'], 300],
  ['every fault is handled', ['test/faults'], 200],
])(
  '%s on the executable (needs the runtime of Bun from npm)',
  async (_, folders, minCount) => {
    const titles = differences.map((title) => title.replace(/[()]/g, '\\$&')).join('|');
    const words = ['run', ...folders, '-t', `^(?!.*(?:${titles}))`];
    const { exitCode, all } = await execa('vitest', words, {
      env: { ...bareEnv(temporaryDirectory()), PETSTORE_BIN: executable },
      extendEnv: false,
      preferLocal: true,
      reject: false,
      all: true,
    });
    expect(exitCode, all).toBe(0);
    // A pattern that matches no title would pass too.
    const [, passed] = /Tests +(\d+) passed/.exec(stripVTControlCharacters(all)) ?? [];
    expect(Number(passed)).toBeGreaterThan(minCount);
  },
  300_000,
);

test.skipIf(isMissing)(
  'commands run in a deleted directory, on a terminal too (needs the runtime of Bun from npm)',
  async () => {
    const home = temporaryDirectory();
    const script = `mkdir gone && cd gone && rmdir ../gone && '${executable}' pets list --limit 1 --jq '.[].name'`;
    const terminal = openProgram(home, ['sh', '-c', script], { cwd: home });
    expect(await terminal.exitCode).toBe(0);
    expect(terminal.output()).toContain('Ada');
  },
);

test.skipIf(isMissing)(
  'serve disconnects slow, silent, idle and stalled clients (needs the runtime of Bun from npm)',
  async () => {
    const { baseUrl, apiKey } = await startServeCommand([executable], '--quiet');
    const port = Number(new URL(baseUrl).port);
    const get = 'GET /v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const stalled = await openSocket(port);
    stalled.pause();
    stalled.write(get.repeat(400));
    const [silent, idle] = await Promise.all([
      sendSlowly(port, '', ''),
      sendSlowly(port, get, ''),
      checkSlowClients(port, apiKey),
    ]);
    expect(silent).toEqual([]);
    expect(idle).toMatchObject([{ status: 200 }]);
    // Its timeout has started when the last part was sent, and is checked once a second.
    await systemClock.sleep(20_000);
    const received = readToEnd(stalled);
    stalled.resume();
    expect((await received).length).toBeLessThan(400);
  },
);

test.skipIf(isMissing).each([
  ['--version', 20, 5],
  ['--help', 240, 9],
  ['completion bash', 235, 9],
  ['profile list --json', 400, 9],
  ['pets list --json', 850, 9],
  ['pets list', 980, 16],
])(
  '%s runs at most %i functions and %i modules of Bun (needs the runtime of Bun from npm)',
  async (words, maxFunctions, maxModules) => {
    const home = temporaryDirectory();
    await runWith(home, ['pets', 'list']);
    const counts = await countUsedCode(home, words.split(' '));
    expect(counts.functions).toBeLessThanOrEqual(maxFunctions);
    expect(counts.modules).toBeLessThanOrEqual(maxModules);
  },
);

test.skipIf(isMissing)('a request to a service loads few modules (needs the runtime of Bun from npm)', async () => {
  const { env } = await startService();
  const counts = await countUsedCode(temporaryDirectory(), ['pets', 'list', '--json'], env);
  expect(counts.functions).toBeLessThanOrEqual(980);
  expect(counts.modules).toBeLessThanOrEqual(42);
});

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
  'a keyring that cannot be extracted is not replaced by one in the working directory (needs the runtime of Bun from npm)',
  async () => {
    const home = temporaryDirectory();
    const proof = join(home, 'loaded');
    for (const { keyring } of Object.values<{ keyring: string }>(targets)) {
      const folder = join(home, 'node_modules/@napi-rs', `keyring-${keyring}`);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'index.js'), `require('node:fs').writeFileSync(${JSON.stringify(proof)}, '');`);
    }
    const login = ['auth', 'login', '-p', 'staging', '--base-url', 'http://127.0.0.1:1/v1', '--with-key', '--keyring'];
    const env = { ...bareEnv(home), TMPDIR: join(home, 'missing') };
    const { stderr, exitCode } = await execa(executable, login, {
      env,
      extendEnv: false,
      cwd: home,
      input: 'pets_canary_0123456789',
      reject: false,
    });
    expect(existsSync(proof)).toBe(false);
    expect(stderr).toMatch(/^error: cannot use the system keyring: .+\.node: .+$/m);
    expect(exitCode).toBe(1);
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

/** Returns how many compiled functions of petstore and modules of Bun a command uses, from the file that Bun writes. */
async function countUsedCode(home: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const file = join(home, 'used-code.txt');
  const { exitCode } = await execa(executable, args, {
    env: { ...bareEnv(home), ...env, BUN_BYTECODE_ORDER_OUT: file },
    extendEnv: false,
    cwd: home,
    reject: false,
  });
  expect(exitCode).toBe(0);
  const lines = readFileSync(file, 'utf8').split('\n');
  const count = (kind: string) => lines.filter((line) => line.startsWith(`${kind} `)).length;
  expect(count('F')).toBeGreaterThan(0);
  return { functions: count('F'), modules: count('M') };
}
