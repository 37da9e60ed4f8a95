import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { describe, expect, test } from 'vitest';
import { authority, good, key, signed, signedForAnotherHost } from '../support/certificates.js';
import { newUser, temporaryDirectory } from '../support/petstore.js';
import { type Cluster, programs, setUnprivilegedOwner, startCluster } from '../support/postgres.js';
import { startServeProcess } from '../support/serve-process.js';

const password = 'swordfish99';

describe.skipIf(programs === undefined)('serve on a PostgreSQL with TLS', () => {
  test('accepts its certificate with sslrootcert, and encrypts every connection', async () => {
    const { url, file } = await startTlsCluster(signed);
    const tls = `${url}?sslmode=verify-full&sslrootcert=${file('ca.pem', authority)}`;
    const served = await startServeProcess('--database', tls);
    const response = await fetch(`${served.baseUrl}/pets?limit=1`, {
      headers: { authorization: `Bearer ${served.apiKey}` },
    });
    expect(response.status).toBe(200);
    const client = new Client(tls);
    await client.connect();
    const { rows } = await client.query(
      "SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'petstore'",
    );
    await client.end();
    expect(rows).toEqual([{ ssl: true }]);
    const { log } = await served.stop();
    expect(`${JSON.stringify(served)}${log}`).not.toContain(password);
    // `require` is as strict; libpq would accept any certificate.
    const { stderr } = await tryServe(`${url}?sslmode=require`);
    expect(stderr).toContain('unable to verify the first certificate');
    const unencrypted = await tryServe(url);
    expect(unencrypted.stderr).toContain('no encryption');
    expect(unencrypted.stderr).toContain('sslmode=verify-full');
  });

  test.each([
    ['another CA signed the certificate', { certificate: signed, ca: good }, 'cannot be reached: unable to verify'],
    [
      'the certificate names another host',
      { certificate: signedForAnotherHost, ca: authority },
      "not in the cert's list",
    ],
    ['the server has no TLS', { ca: authority }, 'cannot be reached: The server does not support SSL connections'],
  ])('fails if %s', async (_, { certificate, ca }: { certificate?: string; ca: string }, problem) => {
    const { url, file } = await startTlsCluster(certificate);
    const { exitCode, stderr } = await tryServe(`${url}?sslmode=verify-full&sslrootcert=${file('ca.pem', ca)}`);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(problem);
    expect(stderr).toMatch(/hint: check .* sslmode and sslrootcert/);
  });
});

/** Starts a cluster with a TCP port that requires a password, and TLS if there is a certificate. */
async function startTlsCluster(certificate: string | undefined) {
  const cluster = await startCluster();
  const folder = temporaryDirectory();
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  await cluster.query(`ALTER USER petstore PASSWORD '${password}'`);
  await cluster.setAccess([`${certificate === undefined ? 'host' : 'hostssl'} all all 127.0.0.1/32 scram-sha-256`]);
  if (certificate !== undefined) {
    const files = { ssl_cert_file: certificate, ssl_key_file: key };
    for (const [name, text] of Object.entries(files)) {
      const path = join(cluster.folder, name);
      writeFileSync(path, text, { mode: 0o600 });
      setUnprivilegedOwner(path);
      await cluster.configure([`${name} = '${path}'`]);
    }
    await cluster.configure(['ssl = on']);
  }
  const port = await listenOnTcp(cluster);
  return { file, url: `postgres://petstore:${password}@127.0.0.1:${port}/postgres` };
}

/** Makes the cluster listen on a free port, and returns it. */
async function listenOnTcp(cluster: Cluster): Promise<number> {
  await cluster.stop('fast');
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort();
    cluster.writeSettings(["listen_addresses = '127.0.0.1'", `port = ${port}`]);
    try {
      await cluster.start();
      return port;
    } catch (error) {
      // Another process may have taken the port.
      if (attempt === 5) throw error;
    }
  }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Runs a server that is expected to fail, and checks that it does not show the password. */
async function tryServe(database: string) {
  const run = await newUser().run(['serve', '--port', '0', '--database', database, '--verbose']);
  expect(run.stdout).toBe('');
  expect(run.stderr).not.toContain(password);
  return run;
}
