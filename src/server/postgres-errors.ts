import { DatabaseError, type DatabaseErrorReason } from './sql.js';

/** An error of PostgreSQL, which has a severity, or of the connection, which has none. */
interface PostgresError extends Error {
  readonly severity?: string;
  readonly code?: string;
  readonly syscall?: string;
}

/** Maps an error of PostgreSQL, of pg or of the network to a `DatabaseError`. */
export function mapPostgresError(error: unknown, displayUrl: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const { code = '', message } = error as PostgresError;
  const reason = reasonOf(error as PostgresError);
  if (isFileError(error as PostgresError)) {
    const options = 'sslrootcert, sslcert or sslkey';
    return new DatabaseError(reason, `cannot read the file of ${options} in ${displayUrl}: ${message}`, error);
  }
  const detail = noPasswordMessage.test(message)
    ? 'the server requires a password'
    : ([message, code].find((text) => text !== '' && text !== undefined) ?? 'no response');
  const description = isReadOnlyError(error) ? 'accepts no writes' : descriptions[reason];
  const text = `the database ${displayUrl} ${description}: ${detail}`;
  return new DatabaseError(reason, text, error);
}

/**
 * Returns whether work can run again on a new connection: PostgreSQL rolled it back, because it shuts down or only
 * replicates, or it only reads, and the connection broke. A pooler that shuts down may say so after a commit.
 */
export function canRetry(
  error: unknown,
  { isRead, isPooled }: { readonly isRead: boolean; readonly isPooled: boolean },
): boolean {
  if ((error as PostgresError).severity === undefined) return isRead && !(error instanceof DatabaseError);
  return isReadOnlyError(error) || (isShutdownError(error) && (isRead || !isPooled));
}

/** Returns whether PostgreSQL ended the connection: it carried out nothing that it did not answer before. */
export function isShutdownError(error: unknown): boolean {
  const { severity, code } = error as PostgresError;
  return severity !== undefined && code === '57P01';
}

/** Returns whether PostgreSQL rejected a write because it only replicates; it rolled back the transaction. */
function isReadOnlyError(error: unknown): boolean {
  const { severity, code } = error as PostgresError;
  return severity !== undefined && code === '25006';
}

/** The only files that pg opens are the certificates that the URL names. */
function isFileError({ severity, code, syscall }: PostgresError): boolean {
  return severity === undefined && (syscall === 'open' || code === 'EISDIR');
}

function reasonOf(error: PostgresError): keyof typeof descriptions {
  const { severity, code = '', message } = error;
  if (severity === undefined && message === noTlsMessage) return 'no_tls';
  if (severity !== undefined) {
    return reasonsByCodePrefix.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'unusable';
  }
  if (noPasswordMessage.test(message)) return 'refused';
  return certificateCode.test(code) || isFileError(error) ? 'untrusted' : 'away';
}

/** Matches codes of OpenSSL (nodejs.org/api/tls.html#x509-certificate-error-codes) and of Node.js. */
const certificateCode =
  /CERT|^UNABLE_TO_|^CRL_|^INVALID_(?:CA|PURPOSE)$|^HOSTNAME_MISMATCH$|^PATH_LENGTH_EXCEEDED$|UNKNOWN_CA$|PEM/;

/** Identifies this error of pg 8.23, which has neither a code nor a class (`lib/connection.js`). */
const noTlsMessage = 'The server does not support SSL connections';

/**
 * Matches the errors of pg 8.23 for a missing or empty password, which have neither a code nor a class
 * (`lib/crypto/sasl.js`).
 */
const noPasswordMessage = /^SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be /;

const descriptions = {
  away: 'cannot be reached',
  busy: 'is busy',
  no_tls: 'does not use TLS',
  refused: 'cannot be used',
  unusable: 'cannot be used',
  untrusted: 'has a certificate that cannot be verified',
} as const satisfies Partial<Record<DatabaseErrorReason, string>>;

/** Reasons by prefix of SQLSTATE (postgresql.org/docs/current/errcodes-appendix.html). */
const reasonsByCodePrefix = [
  // Broken connections, too many connections, servers that start, stop or only replicate.
  ['08', 'away'],
  ['25006', 'away'],
  ['53300', 'away'],
  ['57P', 'away'],
  // Deadlocks, lock timeouts, statement timeouts.
  ['40', 'busy'],
  ['55P03', 'busy'],
  ['57014', 'busy'],
  // A query in flight whose statement an earlier query could not prepare in time.
  ['26000', 'busy'],
  // Authentication, unknown databases, missing privileges.
  ['28', 'refused'],
  ['3D', 'refused'],
  ['42501', 'refused'],
] as const;
