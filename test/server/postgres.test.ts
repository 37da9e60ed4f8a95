import { describe, expect, test } from 'vitest';
import { mapPostgresError } from '../../src/server/postgres-errors.js';
import { isPostgresUrl, mayContainPassword, parsePostgresUrl } from '../../src/server/postgres-url.js';
import { DatabaseError } from '../../src/server/sql.js';

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

test.each([
  ['postgres://db.test/store', 'postgres://db.test/store', undefined],
  ['postgresql://anna@db.test:5433/store', 'postgresql://anna@db.test:5433/store', undefined],
  ['postgres://anna:hunter22@db.test/store', 'postgres://anna@db.test/store', 'hunter22'],
  ['postgres://anna:a%40b%2Fc@db.test/store', 'postgres://anna@db.test/store', 'a@b/c'],
  ['postgres://:hunter22@[::1]:5432/', 'postgres://[::1]:5432/', 'hunter22'],
  ['postgres://anna@db.test/store?password=hunter22', 'postgres://anna@db.test/store', 'hunter22'],
  ['postgres://anna@db.test/store?password=50%25', 'postgres://anna@db.test/store', '50%'],
  ['postgres:///store?host=/run/pg&user=anna', 'postgres:///store?host=/run/pg', undefined],
  ['postgres://anna@%2Frun%2Fpg/store', 'postgres://anna@%2Frun%2Fpg/store', undefined],
])('%s is displayed as %s', (text, shown, password) => {
  expect(isPostgresUrl(text)).toBe(true);
  expect(parsePostgresUrl(text)).toEqual({ displayUrl: shown, password });
});

test.each([
  'postgres://anna:hunt@er@db.test/store',
  'postgres://anna:hunt/er@db.test/store',
  'postgres://anna:12/34@db.test/store',
  'postgres://anna:hunt?er@db.test/store',
  'postgres://anna:hunt#er@db.test/store',
  'postgres://anna:hunt:er@db.test/store',
  'postgres://anna:hunt er@db.test/store',
  'postgres://anna:100%@db.test/store',
  'postgres://anna@db.test/store?password=hunt@er',
  'postgres://anna:hunt22@db.test/st\u001b[31more',
  'postgres://anna@db.test:abc/store',
  'postgres://db.test:70000/store',
  'postgres:store',
  'postgres:/store',
])('%s is invalid or ambiguous', (text) => {
  expect(parsePostgresUrl(text)).toBeUndefined();
});

test.each(['store.db', ':memory:', '/tmp/postgres', 'postgres', './postgres:x'])('%s is a file path', (text) => {
  expect(isPostgresUrl(text)).toBe(false);
  expect(mayContainPassword(text)).toBe(false);
});

test.each([
  ' postgres://anna:hunter22@db.test/store',
  '"postgres://anna:hunter22@db.test/store"',
  '"postgres:anna:hunter22@db.test/store"',
  'postgress://anna:hunter22@db.test/store',
  'mysql://anna:hunter22@db.test/store',
  'jdbc:postgresql://db.test/store?user=anna&password=hunter22',
  'host=db.test password = hunter22',
])('%s may contain a password', (text) => {
  expect(mayContainPassword(text)).toBe(true);
  expect(parsePostgresUrl(text)).toBeUndefined();
});
