import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { createAtomicFile, createLocks, makeDirectory } from '../../src/config/files.js';
import { autoAdvancingClock } from '../support/clock.js';
import { temporaryDirectory } from '../support/petstore.js';

describe('a lock', () => {
  const lockHeld = { kind: 'system', details: { code: 'lock_held' } };
  const newLockPath = () => join(temporaryDirectory(), 'file.lock');

  function leaveLock(ageMs = 0): string {
    const path = newLockPath();
    writeFileSync(path, 'a token');
    setAge(path, ageMs);
    return path;
  }

  function setAge(path: string, ageMs: number): void {
    const then = (Date.now() - ageMs) / 1000;
    utimesSync(path, then, then);
  }

  /** Runs work under the lock on a clock whose sleeps take no time. */
  function tryLock(path: string, work: () => unknown = () => 'worked'): Promise<unknown> {
    return createLocks({ clock: autoAdvancingClock(Date.now()) }).withLock(path, work);
  }

  /** Like `tryLock`, while the holder of the lock renews it. */
  function tryHeldLock(path: string): Promise<unknown> {
    const clock = autoAdvancingClock(Date.now());
    const sleep = async (ms: number) => {
      await clock.sleep(ms);
      utimesSync(path, clock.now() / 1000, clock.now() / 1000);
    };
    return createLocks({ clock: { ...clock, sleep } }).withLock(path, () => 'worked');
  }

  test('lets one process work at a time', async () => {
    const path = newLockPath();
    let running = 0;
    let maxRunning = 0;
    const work = async () => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await systemClock.sleep(5);
      running -= 1;
    };
    const runs = Array.from({ length: 10 }, () => createLocks({ clock: systemClock }).withLock(path, work));
    await Promise.all(runs);
    expect(maxRunning).toBe(1);
    expect(existsSync(path)).toBe(false);
  });

  test('is released if the work fails', async () => {
    const path = newLockPath();
    await expect(tryLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(path)).toBe(false);
  });

  test.each([3_100, 60_000, -60_000])('that was renewed %i ms ago is taken over', async (age) => {
    const path = leaveLock(age);
    expect(await tryLock(path)).toBe('worked');
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });

  test('that its holder renews is waited for, then fails', async () => {
    const path = leaveLock();
    await expect(tryHeldLock(path)).rejects.toMatchObject(lockHeld);
    expect(readFileSync(path, 'utf8')).toBe('a token');
  });

  test('that another process took over is neither held nor released', async () => {
    const path = newLockPath();
    const clock = autoAdvancingClock(Date.now());
    const lock = await createLocks({ clock }).acquire(path);
    expect(lock.isHeld()).toBe(true);
    writeFileSync(path, 'another token');
    clock.advance(20_000);
    expect(lock.isHeld()).toBe(false);
    lock.release();
    expect(existsSync(path)).toBe(true);
  });

  test('is taken over by one of several processes', async () => {
    const path = leaveLock(60_000);
    let count = 0;
    const locks = Array.from({ length: 5 }, () => createLocks({ clock: systemClock }));
    const work = async () => {
      count += 1;
      expect(count).toBe(1);
      await systemClock.sleep(2);
      count -= 1;
    };
    await Promise.all(locks.map(({ withLock }) => withLock(path, work)));
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });
});

test('replaces a private file, whatever has the name of its temporary file', async () => {
  const path = join(temporaryDirectory(), 'a.json');
  writeFileSync(`${path}.tmp`, 'half of a longer text');
  const { replaceFile } = createLocks({ clock: systemClock });
  await replaceFile(path, 'one');
  await replaceFile(path, 'two');
  expect(readFileSync(path, 'utf8')).toBe('two');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(path, '..'))).toEqual(['a.json']);
});

test('creates private directories', () => {
  const path = join(temporaryDirectory(), 'a', 'b', 'c');
  makeDirectory(path);
  makeDirectory(path);
  for (const created of [path, join(path, '..')]) expect(statSync(created).mode & 0o777).toBe(0o700);
});

describe('an atomic file', () => {
  const options = { force: false, clock: systemClock };

  test('gets its name on commit', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'a.csv');
    const file = await createAtomicFile(path, options);
    await file.write('one');
    await file.write(Buffer.from(' two'));
    expect(readdirSync(directory)).toEqual([expect.stringMatching(/^\.a\.csv\.\w+\.tmp$/)]);
    await file.commit();
    await file.discard();
    expect(readdirSync(directory)).toEqual(['a.csv']);
    expect(readFileSync(path, 'utf8')).toBe('one two');
    expect(statSync(path).mode & 0o133).toBe(0);
  });

  test('keeps an existing file, even one created meanwhile', async () => {
    const path = join(temporaryDirectory(), 'a.csv');
    const exists = { details: { code: 'file_exists' } };
    const file = await createAtomicFile(path, options);
    await file.write('new');
    writeFileSync(path, 'mine');
    await expect(file.commit()).rejects.toMatchObject(exists);
    await file.discard();
    expect(readFileSync(path, 'utf8')).toBe('mine');
    await expect(createAtomicFile(path, options)).rejects.toMatchObject(exists);
  });

  test('replaces an existing file with force and keeps its mode', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'a.csv');
    writeFileSync(path, 'old', { mode: 0o600 });
    const file = await createAtomicFile(path, { ...options, force: true });
    await file.write('new');
    expect(readFileSync(path, 'utf8')).toBe('old');
    await file.commit();
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['a.csv']);
  });

  test('writes to a device directly', async () => {
    const file = await createAtomicFile('/dev/null', options);
    await file.write('gone');
    await file.commit();
    await file.discard();
    const full = await createAtomicFile('/dev/full', options);
    const noSpace = { kind: 'system', details: { hint: 'free some disk space' } };
    await expect(full.write('x')).rejects.toMatchObject(noSpace);
    await full.discard();
  });

  test.each([
    ['a path in a missing directory', 'no/a.csv', 'system', ' (no such directory)'],
    ['a path below a file', 'file/a.csv', 'system', ' (ENOTDIR)'],
  ])('cannot be %s', async (_, name, kind, reason) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'file'), '');
    const path = join(directory, name);
    await expect(createAtomicFile(path, options)).rejects.toMatchObject({
      kind,
      details: { code: 'cannot_write', message: `cannot write ${path}${reason}` },
    });
  });
});
