import {
  existsSync,
  lutimesSync,
  mkdirSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { type LockOwner, withLock } from '../../src/config/lock.js';
import { temporaryDirectory } from '../support/petstore.js';

const lockOwner = (pid: number, lives = true): LockOwner => ({
  pid,
  host: 'here',
  isProcessAlive: () => lives,
});
const options = (pid: number, lives = true) => ({
  clock: systemClock,
  lockOwner: lockOwner(pid, lives),
  timeoutMs: 300,
});

function leaveLock(content: string, ageMs = 0, name = 'file.lock'): string {
  const path = join(temporaryDirectory(), name);
  writeFileSync(path, content);
  setAge(path, ageMs);
  return path;
}

function setAge(path: string, ageMs: number): void {
  const then = (Date.now() - ageMs) / 1000;
  utimesSync(path, then, then);
}

test('two never work at once, and both get their turn', async () => {
  const path = join(temporaryDirectory(), 'file.lock');
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await systemClock.sleep(5);
    inside -= 1;
  };
  const lanes = Array.from({ length: 10 }, (_, pid) =>
    withLock(path, { ...options(pid), timeoutMs: 5_000 }, work),
  );
  await Promise.all(lanes);
  expect(most).toBe(1);
  expect(existsSync(path)).toBe(false);
});

test('the lock is given back when the work fails', async () => {
  const path = join(temporaryDirectory(), 'file.lock');
  const failing = withLock(path, options(1), () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(existsSync(path)).toBe(false);
});

test.each([
  ['whose holder is dead', '7 here', 0, false],
  ['that nobody signed and that is old', '', 60_000, true],
  ['that nobody signed, though there was time to', '', 3_000, true],
  ['that is old, though a process has its number', '7 here', 60_000, true],
  ['of another machine that is old', '7 there', 60_000, true],
  ['whose time lies in the future', '7 here', -60_000, true],
  ['of another machine whose time lies in the future', '7 there', -60_000, true],
])('a lock %s is taken over', async (_, content, age, lives) => {
  const path = leaveLock(content, age);
  expect(await withLock(path, options(1, lives), () => 'worked')).toBe('worked');
  expect(existsSync(path)).toBe(false);
});

test.each([
  ['of a living process', '7 here', true],
  ['of another machine', '7 there', false],
  ['that was taken this moment', '', false],
])('a lock %s is waited for, and left alone', async (_, content, lives) => {
  const path = leaveLock(content);
  await expect(withLock(path, options(1, lives), () => 'worked')).rejects.toMatchObject({
    kind: 'system',
    details: { code: 'lock_held' },
  });
  expect(existsSync(path)).toBe(true);
});

test('a lock that was taken over meanwhile is not given back by its first holder', async () => {
  const path = join(temporaryDirectory(), 'file.lock');
  await withLock(path, options(1), () => writeFileSync(path, '2 here'));
  expect(existsSync(path)).toBe(true);
});

test.each([
  ['is old', 60_000],
  ['lies in the future', -60_000],
])('a takeover that was broken off and %s keeps nobody out', async (_, age) => {
  const path = leaveLock('7 here', 60_000);
  mkdirSync(`${path}.takeover`);
  setAge(`${path}.takeover`, age);
  expect(await withLock(path, options(1), () => 'worked')).toBe('worked');
  expect(existsSync(path)).toBe(false);
  expect(existsSync(`${path}.takeover`)).toBe(false);
});

test('a stale lock that another process is taking over is left to it', async () => {
  const path = leaveLock('7 here', 60_000);
  mkdirSync(`${path}.takeover`);
  await expect(withLock(path, options(1), () => 'worked')).rejects.toMatchObject({
    details: { code: 'lock_held' },
  });
  expect(existsSync(path)).toBe(true);
});

test('a file in the way of the takeover ends in a failure, in time', async () => {
  const path = leaveLock('7 here', 60_000);
  writeFileSync(`${path}.takeover`, '');
  await expect(withLock(path, options(1), () => 'worked')).rejects.toMatchObject({
    details: { code: 'lock_held' },
  });
});

test('a takeover that this system refuses is told at once', async () => {
  const path = leaveLock('7 here', 60_000, 'n'.repeat(250));
  await expect(withLock(path, options(1), () => 'worked')).rejects.toThrow('ENAMETOOLONG');
});

test('the directory of a lock is made where it is missing', async () => {
  const path = join(temporaryDirectory(), 'deep', 'down', 'file.lock');
  expect(await withLock(path, options(1), () => existsSync(path))).toBe(true);
});

test('a directory that is a link into nowhere ends in an error, in time', async () => {
  const directory = join(temporaryDirectory(), 'link');
  symlinkSync('/nowhere/at/all', directory);
  const locked = withLock(join(directory, 'file.lock'), options(1), () => 'worked');
  await expect(locked).rejects.toThrow('ENOENT');
});

test('a directory in the place of the lock is never removed, however old', async () => {
  const path = join(temporaryDirectory(), 'file.lock');
  mkdirSync(path);
  writeFileSync(join(path, 'mine'), '');
  setAge(path, 60_000);
  await expect(withLock(path, options(1), () => 'worked')).rejects.toMatchObject({
    details: { code: 'lock_held' },
  });
  expect(existsSync(join(path, 'mine'))).toBe(true);
});

test('a lock that cannot be read is not thought unsigned', async () => {
  const path = join(temporaryDirectory(), 'file.lock');
  symlinkSync('/dev/null', path);
  lutimesSync(path, Date.now() / 1000 - 3, Date.now() / 1000 - 3);
  await expect(withLock(path, options(1), () => 'worked')).rejects.toMatchObject({
    details: { code: 'lock_held' },
  });
});

test('a pipe in the place of the lock keeps nobody waiting for longer', async () => {
  const path = join(temporaryDirectory(), 'file.lock');
  await execa('mkfifo', [path]);
  await expect(withLock(path, options(1), () => 'worked')).rejects.toMatchObject({
    details: { code: 'lock_held' },
  });
});
