import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectory } from '../../src/config/make-directory.js';
import { temporaryDirectory } from '../support/petstore.js';

test('a directory and those above it are made for this user alone', () => {
  const path = join(temporaryDirectory(), 'a', 'b', 'c');
  makeDirectory(path);
  makeDirectory(path);
  for (const made of [path, join(path, '..')]) expect(statSync(made).mode & 0o777).toBe(0o700);
});

test('what cannot be made is told at once', () => {
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, '');
  expect(() => makeDirectory(join(file, 'below'))).toThrow('ENOTDIR');
});

test.runIf(process.platform === 'linux')('below /proc nothing is made, and nothing hangs', () => {
  expect(() => makeDirectory('/proc/petstore/quota')).toThrow('ENOENT');
});
