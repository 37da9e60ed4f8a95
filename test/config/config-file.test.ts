import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execaSync } from 'execa';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { createPermissionCheck, openConfigFile } from '../../src/config/config-file.js';
import { createLocks } from '../../src/config/files.js';
import { temporaryDirectory } from '../support/petstore.js';

test.each<[string, (path: string) => void, reason: string, fix?: string]>([
  ['a pipe', (path) => execaSync('mkfifo', [path]), 'not a regular file', 'move'],
  ['an endless device', (path) => symlinkSync('/dev/zero', path), 'not a regular file', 'move'],
  ['a directory', (path) => mkdirSync(path), 'not a regular file', 'move'],
  [
    'a file of gigabytes',
    (path) => {
      writeFileSync(path, '{}');
      truncateSync(path, 2 ** 33);
    },
    'larger than 1048576 bytes',
  ],
])('does not read %s', (_, make, reason, fix) => {
  const path = join(temporaryDirectory(), 'config.json');
  make(path);
  const file = openConfigFile(path, {} as never);
  const hint = fix ? `${fix} ${path}, then retry` : 'fix or move the file, then retry';
  const details = { message: `cannot read ${path} (${reason})`, hint };
  expect(() => file.read()).toThrow(expect.objectContaining({ details: expect.objectContaining(details) }));
});

test('reads an empty object if the file does not exist', () => {
  expect(openConfigFile(join(temporaryDirectory(), 'none.json'), {} as never).read()).toEqual({});
});

const locks = createLocks({ clock: systemClock });

test('loses no change of concurrent updates', async () => {
  const file = openConfigFile(join(temporaryDirectory(), 'config.json'), locks);
  const names = Array.from({ length: 5 }, (_, index) => `n${index}`);
  await Promise.all(names.map((name) => file.update((content) => ({ ...content, [name]: 1 }))));
  expect(Object.keys(file.read()).sort()).toEqual(names);
});

test('an update without a change writes nothing', async () => {
  const file = openConfigFile(join(temporaryDirectory(), 'config.json'), locks);
  await file.update(() => ({ name: 1 }));
  const { ino } = statSync(file.path, { bigint: true });
  await file.update((content) => content);
  expect(statSync(file.path, { bigint: true }).ino).toBe(ino);
});

test.each(['config.json', 'petstore/config.json'])('an update of %s below a file names the file', async (name) => {
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, '');
  const path = join(file, name);
  await expect(openConfigFile(path, locks).update(() => ({}))).rejects.toMatchObject({
    kind: 'system',
    details: {
      code: 'cannot_write',
      message: `cannot write ${path} because ${file} is not a directory`,
      hint: `set PETSTORE_CONFIG_DIR to a directory, or move ${file}`,
    },
  });
});

test.skipIf(process.platform !== 'linux')('an update that the system rejects fails with its reason', async () => {
  const path = '/proc/petstore/config.json';
  await expect(openConfigFile(path, locks).update(() => ({}))).rejects.toMatchObject({
    details: { message: `cannot write ${path} (ENOENT)`, hint: expect.stringContaining('free space') },
  });
});

const userId = process.getuid?.();

test.skipIf(userId === undefined).each([
  ['petstore', '750', '700'],
  ['petstore', '705', '700'],
  ['other', '750', '750'],
])('an update of a file in the directory %s of mode %s leaves the mode %s', async (name, before, after) => {
  const directory = join(temporaryDirectory(), name);
  mkdirSync(directory);
  chmodSync(directory, before);
  await openConfigFile(join(directory, 'config.json'), locks).update(() => ({}));
  expect(modeOf(directory).toString(8)).toBe(after);
});

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
          hint: 'check its content, then fix its owner and mode',
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

test.skipIf(userId !== 0)('a file that cannot be read is a failure, also for the permission check (needs root)', () => {
  const stranger = 12_345;
  const root = temporaryDirectory();
  chmodSync(root, 0o700);
  const path = join(root, 'config.json');
  writeFileSync(path, '{}');
  for (const check of [() => {}, createPermissionCheck(stranger, () => {})]) {
    process.seteuid?.(stranger);
    try {
      expect(() => openConfigFile(path, {} as never, { check }).read()).toThrow(`cannot read ${path} (EACCES)`);
    } finally {
      process.seteuid?.(0);
    }
  }
});

test('ignores a missing file', () => {
  expect(checkPermissions(join(temporaryDirectory(), 'none'), userId)).toEqual([]);
});
