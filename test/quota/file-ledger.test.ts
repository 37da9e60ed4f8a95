import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.js';
import { createLocks } from '../../src/config/lock.js';
import { Secret } from '../../src/config/secret.js';
import { hashAccount, openFileLedger } from '../../src/quota/file-ledger.js';
import { findObstacle } from '../../src/quota/gate-rules.js';
import { emptyLedgerEntry, type Ledger, type LedgerEntry } from '../../src/quota/ledger.js';
import { formatLedgerEntry, parseLedgerEntry } from '../../src/quota/ledger-format.js';
import { autoAdvancingClock } from '../support/clock.js';
import { countOne } from '../support/ledger.js';
import { temporaryDirectory } from '../support/petstore.js';

interface Options {
  readonly directory?: string;
  readonly pid?: number;
  readonly isProcessAlive?: (pid: number) => boolean;
  readonly clock?: Clock;
}

function newLedger({
  directory = join(temporaryDirectory(), 'quota'),
  pid = 1,
  isProcessAlive = () => true,
  clock = systemClock,
}: Options = {}) {
  const errors: unknown[] = [];
  const lockOwner = { pid, host: 'here', isProcessAlive };
  const locks = createLocks({ clock, lockOwner });
  const ledger = openFileLedger(directory, 'a', locks, (error) => errors.push(error));
  const file = join(directory, 'a.json');
  const stored = () => parseLedgerEntry(readFileSync(file, 'utf8'));
  return { directory, ledger, errors, file, stored };
}

const entry: LedgerEntry = { ...emptyLedgerEntry, seenAt: 1 };
const block = { startedAt: 1, endsAt: Date.UTC(2100, 0, 1), clockUncertaintyMs: 0, maxJitterMs: 0 };
const blocked: LedgerEntry = { ...emptyLedgerEntry, block };
const put = (ledger: Ledger, what: LedgerEntry) => ledger.update(() => [what, undefined]);
const read = (ledger: Ledger) => ledger.update((before) => [before, before]);

test('shares an entry with other processes in a private file', async () => {
  const { ledger, directory, file } = newLedger();
  await put(ledger, entry);
  const other = newLedger({ directory, pid: 2 }).ledger;
  expect(await ledger.find()).toEqual(entry);
  expect(await other.find()).toEqual(entry);
  expect(readdirSync(directory)).toEqual(['a.json']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test('writes nothing for an edit without changes', async () => {
  const { ledger, directory, file } = newLedger();
  expect(await read(ledger)).toBe(emptyLedgerEntry);
  expect(readdirSync(directory)).toEqual([]);
  await put(ledger, entry);
  const { ino } = statSync(file);
  await read(ledger);
  expect(statSync(file).ino).toBe(ino);
});

test.each([1, 2, 4])('loses no parallel update of %i ledgers', async (ledgers) => {
  const directory = join(temporaryDirectory(), 'quota');
  const all = Array.from({ length: ledgers }, (_, index) =>
    newLedger({ directory, pid: index + 1 }),
  );
  const counts = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      countOne((all[index % ledgers] as (typeof all)[0]).ledger),
    ),
  );
  expect([...counts].sort((a, b) => a - b)).toEqual([...Array(20).keys()]);
  expect(await all[0]?.ledger.find()).toMatchObject({ seenAt: 20 });
  expect(all.flatMap(({ errors }) => errors)).toEqual([]);
  expect(readdirSync(directory)).toEqual(['a.json']);
});

test('reads the last complete line of a file that a released version appended to', async () => {
  const { ledger, file, directory, stored } = newLedger();
  mkdirSync(directory, { recursive: true });
  const lines = [entry, blocked].map(formatLedgerEntry);
  writeFileSync(file, `${lines.join('\n\n')}\n`);
  expect(await ledger.find()).toEqual(blocked);
  appendFileSync(file, '\n{"half');
  expect(await ledger.find()).toEqual(blocked);
  await countOne(ledger);
  expect(stored()).toEqual({ ...blocked, seenAt: 1 });
});

describe('a damaged file', () => {
  test.each(['', '{', 'null', '{"seenAt":"y"}', '\u0000'.repeat(50)])(
    'is moved aside, and only a probe may be sent (%j)',
    async (content) => {
      const { ledger, file, errors, directory } = newLedger();
      mkdirSync(directory, { recursive: true });
      writeFileSync(file, content);
      expect(await ledger.find()).toBeUndefined();
      expect(readdirSync(directory)).toEqual(['a.json']);
      const span = { startedAt: 1, endsAt: 9 };
      const reservation = { ...span, id: 'x', owner: '1 here', rateLimitedStreak: 0 };
      await put(ledger, { ...emptyLedgerEntry, reservations: [reservation] });
      expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(content);
      expect(readdirSync(directory)).toEqual(['a.json', 'a.json.damaged']);
      const found = (await ledger.find()) as LedgerEntry;
      expect(findObstacle(found, 5, 0)).toMatchObject({ reason: 'probe-in-flight' });
      expect(errors).toEqual([]);
    },
  );

  test('does not make this process lose a block', async () => {
    const { ledger, file } = newLedger();
    await put(ledger, blocked);
    writeFileSync(file, '{');
    expect(await ledger.find()).toEqual(blocked);
    expect(await read(ledger)).toEqual(blocked);
  });
});

test('keeps a block in this process if the directory is deleted', async () => {
  const { ledger, directory, errors } = newLedger();
  await put(ledger, blocked);
  rmSync(directory, { recursive: true });
  expect(await ledger.find()).toEqual(blocked);
  expect(await ledger.update((before) => [{ ...before, seenAt: 3 }, before])).toEqual(blocked);
  expect(existsSync(join(directory, 'a.json'))).toBe(true);
  expect(errors).toEqual([]);
});

describe('uses its memory, and reports one error,', () => {
  const isRoot = process.getuid?.() === 0;

  const expectMemory = async ({ ledger, errors }: ReturnType<typeof newLedger>) => {
    const counts = await Promise.all(Array.from({ length: 20 }, () => countOne(ledger)));
    expect(counts).toEqual([...Array(20).keys()]);
    await put(ledger, blocked);
    expect(await read(ledger)).toEqual(blocked);
    expect(errors).toHaveLength(1);
  };

  test('if the directory cannot be made', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    await expectMemory(newLedger({ directory: join(file, 'quota') }));
  });

  test('if the file is a directory', async () => {
    const directory = join(temporaryDirectory(), 'quota');
    mkdirSync(join(directory, 'a.json', 'x'), { recursive: true });
    await expectMemory(newLedger({ directory }));
    expect(existsSync(join(directory, 'a.json', 'x'))).toBe(true);
  });

  test('if the file is a link, which it does not replace', async () => {
    const directory = temporaryDirectory();
    const target = join(directory, 'target');
    writeFileSync(target, '{');
    symlinkSync(target, join(directory, 'a.json'));
    await expectMemory(newLedger({ directory }));
    expect(lstatSync(join(directory, 'a.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe('{');
    expect(readdirSync(directory)).toEqual(['a.json', 'target']);
  });

  test.skipIf(isRoot)('if the file is unreadable, and does not replace it', async () => {
    const { directory, ledger, file, stored } = newLedger();
    await put(ledger, entry);
    chmodSync(file, 0o000);
    await expectMemory(newLedger({ directory }));
    chmodSync(file, 0o600);
    expect(stored()).toEqual(entry);
    expect(readdirSync(directory)).toEqual(['a.json']);
  });

  test.skipIf(isRoot)('if the directory is read-only', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o500);
    await expectMemory(newLedger({ directory }));
    chmodSync(directory, 0o700);
  });
});

test('replaces a read-only file', async () => {
  const { ledger, file, errors } = newLedger();
  await put(ledger, entry);
  chmodSync(file, 0o400);
  await put(ledger, blocked);
  expect(await ledger.find()).toEqual(blocked);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(errors).toEqual([]);
});

describe('a lock that another process holds for long', () => {
  /** Returns a ledger that could not get the lock to store a block. */
  const missLock = async () => {
    // The lock timeout takes no time on this clock.
    const one = newLedger({ clock: autoAdvancingClock(Date.now()) });
    await put(one.ledger, entry);
    const lock = `${one.file}.lock`;
    writeFileSync(lock, '2 here');
    await put(one.ledger, { ...entry, block });
    expect(one.stored()).toEqual(entry);
    return { ...one, unlock: () => rmSync(lock) };
  };

  test('is reported once, and the block is kept in memory', async () => {
    const { ledger, errors, stored } = await missLock();
    expect(await ledger.find()).toEqual({ ...entry, block });
    expect(errors).toMatchObject([{ kind: 'system', details: { code: 'lock_held' } }]);
    await ledger.flush();
    expect(stored()).toEqual(entry);
    expect(errors).toHaveLength(1);
  });

  test('does not keep the next update from storing the block', async () => {
    const { ledger, directory, stored, unlock, errors } = await missLock();
    unlock();
    const other = { ...entry, seenAt: 7 };
    await put(newLedger({ directory, pid: 2 }).ledger, other);
    expect(await countOne(ledger)).toBe(7);
    expect(stored()).toEqual({ ...other, seenAt: 8, block });
    expect(errors).toHaveLength(1);
  });

  test('does not keep flush from storing the block', async () => {
    const { ledger, stored, unlock } = await missLock();
    unlock();
    await ledger.flush();
    expect(stored()).toEqual({ ...entry, block });
  });

  test('does not restore a block that was stored and then removed', async () => {
    const { ledger, directory, stored, unlock } = await missLock();
    unlock();
    await countOne(ledger);
    await put(newLedger({ directory, pid: 2 }).ledger, entry);
    expect(await ledger.find()).toEqual(entry);
    await ledger.flush();
    expect(stored()).toEqual(entry);
  });
});

test('ignores the temporary file of another process, and replaces its own', async () => {
  const { ledger, file, directory } = newLedger();
  await put(ledger, entry);
  for (const pid of [1, 2]) writeFileSync(`${file}.${pid}.tmp`, 'half');
  await put(ledger, blocked);
  expect(readdirSync(directory)).toEqual(['a.json', 'a.json.2.tmp']);
  expect(await ledger.find()).toEqual(blocked);
});

test('takes over the lock of an ended process', async () => {
  const isProcessAlive = (pid: number) => pid === 1;
  const { ledger, file, directory, errors } = newLedger({ isProcessAlive });
  mkdirSync(directory);
  writeFileSync(`${file}.lock`, '7 here');
  await put(ledger, entry);
  expect(await ledger.find()).toEqual(entry);
  expect(readdirSync(directory)).toEqual(['a.json']);
  expect(errors).toEqual([]);
});

test.each([
  ['this process', '1 here', false],
  ['a living process', '2 here', false],
  ['an ended process', '7 here', true],
  ['a process of another machine', '7 there', false],
  ['an empty name', '', false],
])('%s has ended: %s, %s', (_, owner, ended) => {
  const { ledger } = newLedger({ isProcessAlive: (pid) => pid === 2 });
  expect(ledger.owner).toBe('1 here');
  expect(ledger.hasEnded(owner)).toBe(ended);
});

test('names accounts by a digest of origin and API key', async () => {
  const accounts = [
    hashAccount('https://one.example', new Secret('pets_canary_0123456789')),
    hashAccount('https://two.example', new Secret('pets_canary_0123456789')),
    hashAccount('https://one.example', new Secret('pets_other')),
  ];
  expect(new Set(accounts).size).toBe(3);
  for (const account of accounts) expect(account).toMatch(/^[0-9a-f]{32}$/);
});
