import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { resolveDatabaseLocation } from '../../src/app/database.js';
import { resolvePaths } from '../../src/config/paths.js';
import { createRedactor } from '../../src/config/secret.js';
import { temporaryDirectory } from '../support/petstore.js';

const paths = () => resolvePaths({}, temporaryDirectory(), 'linux');

test.each([
  ['a file', 'store.db', { path: 'store.db', displayName: 'store.db', isFile: true }],
  ['memory', ':memory:', { path: ':memory:', displayName: ':memory:', isFile: false }],
  [
    'PostgreSQL, whose password is not shown',
    'postgres://anna:hunter22@db.example/store',
    {
      path: 'postgres://anna:hunter22@db.example/store',
      displayName: 'postgres://anna@db.example/store',
      isFile: false,
    },
  ],
])('the place may be %s', (_, told, place) => {
  expect(resolveDatabaseLocation(told, paths(), createRedactor())).toEqual(place);
});

test('a password is taken out of whatever is printed later', () => {
  const redactor = createRedactor();
  resolveDatabaseLocation('postgres://anna:hunter%2022-secret@db.example/store', paths(), redactor);
  expect(redactor.redact('of hunter 22-secret')).toBe('of [redacted]');
});

test('where nothing is told it is in the data directory, which is made', () => {
  const own = paths();
  expect(resolveDatabaseLocation(undefined, own, createRedactor())).toEqual({
    path: own.served,
    displayName: own.served,
    isFile: true,
  });
  expect(existsSync(join(own.served, '..'))).toBe(true);
});

test('another place makes nothing in the data directory', () => {
  const own = paths();
  resolveDatabaseLocation('store.db', own, createRedactor());
  expect(existsSync(join(own.served, '..'))).toBe(false);
});

test.each([
  ['nothing', '', '--database must name a file'],
  [
    'an address of something else',
    'mysql://anna:hunter22@db.example/store',
    '--database must be a',
  ],
  [
    'a URL that cannot be read',
    'postgres://anna:hunter22@x@db.example/store',
    '--database must be',
  ],
])('%s is no place, and no password is repeated', (_, told, words) => {
  const place = () => resolveDatabaseLocation(told, paths(), createRedactor());
  expect(place).toThrow(words);
  expect(place).not.toThrow('hunter22');
});
