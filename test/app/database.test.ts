import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { locateDatabase } from '../../src/app/database.js';
import { resolvePaths } from '../../src/config/paths.js';
import { createRedactor } from '../../src/config/secret.js';
import { temporaryDirectory } from '../support/petstore.js';

const paths = () => resolvePaths({}, temporaryDirectory(), 'linux');

test.each([
  ['a file', 'no.db', { path: 'no.db', displayName: 'no.db', isNew: true }],
  ['memory', ':memory:', { path: ':memory:', displayName: ':memory:', isNew: false }],
])('a database may be in %s', (_, database, location) => {
  expect(locateDatabase({ database }, true, paths(), createRedactor())).toEqual(location);
});

test('the password in a URL is not shown, and is redacted', () => {
  const redactor = createRedactor();
  const url = 'postgres://anna:hunter%2022-secret@db.example/store';
  const displayName = 'postgres://anna@db.example/store';
  expect(locateDatabase({ database: url }, true, paths(), redactor)).toEqual({ path: url, displayName, isNew: false });
  expect(redactor.redact('of hunter 22-secret')).toBe('of [redacted]');
});

test('the default is a file in the data directory, which only a command that creates the file makes', () => {
  const own = paths();
  const directory = dirname(own.served);
  expect(() => locateDatabase({}, false, own, createRedactor())).toThrow('does not exist');
  expect(existsSync(directory)).toBe(false);
  expect(locateDatabase({}, true, own, createRedactor())).toMatchObject({ path: own.served, isNew: true });
  expect(existsSync(directory)).toBe(true);
  writeFileSync(join(directory, 'store.db'), '');
  expect(locateDatabase({}, false, own, createRedactor())).toMatchObject({ path: own.served, isNew: false });
});

test.each([
  ['an empty value', '', '--database must name a file'],
  ['a URL of another database', 'mysql://anna:hunter22@db.example/store', '--database must be a'],
  ['an invalid URL', 'postgres://anna:hunter22@x@db.example/store', '--database must be'],
])('%s is rejected without showing its password', (_, database, message) => {
  const locate = () => locateDatabase({ database }, true, paths(), createRedactor());
  expect(locate).toThrow(message);
  expect(locate).not.toThrow('hunter22');
});
