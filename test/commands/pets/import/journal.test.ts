import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openFiles } from '../../../../src/app/files.js';
import { systemClock } from '../../../../src/clock.js';
import { type JournalRow, readJournal, startJournal } from '../../../../src/commands/pets/import/journal.js';
import { temporaryDirectory } from '../../../support/petstore.js';
import { mountSmallDisk } from '../../../support/temp-folder.js';

const header = { service: 's', account: 'a', path: '/pets.csv', digest: 'd', prefix: 'p', at: 1 };
const { journals } = openFiles({ clock: systemClock, signal: new AbortController().signal }, '/nowhere');

/** Opens a journal; `isHeld` returns whether its lock is held. */
async function open(
  path: string,
  { isHeld = () => true, ...own }: Partial<typeof header & { isHeld(): boolean }> = {},
) {
  const lock = { isHeld, release: () => {} };
  const content = readJournal(journals, path);
  return startJournal(await journals.open(path, content.size), content, { ...header, ...own }, lock);
}

function contentOf(path: string): readonly (readonly [string, JournalRow])[] {
  return [...readJournal(journals, path).rows];
}

test('the state of each row survives a crash', async () => {
  const path = join(temporaryDirectory(), 'imports/one.journal');
  const { record } = await open(path);
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((sent) => record({ sent, at: 5 })));
  for (const event of [{ added: 'a' }, { rejected: 'b', reason: 'r' }, { unsent: 'c' }, { unknown: 'd' }]) {
    void record(event);
  }
  // Not closed: simulates a crash.
  const expected = [
    ['a', { state: 'added' }],
    ['b', { state: 'rejected', reason: 'r' }],
    ['d', { state: 'unknown' }],
    ['e', { state: 'sent', sentAt: 5, account: 'a' }],
  ];
  expect(contentOf(path)).toEqual(expected);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  // The first sending and its account count.
  await (await open(path, { account: 'b' })).record({ sent: 'e', at: 6 });
  expect(contentOf(path)).toEqual(expected);
});

test('all runs share the prefix of the idempotency keys', async () => {
  const path = join(temporaryDirectory(), 'one.journal');
  (await open(path)).close();
  appendFileSync(path, '{"petst');
  expect((await open(path, { prefix: 'q' })).prefix).toBe('p');
  expect(readJournal(journals, path).headers).toMatchObject([header, header]);
});

test.each(['{"sent":"€€', '{"added":"a"}', '\0\0\0\0'])(
  'a last line %j without a line feed is cut off',
  async (rest) => {
    const path = join(temporaryDirectory(), 'one.journal');
    await (await open(path)).record({ sent: 'a', at: 5 });
    appendFileSync(path, Buffer.from(rest).subarray(0, -1));
    expect(contentOf(path)).toEqual([['a', { state: 'sent', sentAt: 5, account: 'a' }]]);
    const before = readFileSync(path, 'utf8').split('\n', 2);
    await open(path);
    expect(readFileSync(path, 'utf8').split('\n')).toEqual([...before, before[0], '']);
  },
);

test('a damaged line in the middle is an error', async () => {
  const path = join(temporaryDirectory(), 'one.journal');
  (await open(path)).close();
  appendFileSync(path, '{"sen\n{"added":"a"}\n');
  expect(() => contentOf(path)).toThrow('is not an import journal, or it is damaged');
});

test('a journal whose lock was taken over records nothing but additions', async () => {
  let isHeld = true;
  const path = join(temporaryDirectory(), 'one.journal');
  const { record } = await open(path, { isHeld: () => isHeld });
  await record({ sent: 'a', at: 5 });
  isHeld = false;
  for (const event of [{ sent: 'b', at: 5 }, { unsent: 'a' }, { unknown: 'a' }, { rejected: 'a', reason: 'r' }]) {
    expect(() => record(event)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ code: 'lock_held' }) }),
    );
  }
  await record({ added: 'a' });
  expect(contentOf(path)).toEqual([['a', { state: 'added' }]]);
});

test('a row that was added stays added, whatever a suspended process records later', async () => {
  const path = join(temporaryDirectory(), 'one.journal');
  const { record } = await open(path);
  for (const event of [{ added: 'a' }, { sent: 'a', at: 5 }, { unsent: 'a' }]) await record(event);
  expect(contentOf(path)).toEqual([['a', { state: 'added' }]]);
});

const disk = mountSmallDisk();

test.skipIf(disk === undefined)(
  'a full disk fails the row, and every later one (needs root to mount one)',
  async () => {
    const { record } = await open(join(disk ?? '', 'one.journal'));
    const send = async (sent: string) => record({ sent, at: 5 });
    const fill = async () => {
      for (let row = 0; ; row += 1) await send('x'.repeat(1_000) + row);
    };
    await expect(fill()).rejects.toMatchObject({ details: { code: 'cannot_write' } });
    await expect(send('a')).rejects.toMatchObject({ details: { code: 'cannot_write' } });
  },
);
