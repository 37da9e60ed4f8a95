/*
 * Runs the main commands of the built petstore on this system. The workflow ci.yml runs this script on Windows and
 * macOS, and release.yml runs it for each executable. Prints one line per step and ends with 1 at the first failure.
 *
 * Usage: node smoke.js [--executable <file>] [step…]
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

/** Far longer than any command takes, even on a busy machine. */
const maxCommandMs = 120_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { executable: { type: 'string' } },
});
const packageDirectory = join(import.meta.dirname, '..');
const executable = values.executable && resolve(values.executable);
/** The command that runs petstore. */
const command = executable ? [executable] : [process.execPath, join(packageDirectory, 'bin/petstore.js')];
const folder = mkdtempSync(join(tmpdir(), 'petstore-smoke-'));
const children = new Set();

const steps = {
  version: async () => {
    const { version } = JSON.parse(readFileSync(join(packageDirectory, 'package.json'), 'utf8'));
    assert.equal((await run(newUser(), ['--version'])).stdout.trim(), version);
  },

  'list and add': async () => {
    const user = newUser();
    assert.match((await run(user, ['pets', 'list', '--status', 'available'])).stdout, /Ada/);
    const add = ['pets', 'add', '--name', 'Rex', '--category-id', '7', '--json'];
    assert.equal(JSON.parse((await run(user, add)).stdout).id, 73);
    assert.ok((await listNames(user)).includes('Rex'));
  },

  'import after a kill': async () => {
    const server = await startServer();
    const proxy = await startProxy(server.baseUrl);
    const user = { ...newUser(), PETSTORE_BASE_URL: proxy.baseUrl, PETSTORE_API_KEY: server.apiKey };
    const names = Array.from({ length: 20 }, (_, index) => `Smoke ${index + 1}`);
    const input = join(folder, 'pets.csv');
    writeFileSync(input, `name,categoryId\n${names.map((name) => `${name},1\n`).join('')}`);
    const journal = join(folder, 'pets.journal');
    const args = ['pets', 'import', input, '--journal', journal, '--yes', '--json'];
    proxy.holdCreatesAfter(5);
    const first = start(user, args);
    await Promise.race([proxy.held, first.ended]);
    await waitFor(() => /"added"/.test(readFileSync(journal, 'utf8')));
    first.child.kill('SIGKILL');
    await first.ended;
    proxy.holdCreatesAfter(Number.POSITIVE_INFINITY);
    const { added, skipped } = JSON.parse((await run(user, args)).stdout);
    assert.equal(added + skipped, names.length);
    assert.ok(skipped > 0, 'no row was journaled before the kill');
    assert.deepEqual((await listNames(user)).filter((name) => name.startsWith('Smoke')).sort(), names.sort());
    proxy.close();
    await server.stop();
  },

  'quota of 12 processes': async () => {
    const server = await startServer('--latency', '500');
    const user = { ...newUser(), PETSTORE_BASE_URL: server.baseUrl, PETSTORE_API_KEY: server.apiKey };
    const list = () => run(user, ['pets', 'list', '--limit', '1']);
    const runs = await Promise.all(Array.from({ length: 12 }, list));
    for (const { stderr } of runs) {
      assert.doesNotMatch(stderr, /^!/m);
      assert.match(stderr, /of 60 requests left/);
    }
    await server.stop();
  },

  'credential store': async () => {
    const server = await startServer();
    // macOS finds its keychain in the real home directory.
    const user = { ...baseEnv(), PETSTORE_CONFIG_DIR: join(folder, 'config') };
    mkdirSync(user.PETSTORE_CONFIG_DIR);
    const login = ['auth', 'login', '--profile', 'smoke', '--base-url', server.baseUrl, '--with-key', '--keyring'];
    await runWithStore(user, login, { input: server.apiKey });
    assert.equal(JSON.parse((await run(user, ['auth', 'status', '--json'])).stdout).storage, 'system keyring');
    assert.match((await runWithStore(user, ['pets', 'list', '--limit', '1'])).stdout, /Ada/);
    for (const name of readdirSync(user.PETSTORE_CONFIG_DIR)) {
      const path = join(user.PETSTORE_CONFIG_DIR, name);
      if (statSync(path).isFile()) assert.ok(!readFileSync(path, 'utf8').includes(server.apiKey), path);
    }
    await runWithStore(user, ['auth', 'logout']);
    await run(user, ['auth', 'token'], { exitCode: 3 });
    await server.stop();
  },

  'export over an open file': async () => {
    const user = newUser();
    const path = join(folder, 'pets.json');
    writeFileSync(path, 'old');
    const file = openSync(path, 'r');
    // Some versions of Windows replace an open file.
    const { exitCode, stderr } = await run(user, ['pets', 'export', path, '--force'], { exitCode: undefined });
    closeSync(file);
    if (exitCode !== 0) {
      assert.match(stderr, /close other programs that have the file open/);
      assert.equal(readFileSync(path, 'utf8'), 'old');
      await run(user, ['pets', 'export', path, '--force']);
    }
    assert.equal(JSON.parse(readFileSync(path, 'utf8')).length, 72);
  },

  'serve over loopback': async () => {
    const server = await startServer();
    const user = { ...newUser(), PETSTORE_BASE_URL: server.baseUrl, PETSTORE_API_KEY: server.apiKey };
    assert.equal((await listNames(user)).length, 72);
    await server.stop();
  },

  browse: async () => {
    const user = newUser();
    const [file, ...args] = [...command, 'pets', 'browse'];
    const { spawn: openTerminal } = await import('@lydell/node-pty');
    const { default: xterm } = await import('@xterm/headless');
    const [cols, rows] = [100, 30];
    const terminal = openTerminal(file, args, { cols, rows, name: 'xterm-256color', env: user });
    const emulator = new xterm.Terminal({ cols, rows, allowProposedApi: true });
    const lines = () => Array.from({ length: rows }, (_, row) => emulator.buffer.active.getLine(row));
    const screen = () =>
      lines()
        .map((line) => line?.translateToString(true))
        .join('\n');
    let output = '';
    let exitCode;
    terminal.onData((data) => {
      output += data;
      emulator.write(data);
    });
    terminal.onExit((exit) => {
      exitCode = exit.exitCode;
    });
    const see = async (text) => {
      await waitFor(() => screen().includes(text) || exitCode !== undefined);
      assert.ok(screen().includes(text), `no ${text} in ${JSON.stringify(output)}`);
    };
    await see('1 of 72');
    await see('Archie');
    terminal.write('arch');
    await see('1 of 1 match in 72 pets');
    terminal.write('\u0003');
    await waitFor(() => exitCode !== undefined);
    assert.equal(exitCode, 130);
  },
};

/** Returns an environment without settings of petstore, and without what makes petstore avoid terminals. A busy machine is slow. */
function baseEnv() {
  const isOther = ([name]) => !/^(PETSTORE_|NODE_|XDG_|CI$|NO_COLOR$|FORCE_COLOR$)/i.test(name);
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(isOther)),
    PETSTORE_NO_INPUT: '0',
    PETSTORE_TIMEOUT: '100',
  };
}

/** Returns the environment of a user with empty directories. */
function newUser() {
  const home = mkdtempSync(join(folder, 'home-'));
  const env = { HOME: home, USERPROFILE: home, APPDATA: join(home, 'roaming'), LOCALAPPDATA: join(home, 'local') };
  mkdirSync(env.APPDATA);
  mkdirSync(env.LOCALAPPDATA);
  return { ...baseEnv(), ...env };
}

function start(env, args, { input = '' } = {}) {
  const [file, ...words] = command;
  const child = spawn(file, [...words, ...args], { env });
  children.add(child);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      output[name] += text;
    });
  }
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const ended = once(child, 'close').then(([exitCode]) => {
    children.delete(child);
    return { ...output, exitCode };
  });
  return { child, ended, output };
}

/** Runs petstore and expects this exit code, unless it is `undefined`. */
async function run(env, args, options = {}) {
  const { child, ended } = start(env, args, options);
  const timer = setTimeout(() => child.kill('SIGKILL'), maxCommandMs);
  const result = await ended;
  clearTimeout(timer);
  const expected = 'exitCode' in options ? options.exitCode : 0;
  if (expected !== undefined) assert.equal(result.exitCode, expected, `${args.join(' ')}: ${JSON.stringify(result)}`);
  return result;
}

/** Like `run`. On a busy machine, the credential store may take longer than petstore waits for it. */
async function runWithStore(env, args, options) {
  for (let attempts = 1; attempts < 5; attempts += 1) {
    const result = await run(env, args, { ...options, exitCode: undefined });
    if (!/no response within/.test(result.stderr)) {
      assert.equal(result.exitCode, 0, JSON.stringify(result));
      return result;
    }
  }
  return run(env, args, options);
}

async function listNames(user) {
  const { stdout } = await run(user, ['pets', 'list', '--all', '--json']);
  return JSON.parse(stdout).map(({ name }) => name);
}

async function startServer(...args) {
  const server = start(newUser(), ['serve', '--port', '0', '--database', ':memory:', '--json', ...args]);
  await waitFor(() => server.output.stdout.endsWith('}\n') || server.child.exitCode !== null);
  assert.equal(server.child.exitCode, null, server.output.stderr);
  const { baseUrl, apiKey } = JSON.parse(server.output.stdout);
  const stop = async () => {
    server.child.kill();
    await server.ended;
  };
  return { baseUrl, apiKey, stop };
}

/** Forwards requests. On request it forwards some creates and then holds back each response to a create. */
async function startProxy(target) {
  const { origin, host } = new URL(target);
  let creates = 0;
  let maxCreates = Number.POSITIVE_INFINITY;
  let hold;
  const held = new Promise((resolve) => {
    hold = resolve;
  });
  const proxy = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const isHeld = method === 'POST' && ++creates > maxCreates;
    const forwarded = request(`${origin}${url}`, { method, headers: { ...headers, host } }, (response) => {
      if (isHeld) return hold();
      outgoing.writeHead(response.statusCode, response.headers);
      response.pipe(outgoing);
    });
    forwarded.on('error', () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${proxy.address().port}${new URL(target).pathname}`,
    held,
    holdCreatesAfter: (count) => {
      maxCreates = count;
    },
    close: () => {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}

async function waitFor(isDone) {
  const deadline = performance.now() + maxCommandMs;
  while (!isDone()) {
    assert.ok(performance.now() < deadline, 'timed out');
    await sleep(50);
  }
}

async function main() {
  assert.ok(executable || existsSync(join(packageDirectory, 'dist/main.cjs')), 'run npm run build first');
  for (const name of positionals.length > 0 ? positionals : Object.keys(steps)) {
    const startedAt = performance.now();
    await steps[name]();
    process.stdout.write(`ok: ${name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)\n`);
  }
}

try {
  await main();
} catch (error) {
  process.stdout.write(`failed: ${error.stack}\n`);
  process.exitCode = 1;
} finally {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
}
// Closes the pseudo-terminal, too.
process.exit();
