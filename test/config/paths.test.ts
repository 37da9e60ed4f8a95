import { expect, test } from 'vitest';
import { resolvePaths } from '../../src/config/paths.js';

const defaults = {
  config: '/home/kim/.config/petstore/config.json',
  credentials: '/home/kim/.config/petstore/credentials.json',
  quota: '/home/kim/.local/state/petstore/quota',
  sandbox: '/home/kim/.local/share/petstore/sandbox',
  served: '/home/kim/.local/share/petstore/store.db',
  imports: '/home/kim/.local/state/petstore/imports',
};

test('resolves the XDG default directories', () => {
  expect(resolvePaths({}, '/home/kim', 'linux')).toEqual(defaults);
});

test('prefers absolute XDG variables and ignores relative ones', () => {
  const env = { XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: 'relative', XDG_DATA_HOME: '' };
  expect(resolvePaths(env, '/home/kim', 'linux')).toEqual({
    ...defaults,
    config: '/c/petstore/config.json',
    credentials: '/c/petstore/credentials.json',
  });
});

test('puts every file into PETSTORE_CONFIG_DIR', () => {
  const env = { PETSTORE_CONFIG_DIR: '/p', XDG_DATA_HOME: '/d' };
  const paths = resolvePaths(env, '/home/kim', 'linux');
  expect(Object.values(paths).every((path) => path.startsWith('/p/'))).toBe(true);
});

test('uses APPDATA and LOCALAPPDATA on Windows', () => {
  const env = { APPDATA: '/roaming', LOCALAPPDATA: '/local' };
  const { config, quota, sandbox } = resolvePaths(env, '/home/kim', 'win32');
  expect(config).toBe('/roaming/petstore/config.json');
  expect(quota).toBe('/local/petstore/quota');
  expect(sandbox).toBe('/local/petstore/sandbox');
});
