import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { moveWindowsData } from '../../src/app/move-windows-data.js';
import { resolvePaths } from '../../src/config/paths.js';
import { temporaryDirectory } from '../support/petstore.js';

function newProfile() {
  const home = temporaryDirectory();
  const env = { APPDATA: join(home, 'Roaming'), LOCALAPPDATA: join(home, 'Local') };
  const earlier = join(env.APPDATA, 'petstore');
  mkdirSync(join(earlier, 'sandbox'), { recursive: true });
  for (const file of ['sandbox/store.db', 'store.db', 'store.db-wal', 'config.json']) {
    writeFileSync(join(earlier, file), 'earlier');
  }
  return { env, earlier, paths: resolvePaths(env, home, 'win32') };
}

function rejectError(path: string): never {
  throw new Error(`cannot move ${path}`);
}

test('moves the sandbox and the database of the server, but not the configuration', () => {
  const { env, earlier, paths } = newProfile();
  moveWindowsData(paths, env, rejectError);
  for (const path of [join(paths.sandbox, 'store.db'), paths.served, `${paths.served}-wal`, paths.config]) {
    expect(readFileSync(path, 'utf8')).toBe('earlier');
  }
  expect(existsSync(join(earlier, 'store.db'))).toBe(false);
});

test('keeps data that exists at the new place', () => {
  const { env, earlier, paths } = newProfile();
  mkdirSync(paths.sandbox, { recursive: true });
  moveWindowsData(paths, env, rejectError);
  expect(existsSync(join(earlier, 'sandbox/store.db'))).toBe(true);
});

test('reports files that cannot be moved', () => {
  const { env, earlier, paths } = newProfile();
  writeFileSync(env.LOCALAPPDATA, 'a file in place of the directory');
  const failed: string[] = [];
  moveWindowsData(paths, env, (path) => failed.push(path));
  expect(failed).toContain(join(earlier, 'sandbox'));
  expect(existsSync(join(earlier, 'sandbox/store.db'))).toBe(true);
});

test('moves nothing if one directory has every file', () => {
  const { env, earlier } = newProfile();
  const paths = resolvePaths({ ...env, PETSTORE_CONFIG_DIR: earlier }, undefined, 'win32');
  moveWindowsData(paths, env, rejectError);
  expect(existsSync(join(earlier, 'sandbox/store.db'))).toBe(true);
});
