import {
  appendFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/clock.js';
import { readEarlierImport } from '../../../../src/commands/pets/import/earlier-imports.js';
import type { RowState } from '../../../../src/commands/pets/import/journal-file.js';
import {
  type EarlierRuns,
  type JournalOptions,
  openJournal,
} from '../../../../src/commands/pets/import/open-journal.js';
import { createLocks } from '../../../../src/config/files.js';
import { canceledError, Failure } from '../../../../src/failure.js';
import { temporaryDirectory } from '../../../support/petstore.js';
import { settle } from '../../../support/quota-store.js';
import { mountSmallDisk } from '../../../support/small-disk.js';

const source = { name: '/home/a/pets.csv', digest: 'd1' };
const identity = {
  account: 'a1',
  origin: 'https://store.example',
  dataId: undefined,
  source,
  format: 'csv',
  rows: 100,
  rowsDigest: 'r100',
};

function open(path: string, options: Partial<JournalOptions> = {}) {
  const locks = createLocks({ clock: systemClock });
  return openJournal({ path, ...identity, locks, createUuid: () => 'u1', platform: 'linux', ...options });
}

/** Opens a journal with locks that another process holds for longer than this one waits. */
function openLocked(path: string, options: Partial<JournalOptions> = {}) {
  let now = Date.now();
  const sleep = async () => {
    now += 6_000;
  };
  return open(path, { ...options, locks: createLocks({ clock: { now: () => now, sleep } }) });
}

function newPath(): string {
  return join(temporaryDirectory(), 'imports/one.journal');
}

async function statesOf(path: string, rows: number): Promise<readonly RowState[]> {
  const journal = await open(path);
  const states = Array.from({ length: rows }, (_, row) => journal.getState(row + 1));
  await journal.close();
  return states;
}

test('the state of each row survives a crash', async () => {
  const path = newPath();
  const journal = await open(path);
  for (const row of [1, 2, 3, 4]) await journal.markSent(row);
  journal.markAdded(1, '73');
  journal.markRejected(2, 'bad: "no"\nsuch pet');
  journal.markNotSent(4);
  // Not closed: simulates a crash.
  utimesSync(`${path}.lock`, 0, 0);
  const next = await open(path);
  expect([1, 2, 3, 4, 5].map(next.getState)).toEqual(['added', 'rejected', 'sent', 'new', 'new']);
  expect(next.getRejectReason(2)).toBe('bad: "no"\nsuch pet');
  expect(next).toMatchObject({ sentRows: 3, isFinished: false });
  await next.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('a journal is finished until another row is sent', async () => {
  const path = newPath();
  const first = await open(path);
  await first.markSent(1);
  first.markAdded(1, '1');
  await first.finish();
  await first.close();
  const second = await open(path);
  expect(second.isFinished).toBe(true);
  await second.markSent(2);
  await second.close();
  const third = await open(path);
  expect(third.isFinished).toBe(false);
  await third.close();
});

test.each(['+2 7', '+', '>', '~9 1', '~9', '-2 "x', '.', '{"petst', '\0\0\0\0'])(
  'a truncated last line %j is ignored',
  async (truncated) => {
    const path = newPath();
    const journal = await open(path);
    await journal.markSent(1);
    await journal.markSent(2);
    // Lengths count bytes, not characters.
    journal.markRejected(3, '€'.repeat(10));
    journal.markAdded(1, '1');
    await journal.close();
    appendFileSync(path, truncated);
    expect(await statesOf(path, 4)).toEqual(['added', 'sent', 'rejected', 'new']);
    expect(await statesOf(path, 4)).toEqual(['added', 'sent', 'rejected', 'new']);
    expect(readFileSync(path, 'utf8')).not.toContain(`${truncated}{`);
  },
);

test('a journal with a truncated header starts again', async () => {
  const path = newPath();
  await (await open(path)).close();
  writeFileSync(path, readFileSync(path, 'utf8').slice(0, 30));
  expect(await statesOf(path, 1)).toEqual(['new']);
});

test('after a reboot all rows that may have been sent have the state sent', async () => {
  const path = newPath();
  const journal = await open(path);
  await journal.markSent(1);
  journal.markAdded(1, '1');
  await journal.close();
  const [header = '', ...lines] = readFileSync(path, 'utf8').split('\n');
  const boot = JSON.parse(header).boot as string;
  writeFileSync(path, [header.replace(boot, 'before'), ...lines].join('\n'));
  for (const _ of ['first', 'second']) {
    const states = await statesOf(path, 40);
    expect(states.indexOf('new')).toBe(33);
    expect(states.slice(1, 33).every((state) => state === 'sent')).toBe(true);
    expect(states[0]).toBe('added');
  }
});

test.each([
  ['text without a line feed', 'my notes'],
  ['text', 'my notes\nand more\n'],
  ['JSON that is not a header', '{"name":"Rex","categoryId":1}\n'],
  ['a JSON array', '[]'],
])('rejects and keeps a file with %s', async (_, content) => {
  const path = join(temporaryDirectory(), 'notes');
  writeFileSync(path, content);
  await expect(open(path)).rejects.toMatchObject({
    kind: 'usage',
    details: { code: 'other_journal' },
  });
  expect(readFileSync(path, 'utf8')).toBe(content);
});

test.each([
  ['account', { account: 'a2', origin: 'https://other.example.com' }, 'other_journal'],
  ['input', { source: { ...source, digest: 'd2' } }, 'other_journal'],
  ['format', { format: 'ndjson' }, 'other_journal'],
])('rejects and keeps the journal of an import with another %s', async (_, other: object, code) => {
  const path = newPath();
  await (await open(path)).close();
  const before = readFileSync(path, 'utf8');
  await expect(open(path, other)).rejects.toMatchObject({ details: { code } });
  expect(readFileSync(path, 'utf8')).toBe(before);
  await (await open(path)).close();
});

test('a process that lost its lock while it was stopped sends nothing', async () => {
  const path = newPath();
  const clock = { ...systemClock, now: () => now };
  let now = Date.now();
  const journal = await openJournal({
    path,
    ...identity,
    locks: createLocks({ clock }),
    createUuid: () => 'u1',
    platform: 'linux',
  });
  await journal.markSent(1);
  writeFileSync(`${path}.lock`, '2 here');
  now += 20_000;
  await expect(journal.markSent(2)).rejects.toMatchObject({
    details: { code: 'lock_held' },
  });
  expect(journal.getState(2)).toBe('new');
});

test('a row is sent only after its reservation is synced to the disk', async () => {
  const path = newPath();
  const journal = await open(path);
  const marking = journal.markSent(1);
  // The sync ends in another turn of the event loop.
  await settle();
  expect(journal.getState(1)).toBe('new');
  await marking;
  expect(journal.getState(1)).toBe('sent');
  await journal.close();
});

test('the age of a key counts from the first reservation of its row', async () => {
  const hourMs = 3_600_000;
  let now = Date.now();
  const clock = { ...systemClock, now: () => now };
  const journal = await open(newPath(), { locks: createLocks({ clock }) });
  await journal.markSent(1);
  now += 23 * hourMs;
  // Reserves rows again that were reserved with row 1.
  await journal.markSent(30);
  now += 2 * hourMs;
  const areStored = [30, 60].map((row) => journal.isKeyStored(row, 24 * hourMs));
  expect(areStored).toEqual([false, true]);
  await journal.close();
});

test('with another API key, rows that were sent have no stored key, also in later runs', async () => {
  const path = newPath();
  const first = await open(path);
  await first.markSent(1);
  expect(first.isKeyStored(1, 86_400_000)).toBe(true);
  await first.close();
  for (const run of [1, 2]) {
    const journal = await open(path, { account: 'a2' });
    expect(journal.getState(1)).toBe('sent');
    expect(journal.isKeyStored(1, 86_400_000)).toBe(false);
    // The first run reserved this row, but did not send it.
    await journal.markSent(1 + run);
    expect(journal.isKeyStored(1 + run, 86_400_000)).toBe(true);
    await journal.close();
  }
});

const smallDisk = mountSmallDisk();

test.skipIf(smallDisk === undefined)(
  'no row follows one that a full disk cut off (needs root to mount one)',
  async () => {
    const path = join(smallDisk ?? '', 'one.journal');
    const ballast = join(smallDisk ?? '', 'ballast');
    const journal = await open(path);
    expect(() => writeFileSync(ballast, Buffer.alloc(3_000_000))).toThrow('ENOSPC');
    let row = 0;
    const fill = () => {
      for (;;) {
        journal.markRejected(row + 1, 'too long');
        row += 1;
      }
    };
    expect(fill).toThrow('ENOSPC');
    const written = readFileSync(path, 'utf8').split('\n');
    expect(written.filter((line) => line.startsWith('-'))).toHaveLength(row + (written.at(-1) === '' ? 0 : 1));
    rmSync(ballast);
    expect(() => journal.markRejected(row + 1, 'too long')).toThrow('ENOSPC');
    await journal.close();
  },
);

test('a row takes one byte of memory', async () => {
  const path = newPath();
  const rows = 1_000_000;
  await (await open(path)).close();
  appendFileSync(path, Array.from({ length: rows }, (_, row) => `+${row + 1} ${row}\n`).join(''));
  const before = process.memoryUsage().arrayBuffers;
  const journal = await open(path);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  expect([1, rows, rows + 1].map(journal.getState)).toEqual(['added', 'added', 'new']);
  expect(journal.sentRows).toBe(rows);
  await journal.close();
});

test('an import continues the journal of an earlier version of its input', async () => {
  const earlierPath = newPath();
  const first = await open(earlierPath, { rows: 3 });
  for (const row of [1, 2, 3]) {
    await first.markSent(row);
    first.markAdded(row, String(row));
  }
  await first.finish();
  await first.close();
  const earlier = await readEarlierImport(earlierPath, undefined);
  expect(earlier).toMatchObject({ path: earlierPath, isFinished: true, header: { digest: 'd1', rows: 3 } });
  const path = join(dirname(earlierPath), 'two.journal');
  const longer = { source: { ...source, digest: 'd2' }, rows: 5, rowsDigest: 'r5', earlier };
  const second = await open(path, longer);
  expect(second).toMatchObject({ sentRows: 3, isFinished: false });
  await expect(openLocked(path, longer)).rejects.toMatchObject({
    details: { code: 'lock_held', message: 'another petstore process is running this import' },
  });
  await second.close();
  expect(readdirSync(dirname(path))).toEqual(['two.journal']);
  // A power cut must not mark appended rows as sent, although rows up to 35 were reserved.
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/"boot":"[^"]*"/g, '"boot":"other"'));
  const third = await open(path, { ...longer, earlier: undefined });
  expect([1, 2, 3, 4, 5].map(third.getState)).toEqual(['added', 'added', 'added', 'new', 'new']);
  await third.close();
});

test('an import that the user cancels leaves the journal that it would continue', async () => {
  const earlierPath = newPath();
  const first = await open(earlierPath, { rows: 3 });
  await first.markSent(1);
  await first.close();
  const before = readFileSync(earlierPath, 'utf8');
  const earlier = await readEarlierImport(earlierPath, undefined);
  const path = join(dirname(earlierPath), 'two.journal');
  const confirm = async (runs: EarlierRuns) => {
    expect(runs).toEqual({ isFinished: false, sentRows: 1, hasUnknownRows: true });
    throw canceledError();
  };
  const longer = { source: { ...source, digest: 'd2' }, rows: 5, rowsDigest: 'r5', earlier, confirm };
  await expect(open(path, longer)).rejects.toMatchObject({ kind: 'canceled' });
  expect(readdirSync(dirname(path))).toEqual(['one.journal']);
  expect(readFileSync(earlierPath, 'utf8')).toBe(before);
  const resumed = await open(earlierPath, { rows: 3 });
  expect(resumed.sentRows).toBe(1);
  await resumed.close();
});

test('a process that lost its lock during the question changes no journal', async () => {
  const path = newPath();
  let now = Date.now();
  const clock = { ...systemClock, now: () => now };
  const confirm = async () => {
    writeFileSync(`${path}.lock`, '2 here');
    now += 20_000;
  };
  const opening = open(path, { locks: createLocks({ clock }), confirm });
  await expect(opening).rejects.toMatchObject({ details: { code: 'lock_held' } });
  expect(existsSync(path)).toBe(false);
});

test('only one process can open a journal, also through a symbolic link', async () => {
  const path = newPath();
  await (await open(path)).close();
  symlinkSync(path, `${path}.link`);
  const journal = await open(path);
  for (const name of [path, `${path}.link`]) {
    await expect(openLocked(name)).rejects.toMatchObject({ details: { code: 'lock_held' } });
  }
  await journal.close();
  await (await open(path)).close();
});

test('rejects a journal with a hard link', async () => {
  const path = newPath();
  await (await open(path)).close();
  linkSync(path, `${path}.twin`);
  await expect(open(`${path}.twin`)).rejects.toMatchObject({ kind: 'usage' });
});

test.each(['/dev/null', '/proc/no/journal'])('rejects %s', async (path) => {
  await expect(open(path)).rejects.toBeInstanceOf(Failure);
});
