import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { another, expired, good, key } from '../support/certificates.js';
import { newUser } from '../support/petstore.js';

test.each([
  ['accepts a valid certificate', good, undefined],
  ['rejects an expired certificate', expired, 'CERT_HAS_EXPIRED'],
  ['rejects a certificate for another host', another, 'ERR_TLS_CERT_ALTNAME_INVALID'],
])('%s of the authority in NODE_EXTRA_CA_CERTS', async (_, cert, code) => {
  let requests = 0;
  const server = createServer({ key, cert }, (_, response) => {
    requests += 1;
    response.end('[]');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const user = newUser();
  const authority = join(user.home, 'authority.pem');
  writeFileSync(authority, cert);
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const run = await user.run(['pets', 'list'], {
    env: {
      NODE_EXTRA_CA_CERTS: authority,
      PETSTORE_BASE_URL: `https://${host}/v1`,
      PETSTORE_API_KEY: 'pets_key_0123456789',
    },
  });
  const error = `error: the TLS certificate of ${host} is not trusted (${code})`;
  expect(run.stderr.split('\n')[0]).toBe(code ? error : 'No pets found.');
  expect(run.exitCode).toBe(code ? 8 : 0);
  expect(requests).toBe(code ? 0 : 1);
});
