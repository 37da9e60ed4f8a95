import { expect, test } from 'vitest';
import { mapSqliteError } from '../../src/server/sqlite-errors.js';

test.each([
  ['busy', 'the database x.db is busy', { errcode: 5 }],
  ['busy', 'the database x.db is busy', { errcode: 517 }],
  ['busy', 'the database x.db is busy', { message: 'database is locked', code: 'ERR_SQLITE_ERROR' }],
  ['full', 'the disk of x.db is full', { errcode: 13 }],
  ['full', 'the disk of x.db is full', { message: 'database or disk is full', code: 'ERR_SQLITE_ERROR' }],
  ['full', 'the disk of x.db is full', { errcode: 4874 }],
  ['full', 'cannot write to the disk of x.db: disk I/O error', { errcode: 778, message: 'disk I/O error' }],
  ['unusable', 'the database x.db cannot be used: disk I/O error', { errcode: 266, message: 'disk I/O error' }],
  ['unusable', 'the database x.db cannot be used: EACCES', { code: 'EACCES', message: 'EACCES' }],
])('an error is %s: %s (%j)', (reason, message, properties) => {
  const error = Object.assign(new Error(), properties);
  expect(mapSqliteError(error, 'x.db')).toMatchObject({ name: 'DatabaseError', reason, message, cause: error });
});
