import {
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createAtomicFile } from '../../src/config/atomic-file.js';
import { temporaryDirectory } from '../support/petstore.js';

const fresh = { force: false, pid: 1, isProcessAlive: () => true };
const forced = { ...fresh, force: true };

test('a file appears under its name once it is whole', async () => {
  const directory = temporaryDirectory();
  const path = join(directory, 'a.csv');
  const file = await createAtomicFile(path, fresh);
  await file.write('one');
  await file.write(Buffer.from(' two'));
  expect(readdirSync(directory)).toEqual(['.a.csv.1.tmp']);
  await file.commit();
  await file.discard();
  expect(readdirSync(directory)).toEqual(['a.csv']);
  expect(readFileSync(path, 'utf8')).toBe('one two');
  expect(statSync(path).mode & 0o133).toBe(0);
});

test('one that is given up leaves nothing', async () => {
  const directory = temporaryDirectory();
  const file = await createAtomicFile(join(directory, 'a.csv'), fresh);
  await file.write('half');
  await file.discard();
  expect(readdirSync(directory)).toEqual([]);
});

test('an existing file is kept, also one that appears meanwhile', async () => {
  const path = join(temporaryDirectory(), 'a.csv');
  const file = await createAtomicFile(path, fresh);
  await file.write('new');
  writeFileSync(path, 'mine');
  await expect(file.commit()).rejects.toMatchObject({ details: { code: 'file_exists' } });
  await file.discard();
  expect(readFileSync(path, 'utf8')).toBe('mine');
  await expect(createAtomicFile(path, fresh)).rejects.toMatchObject({
    details: { code: 'file_exists' },
  });
});

test('with force it is replaced at the end, and a link to it stays one', async () => {
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

test('what a process that was killed has left goes, what one that lives writes stays', async () => {
  const directory = temporaryDirectory();
  for (const name of ['.a.csv.7.tmp', '.a.csv.8.tmp', '.b.csv.7.tmp', '.a.csv.tmp']) {
    writeFileSync(join(directory, name), 'half');
  }
  const file = await createAtomicFile(join(directory, 'a.csv'), {
    ...fresh,
    isProcessAlive: (id) => id === 8,
  });
  await file.commit();
  expect(readdirSync(directory).sort()).toEqual([
    '.a.csv.8.tmp',
    '.a.csv.tmp',
    '.b.csv.7.tmp',
    'a.csv',
  ]);
});

test('a device is written to as it is', async () => {
  const file = await createAtomicFile('/dev/null', fresh);
  await file.write('gone');
  await file.commit();
  await file.discard();
  const full = await createAtomicFile('/dev/full', fresh);
  await expect(full.write('x')).rejects.toMatchObject({
    kind: 'system',
    details: { hint: 'make room on the disk' },
  });
  await full.discard();
});

test.each([
  ['a directory', '', 'usage'],
  ['a place that is not there', 'no/a.csv', 'system'],
  ['a place below a file', 'file/a.csv', 'system'],
])('%s is no file', async (_, name, kind) => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'x'));
  writeFileSync(join(directory, 'file'), '');
  await expect(createAtomicFile(join(directory, name), fresh)).rejects.toMatchObject({
    kind,
    details: { code: 'unwritable_output' },
  });
});
