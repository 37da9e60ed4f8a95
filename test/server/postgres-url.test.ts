import { expect, test } from 'vitest';
import { isPostgresUrl, mayContainPassword, parsePostgresUrl } from '../../src/server/postgres-url.js';

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
