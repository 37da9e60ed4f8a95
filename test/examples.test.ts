import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../src/clock.js';
import { flattenOutline } from '../src/docgen/outline.js';
import { outlineAllCommands } from '../src/generate.js';
import { type RunningServer, startServer } from '../src/server/start-server.js';
import { good, key } from './support/certificates.js';
import { findBlocks, readDocs } from './support/docs.js';
import { bareEnv, binary } from './support/petstore.js';
import { isInstalled } from './support/programs.js';
import { keys, openShell } from './support/terminal.js';

/** Lines in the docs that no test runs, with the reason. */
const notRun: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^npm /, 'installs packages or runs this test'],
  [/^sudo |\bpodman /, 'changes the system, or needs images; docs/deploy.md'],
  [/> api-key$/, 'writes the key for podman'],
];

/** Every command line in help, manual pages and docs, without duplicates. */
const examples = [...new Set([...commandExamples(), ...docsExamples()])];

/** Examples that prompt on a terminal and fail without one. */
const prompting =
  /^petstore (?:auth login(?: --profile staging --base-url \S+)?|pets add|pets browse|pets get|profile use|profile remove staging|pets import pets\.csv|sandbox reset|serve keys revoke ci)$/;
const serving = /^(?:[A-Z_]+=\S+ )*petstore serve\b(?! keys\b)/;
const longRunning = new RegExp(`${serving.source}| --watch\\b`);

for (const line of examples.filter((each) => !prompting.test(each) && !longRunning.test(each))) {
  const missing = ['jq', 'zsh', 'xargs'].filter((name) => line.includes(name) && !isInstalled(name));
  const needs = missing.map((name) => ` (needs ${name})`).join('');
  // A script is called by its first command.
  const [, name = line] = line.split('\n');
  test.skipIf(missing.length > 0)(`${name}${needs} succeeds`, async () => {
    const { home, script } = prepare(line);
    const shell = line.includes('zsh') ? ['zsh', '-f'] : ['sh'];
    const env = bareEnv(home);
    const { exitCode, stderr } = await execa(shell[0] as string, [...shell.slice(1), '-ec', script], {
      cwd: join(home, 'work'),
      env: { ...env, PATH: `${join(environment.home, 'bin')}${delimiter}${env.PATH}` },
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    });
    expect(stderr).not.toMatch(/error/);
    expect(exitCode).toBe(0);
  });
}

test.each(examples.filter((line) => prompting.test(line)))('%s prompts on a terminal', async (line) => {
  const { home, script } = prepare(line);
  const terminal = openShell(home, `cd '${home}/work' && ${script}`);
  // Ignores the question mark of an escape sequence.
  await terminal.see(/\?(?!\d)/);
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(130);
});

test.each(examples.filter((line) => longRunning.test(line)))('%s runs until Ctrl-C', async (line) => {
  const isServing = serving.test(line) && !line.includes('--port');
  const { home, script } = prepare(isServing ? `${line} --port 0` : line);
  const replaced = script.replace(/^((?:[A-Z_]+=\S+ )*)petstore/m, `$1exec '${process.execPath}' '${binary}'`);
  const terminal = openShell(home, replaced, { cwd: join(home, 'work') });
  await terminal.see(/https?:\/\/|Watching|quota/);
  terminal.type(keys.interrupt);
  expect(await terminal.exitCode).toBe(0);
});

let environment: { readonly home: string; readonly server: RunningServer };

beforeAll(async () => {
  const home = mkdtempSync(join(tmpdir(), 'petstore-examples-'));
  const server = await startServer({
    database: ':memory:',
    host: '127.0.0.1',
    port: 0,
    key: undefined,
    ...{ perMinute: 1_000_000, perDay: 100_000_000 },
    clock: systemClock,
    nodeVersion: process.versions.node,
    onError: () => {},
    log: () => {},
  });
  environment = { home, server };
  const work = join(home, 'work');
  mkdirSync(join(home, 'bin'));
  mkdirSync(work);
  const runBinary = `#!/bin/sh\nexec '${process.execPath}' '${binary}' "$@"\n`;
  writeFileSync(join(home, 'bin/petstore'), runBinary, { mode: 0o755 });
  const write = (name: string, text: string, mode = 0o644) => writeFileSync(join(work, name), text, { mode });
  write('key.txt', server.newKey as string, 0o600);
  write('cert.pem', good);
  write('key.pem', key, 0o600);
  write('rex.json', '{"name":"Rex","categoryId":1}');
  write('pets.csv', 'name,categoryId\nRex,1\nTom,2\n');
  write('my-script', '#!/bin/sh\ntest -n "$PETSTORE_API_KEY"\n', 0o755);
  for (const profile of ['staging', 'production', 'acme']) {
    await petstore(['auth', 'login', '-p', profile, '--base-url', baseUrl(), '--with-key']);
  }
  await petstore(['profile', 'use', 'sandbox']);
  await petstore(['sandbox', 'plan', 'enterprise']);
  await petstore(['serve', 'keys', 'create', '--plan', 'free', '--label', 'ci']);
});

afterAll(async () => {
  await environment.server.close();
  rmSync(environment.home, { recursive: true, force: true });
});

function petstore(args: readonly string[]) {
  const env = bareEnv(environment.home);
  const input = environment.server.newKey as string;
  return execa(process.execPath, [binary, ...args], { env, extendEnv: false, input });
}

function baseUrl(): string {
  return `http://127.0.0.1:${environment.server.port}/v1`;
}

/** Creates a home directory and returns the line with the addresses of the server of this test. */
function prepare(line: string): { readonly home: string; readonly script: string } {
  const home = mkdtempSync(join(environment.home, 'home-'));
  for (const part of ['work', '.config', '.local']) {
    cpSync(join(environment.home, part), join(home, part), { recursive: true });
  }
  const local = line
    .replaceAll(/https:\/\/[a-z]+\.example\.com\/v1/g, baseUrl())
    // PostgreSQL may be missing; other tests cover it.
    .replaceAll(/postgres:\/\/[a-z@.]+\/pets/g, ':memory:')
    // The test waits until the server has drained.
    .replace(/--drain \d+/, '--drain 1');
  // These fail if their file, name or label exists.
  const remove = (path: string) => rmSync(join(home, path), { recursive: true });
  if (line.includes('export pets.csv')) remove('work/pets.csv');
  if (line.includes('keys create')) remove('.local/share/petstore/store.db');
  return { home, script: local };
}

function commandExamples(): readonly string[] {
  return flattenOutline(outlineAllCommands()).flatMap((outline) => outline.examples.map(([line]) => line));
}

/**
 * Returns the petstore commands in the `sh` blocks of the docs, without comments. A block that begins with `#!` is one
 * script. `docs-output.test.ts` runs the `console` blocks.
 */
function docsExamples(): readonly string[] {
  return [...readDocs().values()]
    .flatMap((text) => findBlocks(text, 'sh'))
    .flatMap((lines) => (lines[0]?.startsWith('#!') ? [lines.join('\n')] : lines))
    .map((line) =>
      line
        .replace(/\s+# .*$/, '')
        .replace('node bin/petstore.js', 'petstore')
        .trim(),
    )
    .filter((line) => /\bpetstore\b/.test(line) && !notRun.some(([pattern]) => pattern.test(line)));
}
