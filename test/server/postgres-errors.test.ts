import { expect, test } from 'vitest';
import { mapPostgresError } from '../../src/server/postgres-errors.js';
import { DatabaseError } from '../../src/server/sql.js';

const place = 'postgres://anna@db.test/store';

test.each([
  ['57P01', 'terminating connection due to administrator command', 'away', 'cannot be reached'],
  ['57P03', 'the database system is starting up', 'away', 'cannot be reached'],
  ['53300', 'sorry, too many clients already', 'away', 'cannot be reached'],
  ['25006', 'cannot execute INSERT in a read-only transaction', 'away', 'cannot be reached'],
  ['08006', 'connection failure', 'away', 'cannot be reached'],
  ['57014', 'canceling statement due to statement timeout', 'busy', 'is busy'],
  ['40P01', 'deadlock detected', 'busy', 'is busy'],
  ['28P01', 'password authentication failed for user "anna"', 'refused', 'refuses'],
  ['3D000', 'database "store" does not exist', 'refused', 'refuses'],
  ['42501', 'permission denied for table pets', 'refused', 'refuses'],
  ['53100', 'could not extend file: No space left on device', 'unusable', 'cannot be used'],
  ['42P01', 'relation "pets" does not exist', 'unusable', 'cannot be used'],
])('%s (%s) means that the database is %s', (code, message, reason, words) => {
  const error = Object.assign(new Error(message), { code, severity: 'ERROR' });
  expect(mapPostgresError(error, place)).toMatchObject({
    reason,
    message: `the database ${place} ${words}: ${message}`,
    cause: error,
  });
});

test('what the server did not say is about the way to it, with words of its own or without', () => {
  const silent = Object.assign(new AggregateError([], ''), { code: 'ECONNREFUSED' });
  const messages = [new Error('Connection terminated unexpectedly'), silent, new Error('')].map(
    (error) => mapPostgresError(error, place),
  );
  expect(messages.map(({ reason }) => reason)).toEqual(['away', 'away', 'away']);
  expect(messages.map(({ message }) => message)).toEqual([
    `the database ${place} cannot be reached: Connection terminated unexpectedly`,
    `the database ${place} cannot be reached: ECONNREFUSED`,
    `the database ${place} cannot be reached: no answer`,
  ]);
});

test('what is known already is left as it is', () => {
  const newer = new DatabaseError('newer', 'it was made by a newer petstore');
  expect(mapPostgresError(newer, place)).toBe(newer);
});
