import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, test, vi } from 'vitest';
import { another, good, key } from '../support/certificates.js';
import { newUser, temporaryDirectory } from '../support/petstore.js';
import { startServeProcess } from '../support/serve-process.js';

const timeout = 30_000;

function writeCertificate(cert = good) {
  const folder = temporaryDirectory();
  const [tlsCert, tlsKey] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(tlsCert, cert);
  writeFileSync(tlsKey, key, { mode: 0o600 });
  return { tlsCert, flags: ['--tls-cert', tlsCert, '--tls-key', tlsKey] };
}

test('serve --tls-cert serves HTTPS to a client that trusts the certificate', async () => {
  const { tlsCert, flags } = writeCertificate();
  const server = await startServeProcess(...flags);
  expect(server.baseUrl).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/v1$/);
  const list = ['pets', 'list', '--limit', '1', '--no-header'];
  const trusted = await newUser().run(list, { env: { ...server.env, NODE_EXTRA_CA_CERTS: tlsCert } });
  expect(trusted).toMatchObject({ stdout: '1  Ada  1  available\n', exitCode: 0 });
  expect(await newUser().run(list, { env: server.env })).toMatchObject({ stdout: '', exitCode: 8 });
  const { exitCode, log } = await server.stop();
  expect(exitCode).toBe(0);
  expect(log).toContain(' GET /v1/pets 200 ');
});

test('SIGHUP reloads the certificate, and keeps the old one if the new one is broken', async () => {
  const { tlsCert, flags } = writeCertificate();
  const server = await startServeProcess(...flags);
  const subject = async () => {
    const { hostname, port } = new URL(server.baseUrl);
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const name = socket.getPeerCertificate().subjectaltname;
    socket.destroy();
    return name;
  };
  const reload = async (cert: string, line: string) => {
    writeFileSync(tlsCert, cert);
    process.kill(server.pid, 'SIGHUP');
    await vi.waitFor(() => expect(server.log()).toContain(line), { timeout });
  };
  await reload('damaged', 'error: kept the old certificate: the file in --tls-cert does not contain a certificate');
  expect(await subject()).toBe('IP Address:127.0.0.1');
  await reload(another, 'info: reloaded the certificate');
  expect(await subject()).toBe('DNS:store.example');
  expect((await server.stop()).exitCode).toBe(0);
});

test('SIGHUP without TLS shuts down', async () => {
  const server = await startServeProcess();
  expect((await server.stop('SIGHUP')).exitCode).toBe(0);
});

test.each([
  [['--tls-cert', 'cert.pem'], '--tls-cert needs --tls-key'],
  [['--tls-key', 'key.pem'], '--tls-key needs --tls-cert'],
  [['--tls-cert', 'none.pem', '--tls-key', 'none.pem'], 'cannot read none.pem in --tls-cert (ENOENT)'],
])('serve %j is a usage error', async (flags, message) => {
  const run = await newUser().run(['serve', '--port', '0', '--database', ':memory:', ...flags]);
  expect(run).toMatchObject({ stdout: '', exitCode: 2 });
  expect(run.stderr).toContain(`error: ${message}`);
});

test('serve warns of unencrypted requests only without TLS', async () => {
  const { flags } = writeCertificate();
  const warning = 'accepts unencrypted requests';
  const host = ['--host', '0.0.0.0'];
  expect((await (await startServeProcess(...host, ...flags)).stop()).log).not.toContain(warning);
  expect((await (await startServeProcess(...host)).stop()).log).toContain(warning);
});

test('a second signal ends a server that drains', async () => {
  const server = await startServeProcess('--drain', '3600');
  process.kill(server.pid, 'SIGTERM');
  await vi.waitFor(() => expect(server.log()).toContain('draining for 3600 s'), { timeout });
  expect((await server.stop('SIGINT')).exitCode).toBe(130);
});
