import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../src/clock.js';
import { migrations } from '../../src/server/migrations.js';
import { openSqlite } from '../../src/server/sqlite.js';
import { newUser, temporaryDirectory } from '../support/petstore.js';
import { type Served, startServe } from '../support/served.js';

describe('a database that cannot be used is told, with exit 1, and nothing is announced:', () => {
  const hint = 'check its permissions and the free space; if the file is damaged, move it away';

  test.each([
    ['garbage', (path: string) => writeFileSync(path, 'x'.repeat(5_000)), 'is not a database'],
    ['one that is cut off', (path: string) => truncateSync(path, 8_192), 'malformed'],
    ['one with a damaged page', damage, 'damaged'],
  ])('%s', async (_, spoil, problem) => {
    const path = await makeDatabase();
    spoil(path);
    const before = readFileSync(path);
    const { stdout, stderr, exitCode } = await serveOnce('--database', path);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toMatch(new RegExp(`^error: the database ${path} cannot be used: .*${problem}`));
    expect(stderr).toContain(`hint: ${hint}`);
    expect(readFileSync(path)).toEqual(before);
  });

  test('a directory', async () => {
    const path = join(temporaryDirectory(), 'store.db');
    mkdirSync(path);
    const { stderr, exitCode } = await serveOnce('--database', path, '--json');
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'database_unusable', exitCode: 1 });
    expect(exitCode).toBe(1);
  });

  test('one in a directory that is not there', async () => {
    const path = join(temporaryDirectory(), 'none', 'store.db');
    const { stderr, exitCode } = await serveOnce('--database', path);
    expect(stderr).toContain(`error: the database ${path} cannot be used: ENOENT`);
    expect(exitCode).toBe(1);
  });

  test('one of a newer petstore', async () => {
    const path = await makeDatabase();
    const { database } = await openSqlite({
      path,
      clock: systemClock,
      nodeVersion: process.versions.node,
    });
    await database.read({ pieces: [`PRAGMA user_version = ${migrations.length + 1}`], values: [] });
    await database.close();
    const { stderr, exitCode } = await serveOnce('--database', path);
    expect(stderr).toBe(
      `error: the database ${path} was made by a newer petstore\n  hint: update petstore\n`,
    );
    expect(exitCode).toBe(1);
  });

  test.skipIf(process.getuid?.() === 0).each(['file', 'directory'])(
    'one in a %s that may only be read',
    async (what) => {
      const path = await makeDatabase();
      const locked = what === 'file' ? path : join(path, '..');
      chmodSync(locked, what === 'file' ? 0o400 : 0o500);
      onTestFinished(() => chmodSync(locked, 0o700));
      const { stderr, exitCode } = await serveOnce('--database', path);
      expect(stderr).toContain(`error: the database ${path} cannot be used: `);
      expect(stderr).toContain(`hint: ${hint}`);
      expect(exitCode).toBe(1);
    },
  );
});

describe('serve refuses', () => {
  test.each([
    [
      '--fault',
      ['503', '503:', '503:2', '503:-1', '200:0.1', 'reset:x', 'seed:1.5', '503:0.1,', ''],
    ],
    ['--allow-host', ['http://a', 'a:80', 'cafe:80', '127.0.0.1:80', '[::1]', 'a b', '*', '']],
    ['--latency', ['x', '-1', '1.5', '20001']],
    ['--host', ['']],
    ['--database', ['']],
  ])('bad values of %s', async (flag, values) => {
    for (const value of values) {
      const { stdout, stderr, exitCode } = await serveOnce(`${flag}=${value}`);
      expect({ value, stdout, exitCode }).toEqual({ value, stdout: '', exitCode: 2 });
      expect(stderr).toContain(`error: ${flag} must`);
    }
  });

  test('an address that is not of this machine', async () => {
    const { stdout, stderr, exitCode } = await serveOnce('--host', '192.0.2.1');
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toContain('error: 192.0.2.1:0 cannot be listened on (EADDRNOTAVAIL)');
  });
});

test('serve announces itself once it accepts', async () => {
  const { baseUrl } = await startServe();
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
});

test('serve tells its state and its description without a key', async () => {
  const { baseUrl } = await startServe();
  expect(await (await fetch(new URL('/healthz', baseUrl))).json()).toEqual({ status: 'ok' });
  expect(await (await fetch(`${baseUrl}/openapi.json`)).json()).toEqual(
    parse(readFileSync('openapi.yaml', 'utf8')),
  );
});

test('serve warns where others can reach it', async () => {
  const served = await startServe('--host', '0.0.0.0');
  const { log } = await served.stop();
  expect(log).toContain('warning: the store can be reached by others at 0.0.0.0');
});

test('two of them serve one database, and each tells the pets of the other', async () => {
  const database = join(temporaryDirectory(), 'store.db');
  const first = await startServe('--database', database);
  const second = await startServe('--database', database);
  expect(second.apiKey).toBe('');
  const user = newUser();
  const env = { ...second.env, PETSTORE_API_KEY: first.apiKey };
  await user.run(['pets', 'add', '--name', 'Max', '--category-id', '1'], { env: first.env });
  const { stdout } = await user.run(['pets', 'get', '73', '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ id: 73, name: 'Max' });
});

describe('a signal', () => {
  test('ends serve once what is in flight is answered, whoever else is connected', async () => {
    const served = await startServe('--latency', '1500');
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const silent = connect(Number(new URL(served.baseUrl).port), '127.0.0.1');
    onTestFinished(() => void silent.destroy());
    const { taken, answer } = ask(served, agent);
    await taken;
    const begin = performance.now();
    const { exitCode, log } = await served.stop();
    expect(exitCode).toBe(0);
    expect(performance.now() - begin).toBeLessThan(5_000);
    const { status, connection } = await answer;
    expect({ status, connection }).toEqual({ status: 200, connection: 'close' });
    expect(log).not.toContain('error');
  });

  test('that comes a second time ends serve at once', async () => {
    const served = await startServe('--latency', '20000');
    const asked = ask(served);
    const answer = expect(asked.answer).rejects.toThrow();
    await asked.taken;
    const begin = performance.now();
    const [{ exitCode }] = await Promise.all([
      served.stop(),
      systemClock.sleep(300).then(() => served.stop()),
    ]);
    expect(exitCode).toBe(143);
    expect(performance.now() - begin).toBeLessThan(4_000);
    await answer;
  });
});

test('faults are the same ones with the same seed', async () => {
  const outcomes = async () => {
    const served = await startServe('--fault', '503:0.4,reset:0.2', '--fault', 'seed:7', '--quiet');
    const all: unknown[] = [];
    for (let asked = 0; asked < 20; asked += 1) {
      all.push(
        await ask(served).answer.then(
          ({ status }) => status,
          (error) => error.code,
        ),
      );
    }
    return all;
  };
  const first = await outcomes();
  expect(new Set(first)).toEqual(new Set([200, 503, 'ECONNRESET']));
  expect(await outcomes()).toEqual(first);
});

test('no key is in the log, wherever it was sent, and nothing is with --quiet', async () => {
  const key = 'pets_given_0123456789';
  const file = join(temporaryDirectory(), 'key');
  writeFileSync(file, key);
  for (const [flags, lines] of [
    [[], 3],
    [['--quiet'], 0],
  ] as const) {
    const served = await startServe('--api-key-file', file, ...flags);
    await fetch(`${served.baseUrl}/pets?key=${key}`);
    await fetch(`${served.baseUrl}/pets/${key}`, { headers: { authorization: `Bearer ${key}` } });
    await fetch(`${served.baseUrl}/${key}`, { headers: { authorization: `Basic ${key}` } });
    const { log } = await served.stop();
    expect(log.split('\n').filter((line) => line !== '')).toHaveLength(lines);
    expect(log).not.toContain(key);
  }
});

test('a key that an earlier start made is not in the log either', async () => {
  const database = await makeDatabase();
  const first = await startServe('--database', `${database}.new`);
  await first.stop();
  const served = await startServe('--database', `${database}.new`);
  await fetch(`${served.baseUrl}/pets/${first.apiKey}`);
  await fetch(`${served.baseUrl}/%70${first.apiKey.slice(1)}`);
  const { log } = await served.stop();
  expect(log.match(/GET \[redacted\] 401/g)).toHaveLength(2);
  expect(log).not.toContain(first.apiKey.slice(5));
});

function serveOnce(...args: readonly string[]) {
  return newUser().run(['serve', '--port', '0', ...args]);
}

/** A database of the store's own making, with nothing beside it. */
async function makeDatabase(): Promise<string> {
  const path = join(temporaryDirectory(), 'store.db');
  await (await startServe('--database', path)).stop();
  return path;
}

/** Spoils a page that nobody reads when the store opens. */
function damage(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xa5, 4_096 * 2, 4_096 * 3));
}

/** Asks for a pet; `taken` resolves once the service has the request. */
function ask({ baseUrl, apiKey }: Served, agent: Agent | false = false) {
  const headers = { authorization: `Bearer ${apiKey}`, expect: '100-continue' };
  const asking = request(`${baseUrl}/pets?limit=1`, { agent, headers });
  const answer = new Promise<{ status: number | undefined; connection: string | undefined }>(
    (resolve, reject) => {
      asking.on('error', reject).on('response', (incoming: IncomingMessage) => {
        const { statusCode: status, headers: received } = incoming;
        incoming.resume();
        incoming.on('end', () => resolve({ status, connection: received.connection }));
      });
    },
  );
  const taken = new Promise((resolve) => asking.once('continue', resolve));
  asking.end();
  return { taken, answer };
}
