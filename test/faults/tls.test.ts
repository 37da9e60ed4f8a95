import { once } from 'node:events';
import { type AddressInfo, createServer as createPlain } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { good, key } from '../support/certificates.js';
import { add, list, reply, rex, runAgainst } from '../support/faults.js';
import { createFastTestCli } from '../support/test-cli.js';

/** Commands, and what their error says about the request. */
const commands = [
  [list, ''],
  [add, '; nothing was sent'],
] as const;
const error = (rest: object) => `${JSON.stringify({ error: rest })}\n`;

test.each(commands)('rejects an untrusted certificate for %s', async (words, outcome) => {
  let asked = 0;
  let connections = 0;
  const server = createServer({ key, cert: good }, (socket) => {
    socket.on('data', () => {
      asked += 1;
      socket.end(reply(200, `[${rex}]`));
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  expect(await runAgainst(await listen(server), words, createFastTestCli())).toEqual({
    stdout: '',
    stderr: error({
      code: 'tls_failed',
      message: `the TLS certificate of 127.0.0.1:PORT is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)${outcome}`,
      hint: 'set NODE_EXTRA_CA_CERTS to a file with the CA certificate of your organization',
      exitCode: 8,
    }),
    exitCode: 8,
  });
  expect({ asked, connections }).toEqual({ asked: 0, connections: 1 });
});

test.each(commands)('reports a port without TLS for %s', async (words, outcome) => {
  const server = createPlain((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  });
  expect(await runAgainst(await listen(server), words, createFastTestCli())).toEqual({
    stdout: '',
    stderr: error({
      code: 'tls_failed',
      message: `the TLS handshake with 127.0.0.1:PORT failed (ERR_SSL_WRONG_VERSION_NUMBER)${outcome}`,
      hint: 'check the scheme and the port of the base URL',
      exitCode: 8,
    }),
    exitCode: 8,
  });
});

test('reports a rejected handshake as a TLS failure', async () => {
  const server = createServer({});
  server.on('tlsClientError', () => {});
  const { stderr, exitCode } = await runAgainst(await listen(server), list, createFastTestCli());
  expect(JSON.parse(stderr).error.code).toBe('tls_failed');
  expect(stderr).toContain('the TLS handshake with 127.0.0.1:PORT failed (ERR_SSL_');
  expect(exitCode).toBe(8);
});

test('retries a reset handshake, for a create too', async () => {
  let connections = 0;
  const server = createPlain((socket) => {
    connections += 1;
    socket.on('error', () => {});
    socket.once('data', () => socket.resetAndDestroy());
  });
  const origin = await listen(server);
  for (const [words, outcome] of commands) {
    connections = 0;
    expect(await runAgainst(origin, words, createFastTestCli())).toEqual({
      stdout: '',
      stderr: error({
        code: 'connection_lost',
        message: `127.0.0.1:PORT closed the connection before the response was complete${outcome}`,
        hint: 'retry the command',
        exitCode: 8,
        next: [`petstore ${words}`],
      }),
      exitCode: 8,
    });
    expect(connections).toBe(3);
  }
});

test('reports a lost connection if a TLS service receives plain HTTP', async () => {
  const server = createServer({ key, cert: good });
  server.on('tlsClientError', () => {});
  const origin = (await listen(server)).replace('https:', 'http:');
  const listed = await runAgainst(origin, list, createFastTestCli());
  expect(listed).toEqual({
    stdout: '',
    stderr: error({
      code: 'connection_lost',
      message: '127.0.0.1:PORT closed the connection before the response was complete',
      hint: 'retry the command',
      exitCode: 8,
      next: ['petstore pets list --json'],
    }),
    exitCode: 8,
  });
});

async function listen(server: Server | ReturnType<typeof createPlain>): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
