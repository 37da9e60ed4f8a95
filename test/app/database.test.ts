import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { prepareDatabaseDirectory, resolveDatabaseLocation } from '../../src/app/database.js';
import { resolvePaths } from '../../src/config/paths.js';
import { createRedactor } from '../../src/config/secret.js';
import { temporaryDirectory } from '../support/petstore.js';

const paths = () => resolvePaths({}, temporaryDirectory(), 'linux');

test.each([
  ['a file', 'store.db', { path: 'store.db', displayName: 'store.db', isFile: true }],
  ['memory', ':memory:', { path: ':memory:', displayName: ':memory:', isFile: false }],
  [
    'PostgreSQL, without its password in displayName',
    'postgres://anna:hunter22@db.example/store',
    {
      path: 'postgres://anna:hunter22@db.example/store',
      displayName: 'postgres://anna@db.example/store',
      isFile: false,
    },
  ],
])('a location may be %s', (_, value, location) => {
  expect(resolveDatabaseLocation({ database: value }, paths(), createRedactor())).toEqual(location);
});

test('a password in the URL is redacted', () => {
  const redactor = createRedactor();
  resolveDatabaseLocation({ database: 'postgres://anna:hunter%2022-secret@db.example/store' }, paths(), redactor);
  expect(redactor.redact('of hunter 22-secret')).toBe('of [redacted]');
});

test('the default location is in the data directory, which only preparing it creates', () => {
  const resolved = paths();
  expect(resolveDatabaseLocation({}, resolved, createRedactor())).toEqual({
    path: resolved.served,
    displayName: resolved.served,
    isFile: true,
  });
  const directory = join(resolved.served, '..');
  prepareDatabaseDirectory('store.db', resolved);
  expect(existsSync(directory)).toBe(false);
  prepareDatabaseDirectory(resolved.served, resolved);
  expect(existsSync(directory)).toBe(true);
});

test.each([
  ['an empty value', '', '--database must name a file'],
  ['a URL of another database', 'mysql://anna:hunter22@db.example/store', '--database must be a'],
  ['an invalid URL', 'postgres://anna:hunter22@x@db.example/store', '--database must be'],
])('%s is rejected without showing its password', (_, value, message) => {
  const resolve = () => resolveDatabaseLocation({ database: value }, paths(), createRedactor());
  expect(resolve).toThrow(message);
  expect(resolve).not.toThrow('hunter22');
});
