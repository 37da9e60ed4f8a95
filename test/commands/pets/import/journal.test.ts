import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFiles } from '../../../../src/app/files.js';
import { systemClock } from '../../../../src/clock.js';
import {
  type JournalRow,
  readHeaders,
  readJournal,
  startJournal,
} from '../../../../src/commands/pets/import/journal.js';
import { temporaryDirectory } from '../../../support/petstore.js';
import { mountSmallDisk } from '../../../support/temp-folder.js';

const header = { service: 's', account: 'a', path: '/pets.csv', rows: 3, digest: 'd', prefix: 'p' };

function openStore(directory: string) {
  const runtime = { clock: systemClock, signal: new AbortController().signal };
  return openFiles(runtime as never, directory).journals;
}

/** Opens a journal of a file; `isHeld` returns whether its lock is held. */
async function open(path: string, more: { readonly account?: string; readonly isHeld?: () => boolean } = {}) {
  const store = openStore(join(path, '..'));
  const content = readJournal(store.readLines(path), path);
  const lock = { isHeld: more.isHeld ?? (() => true), release: () => {} };
  const own = { ...header, account: more.account ?? header.account };
  return startJournal(await store.open(path), content, { header: own, lock, now: () => 5 });
}

function contentOf(path: string): readonly (readonly [string, JournalRow])[] {
  return [...readJournal(openStore(join(path, '..')).readLines(path), path).rows];
}

test('the state of each row survives a crash', async () => {
  const path = join(temporaryDirectory(), 'imports/one.journal');
  const journal = await open(path);
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => journal.markSent(key)));
  journal.markAdded('a', '73');
  journal.markRejected('b', 'bad: "no"\nsuch pet');
  journal.markUnsent('c');
  journal.markUnknown('d');
  // Not closed: simulates a crash.
  const expected = [
    ['a', { state: 'added' }],
    ['b', { state: 'rejected' }],
    ['d', { state: 'unknown' }],
    ['e', { state: 'sent', sentAt: 5, account: 'a' }],
  ];
  expect(contentOf(path)).toEqual(expected);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  // The first sending and its account count.
  const next = await open(path, { account: 'b' });
  await next.markSent('e');
  expect(next.isOwn(next.getRow('e') as JournalRow)).toBe(false);
  expect(contentOf(path)).toEqual(expected);
});

test('all runs share the prefix of the idempotency keys', async () => {
  const path = join(temporaryDirectory(), 'one.journal');
  await (await open(path)).close();
  appendFileSync(path, '{"petst');
  const journal = await open(path);
  expect(journal.getIdempotencyKey('a')).toBe('p-a');
  const headers = readHeaders(openStore('/').readLines(path), path);
  expect(headers).toMatchObject([header, header]);
});

test.each(['{"sent":"€€', '{"added":"a","id":"1"}', '\0\0\0\0'])(
  'a last line %j without a line feed is cut off',
  async (rest) => {
    const path = join(temporaryDirectory(), 'one.journal');
    const journal = await open(path);
    await journal.markSent('a');
    await journal.close();
    appendFileSync(path, rest);
    expect(contentOf(path)).toEqual([['a', { state: 'sent', sentAt: 5, account: 'a' }]]);
    await (await open(path)).close();
    expect(readFileSync(path, 'utf8')).not.toContain(rest);
  },
);

test('a damaged line in the middle is an error', async () => {
  const path = join(temporaryDirectory(), 'one.journal');
  await (await open(path)).close();
  appendFileSync(path, '{"sen\n{"added":"a","id":"1"}\n');
  expect(() => contentOf(path)).toThrow('is not an import journal, or it is damaged');
});

test('a journal whose lock was taken over announces no further row', async () => {
  const journal = await open(join(temporaryDirectory(), 'one.journal'), { isHeld: () => false });
  await expect(journal.markSent('a')).rejects.toMatchObject({ details: { code: 'lock_held' } });
});

test('a full disk fails the row, and every later one', async () => {
  const disk = mountSmallDisk();
  if (disk === undefined) return;
  const journal = await open(join(disk, 'one.journal'));
  const fill = async () => {
    for (let row = 0; ; row += 1) await journal.markSent('x'.repeat(1_000) + row);
  };
  await expect(fill()).rejects.toMatchObject({ details: { code: 'cannot_write' } });
  await expect(journal.markSent('a')).rejects.toMatchObject({ details: { code: 'cannot_write' } });
});
