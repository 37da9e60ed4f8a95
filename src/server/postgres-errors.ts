import { DatabaseError, type DatabaseErrorReason } from './sql.js';

/** An error of PostgreSQL, which has a severity, or of the connection, which has none. */
interface PostgresError extends Error {
  readonly severity?: string;
  readonly code?: string;
}

/** Maps an error of PostgreSQL, of pg or of the network to a `DatabaseError`. */
export function mapPostgresError(error: unknown, displayUrl: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const { code = '', message } = error as PostgresError;
  const reason = reasonOf(error as PostgresError);
  const detail = isPasswordMissing(message) ? 'the server requires a password' : message || code || 'no response';
  const description = isReadOnlyError(error) ? 'accepts no writes' : descriptions[reason];
  return new DatabaseError(reason, `the database ${displayUrl} ${description}: ${detail}`, error);
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

function reasonOf({ severity, code = '', message }: PostgresError): keyof typeof descriptions {
  if (severity === undefined) return isPasswordMissing(message) ? 'refused' : 'away';
  return reasonsByCodePrefix.find(([prefix]) => code.startsWith(prefix))?.[1] ?? 'unusable';
}

/** Recognizes errors of pg 8.23 that have neither a code nor a class (`lib/crypto/sasl.js`). */
function isPasswordMissing(message: string): boolean {
  return message.startsWith('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be ');
}

const descriptions = {
  away: 'cannot be reached',
  busy: 'is busy',
  refused: 'cannot be used',
  unusable: 'cannot be used',
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
