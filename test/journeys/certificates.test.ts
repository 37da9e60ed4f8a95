import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { another, expired, good, key } from '../support/certificates.js';
import { newUser } from '../support/petstore.js';

test.each([
  ['is trusted', good, 0, ''],
  ['has expired', expired, 8, 'has a certificate that is not trusted (CERT_HAS_EXPIRED)'],
  [
    'is for another host',
    another,
    8,
    'has a certificate that is not trusted (ERR_TLS_CERT_ALTNAME_INVALID)',
  ],
])(
  'of an authority that the user named, a certificate that %s',
  async (_, cert, exitCode, says) => {
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
    expect(run.exitCode).toBe(exitCode);
    expect(run.stderr.split('\n')[0]).toBe(says ? `error: ${host} ${says}` : 'No pets found.');
    expect(requests).toBe(says ? 0 : 1);
  },
);
