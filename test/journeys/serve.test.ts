import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startCannedServer } from '../support/http-server.js';
import { bareEnv, binary, copyAlone, newUser, node, temporaryDirectory } from '../support/petstore.js';
import { isListening } from '../support/raw-client.js';
import { type ServeProcess, startServeCommand, startServeProcess } from '../support/serve-process.js';

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
    expect(stderr).toContain('hint: check that the directory exists, check the file permissions');
    expect(readFileSync(path)).toEqual(before);
  });

  test('for a port in use', async () => {
    const { port } = new URL((await startCannedServer({})).origin);
    const { stderr, exitCode } = await serveOnce('--database', ':memory:', '--port', port);
    const message = `error: 127.0.0.1:${port} is already in use\n  hint: pass another --port, or --port 0 for any free port\n`;
    expect({ stderr, exitCode }).toEqual({ stderr: message, exitCode: 1 });
  });
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

test('the log contains no keys, and nothing with --quiet or --log=none', async () => {
  const key = 'pets_given_0123456789';
  const file = join(temporaryDirectory(), 'key');
  writeFileSync(file, key, { mode: 0o600 });
  for (const [flags, lines] of [
    [[], 3],
    [['--quiet', '--log=json'], 0],
    [['--log=none'], 0],
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
  const headers = { authorization: `Bearer ${apiKey}` };
  const outgoing = request(`${baseUrl}/pets?limit=1`, { agent, headers });
  const response = new Promise<{ status: number | undefined; connection: string | undefined }>((resolve, reject) => {
    outgoing.on('error', reject).on('response', (incoming: IncomingMessage) => {
      const { statusCode: status, headers: received } = incoming;
      incoming.resume();
      incoming.on('end', () => resolve({ status, connection: received.connection }));
    });
  });
  // A later request gets its response only after the server has read this one.
  const accepted = once(outgoing, 'finish').then(() => fetch(new URL('/livez', baseUrl)));
  outgoing.end();
  return { accepted, response };
}

test('a second signal ends a server that drains', async () => {
  const server = await startServeProcess('--drain', '3600');
  process.kill(server.pid, 'SIGTERM');
  await vi.waitFor(() => expect(server.log()).toContain('draining for 3600 s'), { timeout: 30_000 });
  expect((await server.stop('SIGINT')).exitCode).toBe(130);
});

test('an operation returns 410 on the day after its removal, and the client explains it', async () => {
  const user = newUser();
  const { env, baseUrl, apiKey } = await startServeProcess('--clock', '2030-12-06');
  const run = await user.run(['pets', 'get', '1'], { env });
  expect({ stdout: run.stdout, exitCode: run.exitCode }).toEqual({ stdout: '', exitCode: 4 });
  expect(run.stderr).toContain('error: this operation was removed; use GET /v1/pets instead (HTTP 410)\n');
  expect(run.stderr).toContain('hint: run petstore pets list');
  // The replacement works, and the quota resets in the time of this machine.
  const { stdout, stderr, exitCode } = await user.run(['pets', 'list', '--limit', '1'], { env });
  expect({ found: stdout.includes('Ada'), exitCode }).toEqual({ found: true, exitCode: 0 });
  expect(stderr).toMatch(/58 of 60 requests left · resets in …/);
  const { headers } = await fetch(`${baseUrl}/pets`, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  expect(headers.get('date')).toMatch(/^Fri, 06 Dec 2030 00:00:\d\d GMT$/);
  const reset = Number(headers.get('x-ratelimit-reset')) * 1000;
  expect(new Date(reset).toISOString()).toMatch(/^2030-12-06T00:0/);
});

test('serve --log json prints one JSON object per request', async () => {
  const served = await startServeProcess('--log', 'json', '--trust-proxy', '127.0.0.0/8');
  const authorization = `Bearer ${served.apiKey}`;
  const url = `${served.baseUrl}/pets?limit=1`;
  const known = await fetch(url, { headers: { authorization, 'x-request-id': 'ci-1' } });
  expect(known.headers.get('x-request-id')).toBe('ci-1');
  await fetch(url, { headers: { 'x-forwarded-for': '192.0.2.1', 'x-request-id': served.apiKey } });
  await fetch(`${served.baseUrl}/${served.apiKey}`, { headers: { authorization } });
  const socket = connect(Number(new URL(served.baseUrl).port), '127.0.0.1');
  socket.end('garbage\r\n\r\n');
  expect(await text(socket)).toContain('400 Bad Request');
  const { exitCode, log } = await served.stop();
  expect(exitCode).toBe(0);
  expect(log).not.toContain(served.apiKey);
  const common = { time: expect.stringMatching(/^[0-9T:.-]{23}Z$/), level: 'info', durationMs: expect.any(Number) };
  const pets = { ...common, method: 'GET', path: '/v1/pets' };
  const key = served.apiKey.slice(0, 9);
  expect(log.split('\n').map((line) => JSON.parse(line))).toEqual([
    { ...pets, status: 200, requestId: 'ci-1', key, address: '127.0.0.1' },
    { ...pets, status: 401, requestId: '[redacted]', key: null, address: '192.0.2.1' },
    { ...pets, path: '[redacted]', status: 404, requestId: expect.any(String), key, address: '127.0.0.1' },
    { ...pets, method: null, path: null, status: 400, requestId: expect.any(String), key: null, address: '127.0.0.1' },
  ]);
});

test('serve --metrics-port serves GET /metrics without an API key, on that port only', async () => {
  const user = newUser();
  const served = await startServeProcess('--metrics-port', '0');
  await user.run(['pets', 'list', '--limit', '1'], { env: served.env });
  const page = await (await fetch(served.metricsUrl)).text();
  expect(page).toContain('petstore_requests_total{method="GET",operation="listPets",status="200"} 1\n');
  expect(page).toContain('process_resident_memory_bytes');
  expect(page).not.toContain(served.apiKey);
  expect((await fetch(new URL('/metrics', served.baseUrl))).status).toBe(401);
  expect((await served.stop()).exitCode).toBe(0);
});

test('only serve --metrics-port needs prom-client', async () => {
  const copy = join(copyWithSqliteOnly(), 'bin', 'petstore.js');
  const { stderr, exitCode } = await execa(
    node,
    [copy, 'serve', '--metrics-port', '0', '--port', '0', '--database', ':memory:'],
    { env: bareEnv(temporaryDirectory()), extendEnv: false, reject: false },
  );
  expect(stderr).toBe(
    'error: the optional package prom-client is not installed\n' +
      '  hint: reinstall petstore with --include=optional, or remove --metrics-port',
  );
  expect(exitCode).toBe(1);
  const served = await startServeCommand([node, copy]);
  expect((await served.stop()).exitCode).toBe(0);
});

/** Returns a copy of petstore whose only optional package is SQLite. */
function copyWithSqliteOnly(): string {
  const folder = copyAlone();
  const packages = 'node_modules/@photostructure';
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(binary, '../..', packages), join(folder, packages));
  return folder;
}
