import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { expect, test } from 'vitest';
import { createPermissionCheck, openConfigFile } from '../../src/config/config-file.js';
import { temporaryDirectory } from '../support/petstore.js';

test.each<[string, (path: string) => void, string]>([
  ['a pipe', (path) => execaSync('mkfifo', [path]), 'not a regular file'],
  ['an endless device', (path) => symlinkSync('/dev/zero', path), 'not a regular file'],
  ['a directory', (path) => mkdirSync(path), 'not a regular file'],
  [
    'a file of gigabytes',
    (path) => {
      writeFileSync(path, '{}');
      truncateSync(path, 2 ** 33);
    },
    'larger than 1048576 bytes',
  ],
])('does not read %s', (_, make, reason) => {
  const path = join(temporaryDirectory(), 'config.json');
  make(path);
  const file = openConfigFile(path, {} as never);
  expect(() => file.read()).toThrow(`cannot read ${path} (${reason})`);
});

test('reads an empty object if the file does not exist', () => {
  expect(openConfigFile(join(temporaryDirectory(), 'none.json'), {} as never).read()).toEqual({});
});

const userId = process.getuid?.();

function createFileWithMode(mode: number): string {
  const path = join(temporaryDirectory(), 'credentials.json');
  writeFileSync(path, '{}');
  chmodSync(path, mode);
  return path;
}

/** Returns the notices that the check prints. */
function checkPermissions(path: string, user: number | undefined): readonly string[] {
  const notices: string[] = [];
  createPermissionCheck(user, (text) => notices.push(text))(path);
  return notices;
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

test.skipIf(userId === undefined).each([0o644, 0o640, 0o604, 0o601, 0o755])(
  'makes a file of mode %o private and prints one notice',
  (mode) => {
    const path = createFileWithMode(mode);
    expect(checkPermissions(path, userId)).toEqual([
      `Changed the mode of ${path} to 600, because other users could read it.`,
    ]);
    expect(modeOf(path)).toBe(0o600);
    expect(checkPermissions(path, userId)).toEqual([]);
  },
);

test.each([
  ['0600', 0o600, userId],
  ['0400', 0o400, userId],
  ['0666 on Windows, which has no modes', 0o666, undefined],
])('accepts a file of mode %s silently', (_, mode, user) => {
  const path = createFileWithMode(mode);
  const before = modeOf(path);
  expect(checkPermissions(path, user)).toEqual([]);
  expect(modeOf(path)).toBe(before);
});

test.skipIf(userId === undefined).each([0o666, 0o620, 0o602, 0o777])(
  'rejects a file of mode %o, since others can write to it',
  (mode) => {
    const path = createFileWithMode(mode);
    expect(() => checkPermissions(path, userId)).toThrow(
      expect.objectContaining({
        kind: 'system',
        details: {
          code: 'exposed_credentials',
          message: `${path} is writable by other users`,
          hint: `check its content, then run chmod 600 ${path}`,
        },
      }),
    );
    expect(modeOf(path)).toBe(mode);
  },
);

test.skipIf(userId !== 0)('rejects a file of another user (needs root)', () => {
  const path = createFileWithMode(0o600);
  chownSync(path, 12_345, 12_345);
  expect(() => checkPermissions(path, userId)).toThrow(`${path} belongs to another user`);
});

test('ignores a missing file', () => {
  expect(checkPermissions(join(temporaryDirectory(), 'none'), userId)).toEqual([]);
});
