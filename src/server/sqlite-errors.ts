import { DatabaseError } from './sql.js';

/** An error of SQLite, which has a result code, or of the file system. */
interface SqliteError extends Error {
  readonly errcode?: number;
}

/** Maps an error of SQLite or of the file system to a `DatabaseError`. */
export function mapSqliteError(error: unknown, path: string): DatabaseError {
  if (error instanceof DatabaseError) return error;
  const { message, errcode = codesByText[message] ?? 0 } = error as SqliteError;
  // The low byte of an extended result code is its primary one.
  if (busyCodes.includes(errcode & 0xff)) {
    return new DatabaseError('busy', `the database ${path} is busy`, error);
  }
  if (fullCodes.includes(errcode)) return new DatabaseError('full', `the disk of ${path} is full`, error);
  if (unwritableCodes.includes(errcode)) {
    return new DatabaseError('full', `cannot write to the disk of ${path}: ${message}`, error);
  }
  return new DatabaseError('unusable', `the database ${path} cannot be used: ${message}`, error);
}

/** By sqlite3_errstr: errors of `all` in @photostructure/sqlite have only this text (observed in 1.2.1). */
const codesByText: Readonly<Record<string, number>> = {
  'database is locked': 5,
  'database or disk is full': 13,
};

/** Primary result codes SQLITE_BUSY and SQLITE_LOCKED (sqlite.org/rescode.html). */
const busyCodes = [5, 6];

/** SQLITE_FULL, and SQLITE_IOERR_SHMSIZE, with which opening a file on a full disk fails. */
const fullCodes = [13, 4874];

/** SQLITE_IOERR_WRITE, SQLITE_IOERR_FSYNC and SQLITE_IOERR_TRUNCATE: SQLite hides the cause, such as EDQUOT. */
const unwritableCodes = [778, 1034, 1546];
