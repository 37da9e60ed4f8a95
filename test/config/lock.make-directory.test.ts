import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectory } from '../../src/config/lock.js';
import { temporaryDirectory } from '../support/petstore.js';

test('creates private directories', () => {
  const path = join(temporaryDirectory(), 'a', 'b', 'c');
  makeDirectory(path);
  makeDirectory(path);
  for (const created of [path, join(path, '..')]) expect(statSync(created).mode & 0o777).toBe(0o700);
});

test('throws if a parent is a file', () => {
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, '');
  expect(() => makeDirectory(join(file, 'below'))).toThrow('ENOTDIR');
});

test.runIf(process.platform === 'linux')('throws below /proc instead of hanging', () => {
  expect(() => makeDirectory('/proc/petstore/quota')).toThrow('ENOENT');
});
