import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { below, pathsOf } from '../../src/config/paths.js';

test('files lie where the XDG base directory specification has them', () => {
  expect(pathsOf({}, '/home/kim', 'linux')).toEqual({
    config: '/home/kim/.config/petstore/config.json',
    credentials: '/home/kim/.config/petstore/credentials.json',
    quota: '/home/kim/.local/state/petstore/quota',
    sandbox: '/home/kim/.local/share/petstore/sandbox',
    served: '/home/kim/.local/share/petstore/store.db',
    imports: '/home/kim/.local/state/petstore/imports',
  });
});

test('XDG variables move them, unless they are relative', () => {
  const env = { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: 'relative', XDG_DATA_HOME: '' };
  const paths = pathsOf(env, '/home/kim', 'linux');
  expect(paths.config).toBe('/c/petstore/config.json');
  expect(paths.quota).toBe('/home/kim/.local/state/petstore/quota');
  expect(paths.sandbox).toBe('/home/kim/.local/share/petstore/sandbox');
});

test('PETSTORE_CONFIG_DIR holds all of them', () => {
  const paths = pathsOf({ PETSTORE_CONFIG_DIR: '/p', XDG_DATA_HOME: '/d' }, '/home/kim', 'linux');
  expect(Object.values(paths).every((path) => path.startsWith('/p/'))).toBe(true);
});

test('on Windows they lie below APPDATA', () => {
  expect(pathsOf({ APPDATA: '/roaming' }, '/home/kim', 'win32').config).toBe(
    '/roaming/petstore/config.json',
  );
});

test('they are shortened, so that a `..` means the same for whoever reads and writes them', () => {
  const configOf = (directory: string) =>
    pathsOf({ PETSTORE_CONFIG_DIR: directory }, '/home/kim', 'linux').config;
  expect(configOf('/a/link/../b/')).toBe('/a/b/config.json');
  expect(configOf('.')).toBe('config.json');
  expect(pathsOf({}, '/home//kim/.', 'linux').quota).toBe('/home/kim/.local/state/petstore/quota');
});

test('what lies below a directory is what node:path says', () => {
  const word = fc.constantFrom('a', '.', '..', '', '.config', 'x.y', '...', 'é');
  const directory = fc.array(word, { minLength: 1 }).map((words) => words.join('/'));
  fc.assert(
    fc.property(
      fc.oneof(
        directory,
        directory.map((path) => `/${path}`),
      ),
      (path) => {
        fc.pre(path !== '');
        expect(below(path, '.config', 'petstore')).toBe(join(path, '.config', 'petstore'));
      },
    ),
  );
});
