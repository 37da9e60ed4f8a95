import { existsSync, lutimesSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { createLocks } from '../../src/config/lock.js';
import { temporaryDirectory } from '../support/petstore.js';

/** Locks of process `pid` on the host `here`. */
function locksOf(pid: number, isProcessAlive = true) {
  const lockOwner = { pid, host: 'here', isProcessAlive: () => isProcessAlive };
  return createLocks({ clock: systemClock, lockOwner });
}

/** Takes the lock, runs nothing under it, and returns `'worked'`. */
function tryLock(path: string, isOwnerAlive = true): Promise<string> {
  return locksOf(1, isOwnerAlive).withLock(path, () => 'worked', 300);
}

const lockHeld = { kind: 'system', details: { code: 'lock_held' } };

const newLockPath = () => join(temporaryDirectory(), 'file.lock');

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

test('runs work of several processes one at a time', async () => {
  const path = newLockPath();
  let running = 0;
  let maxRunning = 0;
  const work = async () => {
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    await systemClock.sleep(5);
    running -= 1;
  };
  const runs = Array.from({ length: 10 }, (_, pid) => locksOf(pid).withLock(path, work, 5_000));
  await Promise.all(runs);
  expect(maxRunning).toBe(1);
  expect(existsSync(path)).toBe(false);
});

test('releases the lock if the work fails', async () => {
  const path = newLockPath();
  const failing = locksOf(1).withLock(path, () => Promise.reject(new Error('no')));
  await expect(failing).rejects.toThrow('no');
  expect(existsSync(path)).toBe(false);
});

test.each([
  ['of a dead process', '7 here', 0, false],
  ['that is empty and old', '', 60_000, true],
  ['that has been empty for longer than writing takes', '', 3_000, true],
  ['that is old, even if its process is alive', '7 here', 60_000, true],
  ['of another host that is old', '7 there', 60_000, true],
  ['whose time is in the future', '7 here', -60_000, true],
  ['of another host whose time is in the future', '7 there', -60_000, true],
])('takes over a lock %s', async (_, content, age, isOwnerAlive) => {
  const path = leaveLock(content, age);
  expect(await tryLock(path, isOwnerAlive)).toBe('worked');
  expect(existsSync(path)).toBe(false);
});

test.each([
  ['of a living process', '7 here', true],
  ['of another host', '7 there', false],
  ['that was created just now', '', false],
])('times out on a lock %s and keeps it', async (_, content, isOwnerAlive) => {
  const path = leaveLock(content);
  await expect(tryLock(path, isOwnerAlive)).rejects.toMatchObject(lockHeld);
  expect(existsSync(path)).toBe(true);
});

test('does not release a lock that another process has taken over', async () => {
  const path = newLockPath();
  await locksOf(1).withLock(path, () => writeFileSync(path, '2 here'));
  expect(existsSync(path)).toBe(true);
});

test.each([
  ['old', 60_000],
  ['in the future', -60_000],
])('ignores an aborted takeover whose time is %s', async (_, age) => {
  const path = leaveLock('7 here', 60_000);
  mkdirSync(`${path}.takeover`);
  setAge(`${path}.takeover`, age);
  expect(await tryLock(path)).toBe('worked');
  expect(existsSync(path)).toBe(false);
  expect(existsSync(`${path}.takeover`)).toBe(false);
});

test('leaves a stale lock to the process that is taking it over', async () => {
  const path = leaveLock('7 here', 60_000);
  mkdirSync(`${path}.takeover`);
  await expect(tryLock(path)).rejects.toMatchObject(lockHeld);
  expect(existsSync(path)).toBe(true);
});

test('leaves a lock that another process takes over between the check and the takeover', () => {
  const path = leaveLock('7 here');
  const isProcessAlive = (pid: number) => {
    if (pid !== 7) return true;
    writeFileSync(path, '8 here');
    return false;
  };
  const locks = createLocks({ clock: systemClock, lockOwner: { pid: 1, host: 'here', isProcessAlive } });
  expect(() => locks.acquire(path, 'is busy')).toThrow('another petstore process is busy');
  expect(readFileSync(path, 'utf8')).toBe('8 here');
});

test('times out if a file blocks the takeover', async () => {
  const path = leaveLock('7 here', 60_000);
  writeFileSync(`${path}.takeover`, '');
  await expect(tryLock(path)).rejects.toMatchObject(lockHeld);
});

test('reports a takeover that the file system rejects', async () => {
  const path = leaveLock('7 here', 60_000, 'n'.repeat(250));
  await expect(tryLock(path)).rejects.toThrow('ENAMETOOLONG');
});

test('creates the directory of the lock', async () => {
  const path = join(temporaryDirectory(), 'deep', 'down', 'file.lock');
  expect(await locksOf(1).withLock(path, () => existsSync(path))).toBe(true);
});

test('rejects a directory that is a broken link', async () => {
  const directory = join(temporaryDirectory(), 'link');
  symlinkSync('/nowhere/at/all', directory);
  await expect(tryLock(join(directory, 'file.lock'))).rejects.toThrow('ENOENT');
});

test('never removes an old directory with the name of the lock', async () => {
  const path = newLockPath();
  mkdirSync(path);
  writeFileSync(join(path, 'mine'), '');
  setAge(path, 60_000);
  await expect(tryLock(path)).rejects.toMatchObject(lockHeld);
  expect(existsSync(join(path, 'mine'))).toBe(true);
});

test('does not treat an unreadable lock as empty', async () => {
  const path = newLockPath();
  symlinkSync('/dev/null', path);
  lutimesSync(path, Date.now() / 1000 - 3, Date.now() / 1000 - 3);
  await expect(tryLock(path)).rejects.toMatchObject(lockHeld);
});

test('times out on a named pipe with the name of the lock', async () => {
  const path = newLockPath();
  await execa('mkfifo', [path]);
  await expect(tryLock(path)).rejects.toMatchObject(lockHeld);
});
