import { makeDirectory } from '../config/make-directory.js';
import { Failure, installOptionalHint } from '../failure.js';
import { DatabaseError, type DatabaseErrorReason } from '../server/sql.js';

/** Maps a `DatabaseError` to a failure with a hint; returns other errors unchanged. */
export function toDatabaseFailure(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  return new Failure('system', {
    code: `database_${error.reason.replace('-', '_')}`,
    message: error.message,
    hint: hints[error.reason],
    cause: error,
  });
}

const hints: Readonly<Record<DatabaseErrorReason, string>> = {
  'no-sqlite': `use Node.js 24 or later, or ${installOptionalHint}; only the sandbox and serve need it`,
  'no-postgres': `${installOptionalHint}; only serve needs it`,
  away: 'check that it runs, and the host and the port of its URL',
  busy: 'another process holds it; try again',
  newer: 'update petstore',
  refused: 'check user, password and name of the database, and what that user may do there',
  unusable: 'check its permissions and the free space; if the file is damaged, move it away',
};

/** Awaits the result of database work; rejects with a failure (system) instead of a `DatabaseError`. */
export async function mapDatabaseError<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    throw toDatabaseFailure(error);
  }
}

/** Creates the directory of a database; fails (system) if that is impossible. */
export function makeDataDirectory(path: string): void {
  try {
    makeDirectory(path);
  } catch (error) {
    throw new Failure('system', {
      code: 'unwritable_data',
      message: `${path} cannot be made (${(error as NodeJS.ErrnoException).code})`,
      hint: 'check the permissions above it, or set PETSTORE_CONFIG_DIR',
      cause: error,
    });
  }
}
