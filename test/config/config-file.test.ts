import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { expect, test } from 'vitest';
import { openDocument } from '../../src/config/config-file.js';
import { temporaryDirectory } from '../support/petstore.js';

test.each<[string, (path: string) => void, string]>([
  ['a pipe', (path) => execaSync('mkfifo', [path]), 'it is no file'],
  ['a device that never ends', (path) => symlinkSync('/dev/zero', path), 'it is no file'],
  ['a directory', (path) => mkdirSync(path), 'it is no file'],
  [
    'a file of gigabytes',
    (path) => {
      writeFileSync(path, '{}');
      truncateSync(path, 2 ** 33);
    },
    'it holds more than 1048576 bytes',
  ],
])('%s in the place of a document is told of and not read', (_, make, why) => {
  const path = join(temporaryDirectory(), 'config.json');
  make(path);
  const document = openDocument(path, {} as never);
  expect(() => document.read()).toThrow(`${path} cannot be read (${why})`);
});

test('where there is no file there is an empty document', () => {
  expect(openDocument(join(temporaryDirectory(), 'none.json'), {} as never).read()).toEqual({});
});
