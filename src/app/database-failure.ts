import type { ErrorCode } from '../error-codes.js';
import { Failure, installOptionalHint } from '../failure.js';
import { DatabaseError, type DatabaseErrorReason } from '../server/sql.js';

/** Maps a `DatabaseError` to a failure with a hint; returns other errors unchanged. */
export function toDatabaseFailure(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  return new Failure('system', {
    code: codes[error.reason],
    message: error.message,
    hint: directoryHint(error) ?? hints[error.reason],
    cause: error,
  });
}

/** Returns the hint if the directory of a SQLite file does not exist or is a file. */
function directoryHint({ reason, cause }: DatabaseError): string | undefined {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException;
  const isMissing = reason === 'unusable' && (code === 'ENOENT' || code === 'ENOTDIR');
  return isMissing ? 'create the directory, or pass another --database' : undefined;
}

const codes = {
  no_sqlite: 'missing_package',
  no_postgres: 'missing_package',
  away: 'database_unavailable',
  busy: 'database_unavailable',
  full: 'database_full',
  newer: 'database_unusable',
  refused: 'database_refused',
  unusable: 'database_unusable',
} as const satisfies Readonly<Record<DatabaseErrorReason, ErrorCode>>;

const hints: Readonly<Record<DatabaseErrorReason, string>> = {
  no_sqlite: `use Node.js 24 or later, or ${installOptionalHint}`,
  no_postgres: installOptionalHint,
  away: 'check that the database server is running and accepts writes, and check host, port, sslmode and sslrootcert in its URL',
  busy: 'close other programs that use the database, then retry',
  full: 'free some disk space, then retry',
  newer: 'upgrade petstore',
  refused:
    'check the user and the database name in the URL, the password in PGPASSWORD or in the URL, and the permissions of the user; if the server requires TLS, set sslmode=verify-full',
  unusable: 'check the file permissions and the free disk space, or move a damaged file away',
};
