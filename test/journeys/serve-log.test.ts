import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { startServeProcess } from '../support/serve-process.js';

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

test.each([['--log=none'], ['--quiet', '--log=json']])('serve %s logs no requests', async (...flags) => {
  const served = await startServeProcess(...flags);
  expect((await fetch(`${served.baseUrl}/pets`)).status).toBe(401);
  expect(await served.stop()).toEqual({ exitCode: 0, log: '' });
});
