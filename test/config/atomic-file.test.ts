import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { createAtomicFile } from '../../src/config/atomic-file.js';
import { temporaryDirectory } from '../support/petstore.js';

const options = { force: false, clock: systemClock, pid: 1, isProcessAlive: () => true };
const forced = { ...options, force: true };

test('gives the file its name on commit', async () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'a.csv');
  const file = await createAtomicFile(path, options);
  await file.write('one');
  await file.write(Buffer.from(' two'));
  expect(readdirSync(directory)).toEqual(['.a.csv.1.tmp']);
  await file.commit();
  await file.discard();
  expect(readdirSync(directory)).toEqual(['a.csv']);
  expect(readFileSync(path, 'utf8')).toBe('one two');
  expect(statSync(path).mode & 0o133).toBe(0);
});

test('deletes a discarded file', async () => {
  const directory = temporaryDirectory();
  const file = await createAtomicFile(join(directory, 'a.csv'), options);
  await file.write('half');
  await file.discard();
  expect(readdirSync(directory)).toEqual([]);
});

test('keeps an existing file, even one created meanwhile', async () => {
  const path = join(temporaryDirectory(), 'a.csv');
  const file = await createAtomicFile(path, options);
  await file.write('new');
  writeFileSync(path, 'mine');
  await expect(file.commit()).rejects.toMatchObject({ details: { code: 'file_exists' } });
  await file.discard();
  expect(readFileSync(path, 'utf8')).toBe('mine');
  await expect(createAtomicFile(path, options)).rejects.toMatchObject({
    details: { code: 'file_exists' },
  });
});

test('replaces an existing file on commit with force and keeps a link to it', async () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'a.csv');
  writeFileSync(path, 'old');
  symlinkSync(path, join(directory, 'link.csv'));
  const file = await createAtomicFile(join(directory, 'link.csv'), forced);
  await file.write('new');
  expect(readFileSync(path, 'utf8')).toBe('old');
  await file.commit();
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(readdirSync(directory)).toEqual(['a.csv', 'link.csv']);
});

test('keeps a symbolic link that points to no file, and reports it before anything is written', async () => {
  const directory = temporaryDirectory();
  symlinkSync(join(directory, 'missing'), join(directory, 'link.csv'));
  await expect(createAtomicFile(join(directory, 'link.csv'), options)).rejects.toMatchObject({
    details: { code: 'file_exists' },
  });
  expect(readdirSync(directory)).toEqual(['link.csv']);
});

test('removes the leftovers of dead processes only', async () => {
  const directory = temporaryDirectory();
  for (const name of ['.a.csv.7.tmp', '.a.csv.8.tmp', '.b.csv.7.tmp', '.a.csv.tmp']) {
    writeFileSync(join(directory, name), 'half');
  }
  const file = await createAtomicFile(join(directory, 'a.csv'), {
    ...options,
    isProcessAlive: (pid) => pid === 8,
  });
  await file.commit();
  expect(readdirSync(directory).sort()).toEqual(['.a.csv.8.tmp', '.a.csv.tmp', '.b.csv.7.tmp', 'a.csv']);
});

test('removes the leftover of an earlier process with the same PID', async () => {
  const path = join(temporaryDirectory(), 'a.csv');
  writeFileSync(join(path, '../.a.csv.1.tmp'), 'half of an export');
  const file = await createAtomicFile(path, options);
  await file.write('new');
  await file.commit();
  expect(readFileSync(path, 'utf8')).toBe('new');
});

test('does not follow a link that another program creates under the temporary name', async () => {
  const directory = temporaryDirectory();
  const victim = join(directory, 'victim');
  writeFileSync(victim, 'mine');
  // Its check happens after the directory was listed.
  writeFileSync(join(directory, '.a.csv.7.tmp'), '');
  const isProcessAlive = () => {
    symlinkSync(victim, join(directory, '.a.csv.1.tmp'));
    return true;
  };
  await expect(createAtomicFile(join(directory, 'a.csv'), { ...options, isProcessAlive })).rejects.toMatchObject({
    details: { code: 'cannot_write', message: expect.stringContaining('EEXIST') },
  });
  expect(readFileSync(victim, 'utf8')).toBe('mine');
});

test('writes to a device directly', async () => {
  const file = await createAtomicFile('/dev/null', options);
  await file.write('gone');
  await file.commit();
  await file.discard();
  const full = await createAtomicFile('/dev/full', options);
  await expect(full.write('x')).rejects.toMatchObject({
    kind: 'system',
    details: { hint: 'free some disk space' },
  });
  await full.discard();
});

test.each([
  ['a directory', '', 'usage'],
  ['a path in a missing directory', 'no/a.csv', 'system'],
  ['a path below a file', 'file/a.csv', 'system'],
])('rejects %s', async (_, name, kind) => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'x'));
  writeFileSync(join(directory, 'file'), '');
  await expect(createAtomicFile(join(directory, name), options)).rejects.toMatchObject({
    kind,
    details: { code: 'cannot_write' },
  });
});
