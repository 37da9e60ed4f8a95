import { writeFileSync } from 'node:fs';
import { Agent, type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/server/open-database.js';
import { exampleHosts } from '../support/certificates.js';
import { fakeClock } from '../support/clock.js';
import { findPort, nginx, startNginx } from '../support/nginx.js';
import { temporaryDirectory } from '../support/petstore.js';
import { newPostgres, programs } from '../support/postgres.js';
import { type ServeProcess, startServeProcess } from '../support/serve-process.js';
import { sql } from '../support/test-database.js';

const apiKey = 'pets_nginx_0123456789';
const lanes = 8;

describe.skipIf(nginx === undefined)('behind docs/deploy/nginx.conf (needs nginx)', () => {
  test.skipIf(programs === undefined)('no request fails while two servers restart (needs PostgreSQL)', async () => {
    const database = await newPostgres();
    const { send, servers, restart } = await startBehindNginx(database);
    const add = { method: 'POST', body: '{"name":"Restart","categoryId":1}' };
    let isDone = false;
    let count = 0;
    const failures: unknown[] = [];
    const added: string[] = [];
    const lane = async (number: number) => {
      for (let index = number; !isDone; index += 1) {
        const isAdd = index % 2 === 0;
        const headers = { 'idempotency-key': crypto.randomUUID() };
        const { status, body } = await send(isAdd ? { ...add, headers } : {}).catch((error) => ({
          status: 0,
          body: String(error),
        }));
        count += 1;
        if (status === 201) added.push(String(JSON.parse(body).id));
        if (status !== (isAdd ? 201 : 200)) failures.push({ isAdd, status, body });
      }
    };
    const load = Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
    for (const index of [0, 1] as const) {
      const before = count;
      await expect.poll(() => count, { timeout: 60_000 }).toBeGreaterThan(before + 100);
      const { exitCode, log } = await (servers[index] as ServeProcess).stop();
      expect({ exitCode, log }).toEqual({ exitCode: 0, log: expect.stringContaining('draining for 3 s') });
      await restart(index);
    }
    isDone = true;
    await load;
    expect(failures).toEqual([]);
    const { read, close } = await openDatabase({
      path: database,
      clock: fakeClock(),
      nodeVersion: process.versions.node,
    });
    const rows = await read(sql`SELECT id FROM pets WHERE name = 'Restart'`);
    await close();
    expect(rows.map(({ id }) => String(id)).sort()).toEqual(added.sort());
  });

  test('requests reach the server with their address and id, within its limits', async () => {
    const { send, servers } = await startBehindNginx(join(temporaryDirectory(), 'store.db'));
    const listed = await send({ headers: { 'x-request-id': 'from-the-client' } });
    expect(listed).toMatchObject({ status: 200, headers: { 'x-request-id': 'from-the-client' } });
    const { headers } = await send({ headers: { 'x-request-id': 'not valid' } });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{32}$/);
    expect(await send({ headers: { host: 'other.example.com' } })).toMatchObject({ status: 403 });
    const page = { method: 'POST', body: '{"name":"Rex","categoryId":1}' };
    for (const [origin, status] of [
      ['https://pets.example.com', 201],
      ['http://pets.example.com', 403],
    ] as const) {
      expect(await send({ ...page, headers: { origin } })).toMatchObject({ status });
    }
    expect(await send({ headers: { authorization: 'Bearer wrong' } })).toMatchObject({ status: 401 });
    const errors = [
      { method: 'POST', body: 'x'.repeat(65_537), code: 'payload_too_large', status: 413 },
      { headers: { padding: 'x'.repeat(16_384) }, code: 'invalid_request', status: 431 },
    ];
    for (const { code, status, ...options } of errors) {
      const { body, ...response } = await send(options);
      expect(response).toMatchObject({ status, headers: { 'content-type': 'application/json' } });
      expect(JSON.parse(body)).toEqual({ code, message: expect.any(String), status });
    }
    const logs = await Promise.all(servers.map(({ stop }) => stop()));
    expect(logs.map(({ log }) => log).join('\n')).toMatch(/GET \/v1\/pets 401 .*127\.0\.0\.2/);
    expect(await send({})).toMatchObject({ status: 502, body: expect.stringContaining('"code":"unavailable"') });
  });
});

/** Starts two servers on one database, with nginx in front of them. */
async function startBehindNginx(database: string) {
  const keyFile = join(temporaryDirectory(), 'key');
  writeFileSync(keyFile, apiKey, { mode: 0o600 });
  const ports = [await findPort(), await findPort()] as const;
  const start = (index: 0 | 1) =>
    startServeProcess(
      ...['--port', String(ports[index]), '--database', database, '--api-key-file', keyFile, '--drain', '3'],
      ...['--per-minute', '10000000', '--per-day', '10000000'],
      ...['--allow-host', 'pets.example.com', '--trust-proxy', '127.0.0.1'],
    );
  const servers = [await start(0), await start(1)];
  const { port } = await startNginx(ports);
  const agent = new Agent({ keepAlive: true, maxSockets: lanes, ca: exampleHosts, servername: 'pets.example.com' });
  onTestFinished(() => agent.destroy());
  return {
    servers,
    restart: async (index: 0 | 1) => {
      servers[index] = await start(index);
    },
    /** Lists pets unless the options say otherwise. */
    send: (options: RequestOptions & { readonly body?: string }) => send(agent, port, options),
  };
}

async function send(agent: Agent, port: number, { body, headers, ...options }: RequestOptions & { body?: string }) {
  const sent = request({
    agent,
    host: '127.0.0.1',
    port,
    // Differs from that of nginx.
    localAddress: '127.0.0.2',
    path: '/v1/pets',
    ...options,
    headers: {
      host: 'pets.example.com',
      authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': body.length }),
      ...(headers as Record<string, string>),
    },
  });
  const response = new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      sent.on('error', reject);
      sent.on('response', (incoming) => {
        const { statusCode: status = 0, headers } = incoming;
        text(incoming).then((read) => resolve({ status, headers, body: read }), reject);
      });
    },
  );
  sent.end(body);
  return response;
}
