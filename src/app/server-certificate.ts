import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import { type Failure, type Hint, usageError } from '../failure.js';
import { warnOfReadableSecret } from './readable-secret.js';

export interface CertificateOptions {
  readonly tlsCert: string;
  readonly tlsKey: string;
}

/** The certificate of a server, as its files were when they were read last. */
export interface ServerCertificate {
  readonly secureContext: () => SecureContext;
  /** Reads the files again. Throws a usage failure if they cannot be used, and keeps the certificate. */
  readonly reload: () => void;
}

interface CertificateDeps {
  readonly warn: (message: string) => void;
  readonly now: () => number;
  readonly platform: string;
}

/** Reads a certificate and its key. Throws a usage failure that names the option. */
export function openServerCertificate(
  options: CertificateOptions,
  { warn, now, platform }: CertificateDeps,
): ServerCertificate {
  const read = () => {
    const { context, expiresAt } = readCertificate(options);
    if (now() > expiresAt) {
      warn(`the certificate in --tls-cert expired on ${new Date(expiresAt).toISOString().slice(0, 10)}`);
    }
    return context;
  };
  let context = read();
  warnOfReadableSecret(options.tlsKey, 'the key in --tls-key', { platform, warn });
  return {
    secureContext: () => context,
    reload: () => {
      context = read();
    },
  };
}

function readCertificate({ tlsCert, tlsKey }: CertificateOptions): {
  readonly context: SecureContext;
  readonly expiresAt: number;
} {
  const [cert, key] = [readFile(tlsCert, '--tls-cert'), readFile(tlsKey, '--tls-key')];
  const certificate = parseCertificate(cert);
  if (!certificate.checkPrivateKey(parseKey(key))) {
    throw invalidCertificate(
      'the key in --tls-key does not belong to the certificate in --tls-cert',
      'pass the two files of one certificate; the certificate of the server comes first in its file',
    );
  }
  try {
    const context = createSecureContext({ cert, key, minVersion: 'TLSv1.2' });
    return { context, expiresAt: Date.parse(certificate.validTo) };
  } catch (error) {
    throw invalidCertificate(
      `the certificate in --tls-cert cannot be used (${(error as NodeJS.ErrnoException).code})`,
      'check that each certificate of the file is complete, and that its key is long enough',
    );
  }
}

function readFile(path: string, flag: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw invalidCertificate(`cannot read ${path} in ${flag} (${code})`, 'check the path and the file permissions');
  }
}

function parseCertificate(pem: Buffer): X509Certificate {
  try {
    // OpenSSL would also accept the binary format, which a secure context does not.
    if (pem.includes('-----BEGIN CERTIFICATE-----')) return new X509Certificate(pem);
  } catch {
    // The message of OpenSSL names no cause.
  }
  throw invalidCertificate(
    'the file in --tls-cert does not contain a certificate in PEM format',
    'pass a file with -----BEGIN CERTIFICATE-----',
  );
}

function parseKey(pem: Buffer): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    // The code of the error depends on the version of Node.js.
    if (pem.includes('ENCRYPTED')) {
      throw invalidCertificate('the key in --tls-key is encrypted', 'decrypt the key with openssl pkey');
    }
    throw invalidCertificate(
      'the file in --tls-key does not contain a private key in PEM format',
      'pass a file with -----BEGIN PRIVATE KEY-----',
    );
  }
}

function invalidCertificate(message: string, hint: Hint): Failure {
  return usageError('invalid_certificate', message, hint);
}
