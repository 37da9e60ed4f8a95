import { chmodSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guardSecrets } from '../../src/config/file-permissions.js';
import { temporaryDirectory } from '../support/petstore.js';

const userId = process.getuid?.();

function fileOfMode(mode: number): string {
  const path = join(temporaryDirectory(), 'credentials.json');
  writeFileSync(path, '{}');
  chmodSync(path, mode);
  return path;
}

function guard(path: string, user = userId): readonly string[] {
  const notices: string[] = [];
  guardSecrets(user, (text) => notices.push(text))(path);
  return notices;
}

const modeOf = (path: string) => statSync(path).mode & 0o777;

test.skipIf(userId === undefined).each([0o644, 0o640, 0o604, 0o601, 0o755])(
  'a file of mode %o is made private, and that is said once',
  (mode) => {
    const path = fileOfMode(mode);
    expect(guard(path)).toEqual([`${path} could be read by others; it is private now`]);
    expect(modeOf(path)).toBe(0o600);
    expect(guard(path)).toEqual([]);
  },
);

test.each([0o600, 0o400])('a file of mode %o is left as it is, without a word', (mode) => {
  const path = fileOfMode(mode);
  const before = modeOf(path);
  expect(guard(path)).toEqual([]);
  expect(modeOf(path)).toBe(before);
});

test.skipIf(userId === undefined).each([0o666, 0o620, 0o602, 0o777])(
  'a file of mode %o may hold the key of another, and is not used',
  (mode) => {
    const path = fileOfMode(mode);
    expect(() => guard(path)).toThrow(
      expect.objectContaining({
        kind: 'system',
        details: {
          code: 'exposed_credentials',
          message: `${path} can be written by others`,
          hint: `look at it, then chmod 600 ${path}`,
        },
      }),
    );
    expect(modeOf(path)).toBe(mode);
  },
);

test.skipIf(userId !== 0)('a file of another user is not used (needs root)', () => {
  const path = fileOfMode(0o600);
  chownSync(path, 12_345, 12_345);
  expect(() => guard(path)).toThrow(`${path} belongs to another user`);
});

test('a file of anybody is as it is on Windows, which has no such modes', () => {
  const path = fileOfMode(0o666);
  const before = modeOf(path);
  const notices: string[] = [];
  guardSecrets(undefined, (text) => notices.push(text))(path);
  expect(notices).toEqual([]);
  expect(modeOf(path)).toBe(before);
});

test('a file that is not there is no trouble', () => {
  expect(guard(join(temporaryDirectory(), 'none'))).toEqual([]);
});
