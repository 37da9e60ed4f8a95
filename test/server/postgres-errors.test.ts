import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openPostgres } from '../../src/server/postgres.js';
import { mapPostgresError } from '../../src/server/postgres-errors.js';
import { DatabaseError } from '../../src/server/sql.js';
import { another, expired, good, key } from '../support/certificates.js';
import { fakeClock } from '../support/clock.js';
import { makeFolder } from '../support/temp-folder.js';

describe('an error of PostgreSQL', () => {
  const url = 'postgres://anna@db.test/store';

  test.each([
    ['57P01', 'terminating connection due to administrator command', 'away', 'cannot be reached'],
    ['57P03', 'the database system is starting up', 'away', 'cannot be reached'],
    ['53300', 'sorry, too many clients already', 'away', 'cannot be reached'],
    ['25006', 'cannot execute INSERT in a read-only transaction', 'away', 'accepts no writes'],
    ['08006', 'connection failure', 'away', 'cannot be reached'],
    ['57014', 'canceling statement due to statement timeout', 'busy', 'is busy'],
    ['40P01', 'deadlock detected', 'busy', 'is busy'],
    ['28P01', 'password authentication failed for user "anna"', 'refused', 'cannot be used'],
    ['3D000', 'database "store" does not exist', 'refused', 'cannot be used'],
    ['42501', 'permission denied for table pets', 'refused', 'cannot be used'],
    ['53100', 'could not extend file: No space left on device', 'unusable', 'cannot be used'],
    ['42P01', 'relation "pets" does not exist', 'unusable', 'cannot be used'],
  ])('with code %s (%s) has the reason "%s"', (code, message, reason, description) => {
    const error = Object.assign(new Error(message), { code, severity: 'ERROR' });
    expect(mapPostgresError(error, url)).toMatchObject({
      reason,
      message: `the database ${url} ${description}: ${message}`,
      cause: error,
    });
  });

  test.each([
    [new Error('Connection terminated unexpectedly'), 'Connection terminated unexpectedly'],
    [Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
    [new Error(''), 'no response'],
  ])('without severity (%s) has the reason "away"', (error, detail) => {
    expect(mapPostgresError(error, url)).toMatchObject({
      reason: 'away',
      message: `the database ${url} cannot be reached: ${detail}`,
    });
  });

  test.each([
    ['SELF_SIGNED_CERT_IN_CHAIN', 'untrusted'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'untrusted'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'untrusted'],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'untrusted'],
    ['ERR_OSSL_PEM_NO_START_LINE', 'untrusted'],
    ['ECONNRESET', 'away'],
    ['ENOTFOUND', 'away'],
  ])('of the connection with code %s has the reason "%s"', (code, reason) => {
    const error = Object.assign(new Error('a message'), { code, syscall: 'read' });
    expect(mapPostgresError(error, url)).toMatchObject({ reason });
  });

  test.each(['a string', 'a non-empty string'])(
    'about a password that must be %s names the missing password',
    (rule) => {
      const error = new Error(`SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be ${rule}`);
      expect(mapPostgresError(error, url)).toMatchObject({
        reason: 'refused',
        message: `the database ${url} cannot be used: the server requires a password`,
      });
    },
  );

  test('stays unchanged if it is a DatabaseError already', () => {
    const newer = new DatabaseError('newer', 'it has the format of a newer version of petstore');
    expect(mapPostgresError(newer, url)).toBe(newer);
  });
});

describe('a certificate of PostgreSQL', () => {
  test.each([
    ['an unknown CA', good, undefined, 'self-signed certificate'],
    ['another host', another, another, "IP: 127.0.0.1 is not in the cert's list"],
    ['an expired certificate', expired, expired, 'certificate has expired'],
    ['a CA file that is no certificate', good, 'nothing', 'self-signed certificate'],
  ])('causes an error that names it (%s)', async (_, cert, ca, detail) => {
    const port = await serveTls(cert);
    const file = join(await makeFolder(), 'ca.pem');
    if (ca !== undefined) writeFileSync(file, ca);
    const options = ca === undefined ? '' : `&sslrootcert=${file}`;
    const url = `postgres://anna@127.0.0.1:${port}/store`;
    await expect(openPostgres(`${url}?sslmode=verify-full${options}`, { clock: fakeClock() })).rejects.toMatchObject({
      reason: 'untrusted',
      message: expect.stringContaining(`the database ${url} has a certificate that cannot be verified: `),
      cause: { message: expect.stringContaining(detail) },
    });
  });

  test('that cannot be read causes an error that names the file', async () => {
    const url = 'postgres://anna@127.0.0.1:1/store';
    await expect(
      openPostgres(`${url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`, { clock: fakeClock() }),
    ).rejects.toMatchObject({
      reason: 'untrusted',
      message: `cannot read the file of sslrootcert, sslcert or sslkey in ${url}: ENOENT: no such file or directory, open '/nowhere/ca.pem'`,
    });
  });
});

/** Starts a server that accepts TLS as PostgreSQL does, and returns its port. */
async function serveTls(cert: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('S');
      new TLSSocket(socket, { isServer: true, cert, key }).on('error', () => {});
    });
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
