import { expect, test } from 'vitest';
import { add, type FaultReply, lines, list, reply, rex, rexListed, rexShown } from '../support/faults.js';
import { newClosedOrigin, startRawServer } from '../support/http-server.js';
import { createFastTestCli } from '../support/test-cli.js';

const warning = '! the API key is sent unencrypted to store.example';

/** Runs a command line through a proxy that replies so. */
async function behind(replies: readonly FaultReply[], words: string, user = '') {
  let count = 0;
  const wire = await startRawServer((socket, request) => {
    const next = replies[Math.min(count, replies.length - 1)] as FaultReply;
    count += 1;
    if (typeof next === 'function') next(socket, request);
    else socket.end(next);
  });
  return { wire, ...(await through(wire.origin.replace('//', `//${user}`), words)) };
}

async function through(proxy: string, words: string, more = {}) {
  const env = {
    PETSTORE_BASE_URL: 'http://store.example/v1',
    PETSTORE_API_KEY: 'pets_key_0123456789',
    PETSTORE_ALLOW_HTTP: '1',
    HTTP_PROXY: proxy,
    ...more,
  };
  const { stdout, stderr, exitCode } = await createFastTestCli().run(words.split(' '), { env });
  return { run: { stdout, stderr, exitCode } };
}

const tunnel: FaultReply = (socket) => void socket.write('HTTP/1.1 200 Connected\r\n\r\n');

test.each([
  [list, reply(200, `[${rex}]`), rexListed, ''],
  [add, reply(201, rex), rexShown, '✓ Added Rex (id 1) to store.example\n'],
])('%s uses a tunnel and hides the API key from the proxy', async (words, answer, shown, success) => {
  const { wire, run } = await behind([tunnel, answer], words);
  expect(run).toEqual({ stdout: lines(shown), stderr: `${warning}\n${success}`, exitCode: 0 });
  expect(wire.requests).toHaveLength(2);
  expect(wire.requests[0]).toContain('CONNECT store.example:80 HTTP/1.1\r\n');
  expect(wire.requests[0]).not.toContain('pets_key');
});

test('user and password are sent to the proxy only', async () => {
  const { wire, run } = await behind([tunnel, reply(200, '[]')], `${list} -v`, 'ada:s3cretword@');
  expect(run.exitCode).toBe(0);
  expect(run.stderr).not.toContain('s3cretword');
  const basic = Buffer.from('ada:s3cretword').toString('base64');
  expect(wire.requests[0]).toContain(`proxy-authorization: Basic ${basic}\r\n`);
  expect(wire.requests[1]).not.toContain('proxy-authorization');
});

test.each<[string, FaultReply, string]>([
  ['asks for a password', reply(407), 'connection_failed'],
  ['responds with 403', reply(403), 'connection_failed'],
  ['responds with 502', reply(502), 'connection_failed'],
  ['resets the connection', (socket) => void socket.resetAndDestroy(), 'connection_failed'],
  ['responds with a page', 'HTTP/1.1 200 OK\r\n\r\n<html>Sign in</html>', 'connection_failed'],
  ['speaks another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'connection_failed'],
])('nothing reaches the service if the proxy %s', async (_, answer, code) => {
  for (const words of [list, add, `${list} -v`]) {
    const { wire, run } = await behind([answer], words, 'jane:hunter2@');
    const printed = run.stderr.trimEnd().split('\n');
    expect(printed[0]).toBe(warning);
    expect(JSON.parse(printed.at(-1) as string).error).toMatchObject({ code, exitCode: 8 });
    expect(run).toMatchObject({ stdout: '', exitCode: 8 });
    expect(run.stderr).not.toMatch(/hunter|jane|pets_key/);
    expect(wire.requests.map((request) => request.split(' ')[0])).toEqual(['CONNECT']);
    expect(wire.connections()).toBe(1);
  }
});

test('a missing proxy is distinguished from a missing service', async () => {
  const { run } = await through(await newClosedOrigin(), 'pets list');
  expect(run).toEqual({
    stdout: '',
    stderr: lines([
      warning,
      'error: cannot connect to store.example through the proxy',
      '  hint: check HTTPS_PROXY and HTTP_PROXY, or add the host to NO_PROXY',
    ]),
    exitCode: 8,
  });
});

test('loopback addresses bypass the proxy', async () => {
  const wire = await startRawServer((socket) => socket.end(reply(200, '[]')));
  const { run } = await through(await newClosedOrigin(), list, {
    PETSTORE_BASE_URL: `${wire.origin}/v1`,
  });
  expect(run).toEqual({ stdout: '[]\n', stderr: '', exitCode: 0 });
});
