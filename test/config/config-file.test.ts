import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { createPermissionCheck, openConfigFile } from '../../src/config/config-file.js';
import { temporaryDirectory } from '../support/petstore.js';

const open = (path: string) => openConfigFile(path, systemClock);

test('reads an empty object if the file does not exist', () => {
  expect(open(join(temporaryDirectory(), 'none.json')).read()).toEqual({});
  expect(open('/dev/null/config.json').read()).toEqual({});
});

test('loses no change of concurrent updates, and saves a private file', async () => {
  const file = open(join(temporaryDirectory(), 'petstore', 'config.json'));
  const names = Array.from({ length: 5 }, (_, index) => `n${index}`);
  await Promise.all(names.map((name) => file.update((content) => ({ ...content, [name]: 1 }))));
  expect(Object.keys(file.read()).sort()).toEqual(names);
  expect([file.path, dirname(file.path)].map(modeOf)).toEqual(['600', '700']);
});

test('an update without a change writes nothing', async () => {
  const file = open(join(temporaryDirectory(), 'config.json'));
  await file.update(() => ({ name: 1 }));
  const { ino } = statSync(file.path, { bigint: true });
  await file.update((content) => content);
  expect(statSync(file.path, { bigint: true }).ino).toBe(ino);
});

function createFile(directory: string, mode: number): string {
  const path = join(temporaryDirectory(), directory, 'credentials.json');
  mkdirSync(dirname(path));
  chmodSync(dirname(path), 0o755);
  writeFileSync(path, '{}');
  chmodSync(path, mode);
  return path;
}

/** Returns the notices that the check prints. */
function checkPermissions(path: string): readonly string[] {
  const notices: string[] = [];
  createPermissionCheck((text) => notices.push(text))(path);
  return notices;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test.skipIf(process.platform === 'win32')('makes a file and its own directory private, with notices', () => {
  const path = createFile('petstore', 0o644);
  const reason = 'because other users could access it.';
  expect(checkPermissions(path)).toEqual([
    `Changed the mode of ${dirname(path)} to 700, ${reason}`,
    `Changed the mode of ${path} to 600, ${reason}`,
  ]);
  expect([path, dirname(path)].map(modeOf)).toEqual(['600', '700']);
  expect(checkPermissions(path)).toEqual([]);
});

test.skipIf(process.platform === 'win32')('leaves the mode of a directory that the user chose', () => {
  const path = createFile('other', 0o400);
  expect(checkPermissions(path)).toEqual([]);
  expect([path, dirname(path)].map(modeOf)).toEqual(['400', '755']);
});

test.skipIf(process.platform === 'win32').each([0o620, 0o602])('rejects a file of mode %o', (mode) => {
  const path = createFile('petstore', mode);
  const details = { code: 'exposed_credentials', message: `${path} is writable by other users` };
  expect(() => checkPermissions(path)).toThrow(
    expect.objectContaining({ kind: 'system', details: expect.objectContaining(details) }),
  );
  expect(modeOf(path)).toBe(mode.toString(8));
});
