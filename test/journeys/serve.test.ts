import { once } from 'node:events';
import { readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { systemClock } from '../../src/clock.js';
import { migrations } from '../../src/server/migrations.js';
import { openSqlite } from '../../src/server/sqlite.js';
import { startCannedServer } from '../support/http-server.js';
import { binary, copyAlone, newUser, node, temporaryDirectory } from '../support/petstore.js';
import { isListening } from '../support/raw-client.js';
import { type ServeProcess, startServeCommand, startServeProcess } from '../support/serve-process.js';

test('serve responds to the client', async () => {
  const user = newUser();
  const { env, baseUrl } = await startServeProcess();
  const add = ['pets', 'add', '--name', 'Max', '--category-id', '-9223372036854775808', '--json'];
  const added = await user.run(add, { env });
  expect(JSON.parse(added.stdout)).toMatchObject({ id: 73, name: 'Max' });
  expect(added.stdout).toContain('"categoryId": -9223372036854775808');
  const listed = await user.run(['pets', 'list', '--status', 'available', '--limit', '1'], { env });
  const { host } = new URL(baseUrl);
  expect(listed.stderr).toContain(`${host} · 58 of 60 requests left · resets in …`);
  expect(listed.stdout).toContain('Ada');
});

test('a request has the documented headers, and the API key in Authorization only', async () => {
  const { env, requests } = await startCannedServer({});
  await newUser().run(['pets', 'list', '--status', 'sold', '--limit', '5'], { env });
  expect(requests[0]?.url).toBe('/v1/pets?limit=5&status=sold');
  expect(requests[0]?.headers).toEqual({
    host: expect.any(String),
    connection: 'keep-alive',
    authorization: 'Bearer pets_canary_0123456789',
    accept: 'application/json',
    'accept-encoding': 'identity',
    'user-agent': expect.stringMatching(/^petstore-cli\/\d+\.\d+\.\d+$/),
  });
});

test('serve responds and shuts down after an upgrade has replaced its files', async () => {
  const folder = copyAlone();
  symlinkSync(join(binary, '../../node_modules'), join(folder, 'node_modules'), 'junction');
  const command = [node, join(folder, 'bin/petstore.js')];
  const { baseUrl, metricsUrl, apiKey, stop } = await startServeCommand(command, '--metrics-port', '0');
  for (const part of ['bin', 'dist', 'package.json']) rmSync(join(folder, part), { recursive: true });
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': 'one' };
  const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
  expect((await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body })).status).toBe(201);
  for (const path of ['/v1/openapi.json', '/docs', metricsUrl, '/readyz']) {
    expect.soft((await fetch(new URL(path, baseUrl))).status, path).toBe(200);
  }
  expect(await stop()).toMatchObject({ exitCode: 0 });
});

test('serve enforces its limits without a plan', async () => {
  const user = newUser();
  const { env } = await startServeProcess('--per-minute', '2');
  for (const left of [1, 0]) {
    const { stderr } = await user.run(['pets', 'list', '--limit', '1'], { env });
    expect(stderr).toContain(`${left} of 2 requests left`);
  }
  // The gate stops the first user; a user without quota state is rate limited by the server.
  for (const [sender, status] of [
    [user, undefined],
    [newUser(), 429],
  ] as const) {
    const limited = await sender.run(['pets', 'list', '--json', '--max-wait', '0'], { env });
    const { error } = JSON.parse(limited.stderr.trimEnd().split('\n').at(-1) as string);
    expect(error).toMatchObject({ code: 'rate_limited', exitCode: 6 });
    expect(error.status).toBe(status);
    expect(Date.parse(error.retryAt)).toBeGreaterThan(Date.now());
    expect(limited.exitCode).toBe(6);
  }
});

describe('serve exits with 1 and prints no address', () => {
  test.each([
    ['another kind of file', (path: string) => writeFileSync(path, 'x'.repeat(5_000)), 'is not a'],
    ['a truncated database', (path: string) => truncateSync(path, 8_192), 'malformed'],
    ['a database with a damaged page', damagePage, 'damaged'],
  ])('for %s, which it leaves unchanged', async (_, damage, problem) => {
    const path = await makeDatabase();
    damage(path);
    const before = readFileSync(path);
    const { stdout, stderr, exitCode } = await serveOnce('--database', path);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toMatch(new RegExp(`^error: the database ${path} cannot be used: .*${problem}`));
    expect(stderr).toContain('hint: check the file permissions and the free disk space, or move');
    expect(readFileSync(path)).toEqual(before);
  });

  test('for a database in a missing directory', async () => {
    const path = join(temporaryDirectory(), 'missing', 'store.db');
    const { stderr, exitCode } = await serveOnce('--database', path, '--json');
    const message = expect.stringContaining(`the database ${path} cannot be used: ENOENT`);
    const hint = 'create the directory, or pass another --database';
    const expected = { code: 'database_unusable', exitCode: 1, message, hint };
    expect(JSON.parse(stderr).error).toMatchObject(expected);
    expect(exitCode).toBe(1);
  });

  test('for the database of a newer petstore', async () => {
    const path = await makeDatabase();
    const { nodeVersion, clock } = { nodeVersion: process.versions.node, clock: systemClock };
    const { database } = await openSqlite({ path, clock, nodeVersion });
    await database.read({ text: `PRAGMA user_version = ${migrations.length + 1}` });
    await database.close();
    const { stderr, exitCode } = await serveOnce('--database', path);
    const message = `error: the database ${path} has the format of a newer version of petstore\n`;
    expect(stderr).toBe(`${message}  hint: upgrade petstore\n`);
    expect(exitCode).toBe(1);
  });

  test('for the address of another machine', async () => {
    const { stdout, stderr, exitCode } = await serveOnce('--host', '192.0.2.1');
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toContain('error: cannot listen on 192.0.2.1:0 (EADDRNOTAVAIL)');
  });

  test('for a port in use', async () => {
    const { port } = new URL((await startCannedServer({})).origin);
    const { stderr, exitCode } = await serveOnce('--database', ':memory:', '--port', port);
    const message = `error: 127.0.0.1:${port} is already in use\n  hint: pass another --port, or --port 0 for any free port\n`;
    expect({ stderr, exitCode }).toEqual({ stderr: message, exitCode: 1 });
  });
});

test.each([
  ['--fault=200:0.1', '--fault must'],
  ['--allow-host=a:80', '--allow-host must'],
  ['--latency=20001', '--latency must'],
  ['--host=', '--host must'],
  ['--database=', '--database must'],
  ['--port=70000', '--port must be a whole number from 0 to 65535'],
  ['--log=xml', '--log must be one of text, json, none'],
  ['--trust-proxy=10.0.0.0/33', '--trust-proxy must be an IP address or a network'],
  ['--trust-proxy=10.0.0.1,', '--trust-proxy must be an IP address or a network'],
  ['--plan=gold', '--plan must be one of free, pro, business, enterprise, not "gold"'],
  ['--api-key-file=/missing', 'cannot read the file in --api-key-file (ENOENT)'],
])('serve rejects %s', async (flag, message) => {
  const { stdout, stderr, exitCode } = await serveOnce(flag);
  expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
  expect(stderr).toContain(`error: ${message}`);
});

test('serve prints its address once it accepts connections', async () => {
  const { baseUrl } = await startServeProcess();
  const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
});

test('serve returns its health and the API spec without a key', async () => {
  const { baseUrl } = await startServeProcess();
  expect(await (await fetch(new URL('/healthz', baseUrl))).json()).toEqual({ status: 'ok' });
  const { servers, ...spec } = parse(readFileSync('openapi.yaml', 'utf8'));
  expect(await (await fetch(`${baseUrl}/openapi.json`)).json()).toEqual({ ...spec, servers: [servers[0]] });
});

test('two servers on one database share its pets', async () => {
  const database = join(temporaryDirectory(), 'store.db');
  const first = await startServeProcess('--database', database);
  const second = await startServeProcess('--database', database);
  expect(second.apiKey).toBe('');
  const user = newUser();
  const env = { ...second.env, PETSTORE_API_KEY: first.apiKey };
  await user.run(['pets', 'add', '--name', 'Max', '--category-id', '1'], { env: first.env });
  const { stdout } = await user.run(['pets', 'get', '73', '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ id: 73, name: 'Max' });
});

describe('SIGTERM', () => {
  test('shuts serve down after the responses in flight', async () => {
    const served = await startServeProcess('--latency', '1500');
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const { accepted, response } = listPets(served, agent);
    await accepted;
    const { exitCode, log } = await served.stop();
    expect(exitCode).toBe(0);
    const { status, connection } = await response;
    expect({ status, connection }).toEqual({ status: 200, connection: 'close' });
    expect(log).not.toContain('error');
  });

  test('a second time ends serve immediately', async () => {
    const served = await startServeProcess('--latency', '20000');
    const request = listPets(served);
    const rejection = expect(request.response).rejects.toThrow();
    await request.accepted;
    process.kill(served.pid);
    // The system merges a signal with an equal one that the process has not received yet.
    await expect.poll(() => isListening({ port: Number(new URL(served.baseUrl).port) })).toBe(false);
    expect((await served.stop()).exitCode).toBe(143);
    await rejection;
  });
});

test('serve injects the same faults with the same seed', async () => {
  const outcomes = async () => {
    const served = await startServeProcess('--fault', '503:0.4,reset:0.2', '--fault', 'seed:7', '--quiet');
    const all: unknown[] = [];
    while (all.length < 20) {
      const { response } = listPets(served);
      all.push(await response.catch(({ code }) => ({ status: code })).then(({ status }) => status));
    }
    return all;
  };
  const first = await outcomes();
  expect(new Set(first)).toEqual(new Set([200, 503, 'ECONNRESET']));
  expect(await outcomes()).toEqual(first);
});

test('the log contains no keys, and nothing with --quiet', async () => {
  const key = 'pets_given_0123456789';
  const file = join(temporaryDirectory(), 'key');
  writeFileSync(file, key, { mode: 0o600 });
  for (const [flags, lines] of [
    [[], 3],
    [['--quiet'], 0],
  ] as const) {
    const served = await startServeProcess('--api-key-file', file, ...flags);
    await fetch(`${served.baseUrl}/pets?key=${key}`);
    await fetch(`${served.baseUrl}/pets/${key}`, { headers: { authorization: `Bearer ${key}` } });
    await fetch(`${served.baseUrl}/${key}`, { headers: { authorization: `Basic ${key}` } });
    const { log } = await served.stop();
    expect(log.split('\n').filter((line) => line !== '')).toHaveLength(lines);
    expect(log).not.toContain(key);
  }
});

test('the log contains no key that an earlier start created', async () => {
  const database = join(temporaryDirectory(), 'store.db');
  const first = await startServeProcess('--database', database);
  await first.stop();
  const served = await startServeProcess('--database', database);
  await fetch(`${served.baseUrl}/pets/${first.apiKey}`);
  const { log } = await served.stop();
  expect(log.match(/GET \[redacted\] 401/g)).toHaveLength(1);
  expect(log).not.toContain(first.apiKey.slice(5));
});

function serveOnce(...args: readonly string[]) {
  return newUser().run(['serve', '--port', '0', ...args]);
}

/** Returns the path of a new database. */
async function makeDatabase(): Promise<string> {
  const path = join(temporaryDirectory(), 'store.db');
  await (await startServeProcess('--database', path)).stop();
  return path;
}

/** Overwrites a page that the server does not read when it opens the database. */
function damagePage(path: string): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(0xa5, 4_096 * 2, 4_096 * 3));
}

/** Requests a page of one pet; `accepted` resolves once the server has the request. */
function listPets({ baseUrl, apiKey }: ServeProcess, agent: Agent | false = false) {
  const headers = { authorization: `Bearer ${apiKey}`, expect: '100-continue' };
  const outgoing = request(`${baseUrl}/pets?limit=1`, { agent, headers });
  const response = new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
    outgoing.on('error', reject).on('response', (incoming: IncomingMessage) => {
      const { statusCode: status, headers: received } = incoming;
      incoming.resume();
      incoming.on('end', () => resolve({ status, connection: received.connection }));
    });
  });
  const accepted = new Promise((resolve) => outgoing.once('continue', resolve));
  outgoing.end();
  return { accepted, response };
}

test('serve shuts down on SIGHUP', async () => {
  const server = await startServeProcess();
  expect((await server.stop('SIGHUP')).exitCode).toBe(0);
});

test('serve warns of unencrypted requests from other machines', async () => {
  const server = await startServeProcess('--host', '0.0.0.0');
  expect((await server.stop()).log).toContain('accepts unencrypted requests');
});

test('a second signal ends a server that drains', async () => {
  const server = await startServeProcess('--drain', '3600');
  process.kill(server.pid, 'SIGTERM');
  await vi.waitFor(() => expect(server.log()).toContain('draining for 3600 s'), { timeout: 30_000 });
  expect((await server.stop('SIGINT')).exitCode).toBe(130);
});
