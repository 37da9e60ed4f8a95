import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { acquireLock, createAtomicFile, makeDirectory, replaceFile, withLock } from '../../src/config/files.js';
import { autoAdvancingClock } from '../support/clock.js';
import { temporaryDirectory } from '../support/petstore.js';

describe('a lock', () => {
  const lockHeld = { kind: 'system', details: { code: 'lock_held' } };
  const newFile = () => join(temporaryDirectory(), 'file');

  /** Returns a file that another process has locked. */
  function leaveLock(ageMs = 0): string {
    const file = newFile();
    writeFileSync(`${file}.lock`, 'a token');
    setAge(`${file}.lock`, ageMs);
    return file;
  }

  function setAge(path: string, ageMs: number): void {
    const then = (Date.now() - ageMs) / 1000;
    utimesSync(path, then, then);
  }

  /** Runs work under the lock on a clock whose sleeps take no time. */
  function tryLock(file: string, work: () => unknown = () => 'worked'): Promise<unknown> {
    return withLock(file, { clock: autoAdvancingClock(Date.now()) }, work);
  }

  /** Like `tryLock`, while the holder of the lock renews it. */
  function tryHeldLock(file: string): Promise<unknown> {
    const clock = autoAdvancingClock(Date.now());
    const sleep = async (ms: number) => {
      await clock.sleep(ms);
      setAge(`${file}.lock`, Date.now() - clock.now());
    };
    return withLock(file, { clock: { ...clock, sleep } }, () => 'worked');
  }

  test('lets one process work at a time', async () => {
    const file = newFile();
    let running = 0;
    let maxRunning = 0;
    const work = async () => {
      running += 1;
      maxRunning = Math.max(maxRunning, running);
      await systemClock.sleep(5);
      running -= 1;
    };
    const runs = Array.from({ length: 10 }, () => withLock(file, { clock: systemClock }, work));
    await Promise.all(runs);
    expect(maxRunning).toBe(1);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test('is released if the work fails', async () => {
    const file = newFile();
    await expect(tryLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test.each([3_100, 60_000, -60_000])('that was renewed %i ms ago is taken over', async (age) => {
    const file = leaveLock(age);
    expect(await tryLock(file)).toBe('worked');
    expect(readdirSync(join(file, '..'))).toEqual([]);
  });

  test('that its holder renews is waited for, then fails', async () => {
    const file = leaveLock();
    await expect(tryHeldLock(file)).rejects.toMatchObject(lockHeld);
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('a token');
  });

  test('that another process took over is neither held nor released', async () => {
    const file = newFile();
    const clock = autoAdvancingClock(Date.now());
    const lock = await acquireLock(file, { clock });
    expect(lock.isHeld()).toBe(true);
    writeFileSync(`${file}.lock`, 'another token');
    clock.advance(20_000);
    expect(lock.isHeld()).toBe(false);
    lock.release();
    expect(existsSync(`${file}.lock`)).toBe(true);
  });

  test('is taken over by one of several processes', async () => {
    const file = leaveLock(60_000);
    let count = 0;
    const work = async () => {
      count += 1;
      expect(count).toBe(1);
      await systemClock.sleep(2);
      count -= 1;
    };
    await Promise.all(Array.from({ length: 5 }, () => withLock(file, { clock: systemClock }, work)));
    expect(readdirSync(join(file, '..'))).toEqual([]);
  });
});

test('replaces a private file, whatever has the name of its temporary file', async () => {
  const path = join(temporaryDirectory(), 'a.json');
  writeFileSync(`${path}.tmp`, 'half of a longer text');
  await replaceFile(path, 'one', systemClock);
  await replaceFile(path, 'two', systemClock);
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
  const create = (path: string, force = false) => createAtomicFile(path, force, systemClock);

  test('gets its name on commit', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'a.csv');
    const file = await create(path);
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
    const file = await create(path);
    await file.write('new');
    writeFileSync(path, 'mine');
    await expect(file.commit()).rejects.toMatchObject(exists);
    await file.discard();
    expect(readFileSync(path, 'utf8')).toBe('mine');
    await expect(create(path)).rejects.toMatchObject(exists);
  });

  test('replaces an existing file with force and keeps its mode', async () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'a.csv');
    writeFileSync(path, 'old', { mode: 0o600 });
    const file = await create(path, true);
    await file.write('new');
    expect(readFileSync(path, 'utf8')).toBe('old');
    await file.commit();
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(directory)).toEqual(['a.csv']);
  });

  test('writes to a device directly', async () => {
    const file = await create('/dev/null');
    await file.write('gone');
    await file.commit();
    await file.discard();
    const full = await create('/dev/full');
    const noSpace = { kind: 'system', details: { hint: 'free some disk space' } };
    await expect(full.write('x')).rejects.toMatchObject(noSpace);
    await full.discard();
  });

  test.each([
    ['a path in a missing directory', 'no/a.csv', 'system', ' (no such directory)'],
    ['a path below a file', 'file/a.csv', 'system', ' (ENOTDIR)'],
    ['a directory', '.', 'system', ' (is a directory)'],
  ])('cannot be %s', async (_, name, kind, reason) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'file'), '');
    const path = join(directory, name);
    await expect(create(path)).rejects.toMatchObject({
      kind,
      details: { code: 'cannot_write', message: `cannot write ${path}${reason}` },
    });
  });
});
