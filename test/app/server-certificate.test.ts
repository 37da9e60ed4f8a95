import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openServerCertificate } from '../../src/app/server-certificate.js';
import { another, expired, good, key } from '../support/certificates.js';
import { temporaryDirectory } from '../support/petstore.js';

/** Writes the files, unless they are undefined, and returns a function that opens them. */
function prepare(cert: string | undefined, privateKey: string | undefined) {
  const folder = temporaryDirectory();
  const options = { tlsCert: join(folder, 'cert.pem'), tlsKey: join(folder, 'key.pem') };
  const write = (path: string, text: string | undefined) =>
    text !== undefined && writeFileSync(path, text, { mode: 0o600 });
  write(options.tlsCert, cert);
  write(options.tlsKey, privateKey);
  const warnings: string[] = [];
  const deps = { warn: (text: string) => warnings.push(text), now: () => Date.UTC(2026, 10, 21), platform: 'linux' };
  return { options, warnings, write, open: () => openServerCertificate(options, deps) };
}

const otherKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const pem = { type: 'pkcs8', format: 'pem' } as const;

test.each([
  ['a certificate', good],
  ['a chain', good + another],
])('accepts %s and its key', (_, cert) => {
  const { open, warnings } = prepare(cert, key);
  expect(open().secureContext()).toBeDefined();
  expect(warnings).toEqual([]);
});

test.each([
  ['a missing certificate', undefined, key, /^cannot read .*cert\.pem in --tls-cert \(ENOENT\)$/],
  ['a missing key', good, undefined, /^cannot read .*key\.pem in --tls-key \(ENOENT\)$/],
  ['an empty certificate', '', key, 'the file in --tls-cert does not contain a certificate in PEM format'],
  ['a damaged certificate', good.replace('MIIB', 'MIIA'), key, 'the file in --tls-cert does not contain a certificate'],
  ['swapped files', key, good, 'the file in --tls-cert does not contain a certificate'],
  ['no key', good, 'secret', 'the file in --tls-key does not contain a private key in PEM format'],
  ['the key of another certificate', good, String(otherKey.export(pem)), 'the key in --tls-key does not belong'],
  [
    'an encrypted key',
    good,
    String(otherKey.export({ ...pem, cipher: 'aes-256-cbc', passphrase: 'secret' })),
    'the key in --tls-key is encrypted',
  ],
])('rejects %s', (_, cert, privateKey, message) => {
  const { open } = prepare(cert, privateKey);
  expect(open).toThrow(message);
  expect(open).toThrow(
    expect.objectContaining({ kind: 'usage', details: expect.objectContaining({ code: 'invalid_certificate' }) }),
  );
  expect(open).not.toThrow('secret');
});

test('rejects a certificate whose key is too short', () => {
  const { open } = prepare(weak, weakKey);
  expect(open).toThrow('the certificate in --tls-cert cannot be used (ERR_SSL_');
});

test('warns of an expired certificate and of a key that others can read', () => {
  const { options, open, warnings } = prepare(expired, key);
  chmodSync(options.tlsKey, 0o644);
  open();
  expect(warnings).toEqual([
    'the certificate in --tls-cert expired on 2021-01-01',
    `every user of this machine can read the key in --tls-key: run chmod o= ${options.tlsKey}`,
  ]);
});

test('keeps the certificate if the new one cannot be used', () => {
  const { options, open, write } = prepare(good, key);
  const { secureContext, reload } = open();
  const first = secureContext();
  write(options.tlsCert, 'damaged');
  expect(reload).toThrow('--tls-cert');
  expect(secureContext()).toBe(first);
  write(options.tlsCert, another);
  reload();
  expect(secureContext()).not.toBe(first);
});

/** Has an RSA key of 512 bits. */
const weak = `-----BEGIN CERTIFICATE-----
MIIBdzCCASGgAwIBAgIUO01pvS27UBTaBgyBSq7mcXtPHmgwDQYJKoZIhvcNAQEL
BQAwDzENMAsGA1UEAwwEd2VhazAgFw0yNjExMjMyMzI2MjZaGA8yMTI2MTAzMDIz
MjYyNlowDzENMAsGA1UEAwwEd2VhazBcMA0GCSqGSIb3DQEBAQUAA0sAMEgCQQDP
CosvcDMpIBh+9qqxcQ58FtNykTqOpKuTudAqTJoZV7T+MaYTTiW7jubtQsBeUD98
nDUomG4bI3g9bCoNENetAgMBAAGjUzBRMB0GA1UdDgQWBBT9R5xm64nzRlxThNoO
hb89VOo9zDAfBgNVHSMEGDAWgBT9R5xm64nzRlxThNoOhb89VOo9zDAPBgNVHRMB
Af8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA0EAW6R6QP8So5srI/9XXK7Rv8sCPH/5
HyaHZdcoSCEs6Y9cXicWqDdeVuPnyUE0++iz740OLf2fZrudeOTXUNsq6Q==
-----END CERTIFICATE-----
`;

const weakKey = `-----BEGIN PRIVATE KEY-----
MIIBUwIBADANBgkqhkiG9w0BAQEFAASCAT0wggE5AgEAAkEAzwqLL3AzKSAYfvaq
sXEOfBbTcpE6jqSrk7nQKkyaGVe0/jGmE04lu47m7ULAXlA/fJw1KJhuGyN4PWwq
DRDXrQIDAQABAkBtevbUs/Dpu0YYxRjH0a/GIE/ZkkAzs5HjAOu5ol4OLaXm4IKW
Jc+vVMWVsZQRAaub1vOYY3tXmKdv+B7aDrSBAiEA9FsqbTWqYBPR1EwTvi9htimT
MHmWA03u+chzWd2eG6ECIQDY6C7m968IAU+pvJp0qCu76E9EM+rn8iXhzSt3yFeg
jQIgEL6qkp9J1JmnGGA6Ph8rF/uTXZAHaqSNispktTTNn+ECIFhoinVpjtXccvPk
A7B4uxqj3WsXHi/b6sTWM1lnNxAhAiAy1UsIAFqPTX6OGDCRgylNDtNRB7604cpw
YGErEB/Ivw==
-----END PRIVATE KEY-----
`;
