import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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
  ['several hosts', 'postgres://anna:hunter22@a.example,b.example/store', '--database names several hosts'],
])('%s is rejected without showing its password', (_, value, message) => {
  const resolve = () => resolveDatabaseLocation({ database: value }, paths(), createRedactor());
  expect(resolve).toThrow(message);
  expect(resolve).not.toThrow('hunter22');
});

describe('a URL in a file', () => {
  const url = 'postgres://anna:hunter22@db.example/store';
  const resolveFile = (content: string | Buffer, database?: string) => {
    const databaseUrlFile = join(temporaryDirectory(), 'url');
    writeFileSync(databaseUrlFile, content);
    return resolveDatabaseLocation({ database, databaseUrlFile }, paths(), createRedactor());
  };

  test.each([
    ['with a final newline', `${url}\r\n`],
    ['in UTF-16', Buffer.from(`\uFEFF${url}\n`, 'utf16le')],
    ['in UTF-8 with a byte order mark', `\uFEFF${url}`],
  ])('is read %s', (_, content) => {
    const displayName = 'postgres://anna@db.example/store';
    expect(resolveFile(content)).toEqual({ path: url, displayName, isFile: false });
  });

  test.each([
    ['an empty file', '', 'does not contain a postgres:// URL'],
    ['a path', 'hunter22.db', 'does not contain a postgres:// URL'],
    ['an invalid URL', 'postgres://anna:hunter22@x@db.example/store', 'the URL in --database-url-file must be'],
    ['too long', `${url}?options=${'x'.repeat(4_097)}`, 'the file in --database-url-file has more than 4,096 bytes'],
  ])('is rejected if it is %s, without showing the content', (_, content, message) => {
    expect(() => resolveFile(content)).toThrow(message);
    expect(() => resolveFile(content)).not.toThrow('hunter22');
  });

  test('is rejected beside --database', () => {
    expect(() => resolveFile(url, 'store.db')).toThrow('--database-url-file conflicts with --database');
  });

  test('is rejected if the file is unreadable', () => {
    const databaseUrlFile = join(temporaryDirectory(), 'none');
    expect(() => resolveDatabaseLocation({ databaseUrlFile }, paths(), createRedactor())).toThrow(
      'cannot read the file in --database-url-file (ENOENT)',
    );
  });
});
