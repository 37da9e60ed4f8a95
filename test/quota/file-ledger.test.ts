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
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.js';
import { createLocks } from '../../src/config/lock.js';
import { Secret } from '../../src/config/secret.js';
import { formatLedgerEntry, hashAccount, openFileLedger, parseLedgerEntry } from '../../src/quota/file-ledger.js';
import { emptyLedgerEntry, type Ledger, type LedgerEntry } from '../../src/quota/ledger.js';
import { autoAdvancingClock, fakeClock } from '../support/clock.js';
import { countOne } from '../support/ledger.js';
import { temporaryDirectory } from '../support/petstore.js';
import { withoutRoot } from '../support/without-root.js';

function newLedger({
  directory = join(temporaryDirectory(), 'quota'),
  pid = 1,
  isProcessAlive = (_: number): boolean => true,
  clock = systemClock as Clock,
} = {}) {
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
  const all = [...Array(ledgers).keys()].map((id) => newLedger({ directory, pid: id + 1 }));
  const updates = all.flatMap(({ ledger }) => Array.from({ length: 5 }, () => countOne(ledger)));
  const counts = await Promise.all(updates);
  expect(counts.sort((a, b) => a - b)).toEqual([...updates.keys()]);
  expect(await all[0]?.ledger.find()).toMatchObject({ seenAt: updates.length });
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

test.each(['', '{', 'null', '{"seenAt":"y"}', '\u0000'.repeat(50)])(
  'moves a damaged file aside (%j)',
  async (content) => {
    const { ledger, file, errors, directory } = newLedger();
    mkdirSync(directory, { recursive: true });
    writeFileSync(file, content);
    expect(await ledger.find()).toEqual(emptyLedgerEntry);
    expect(readdirSync(directory)).toEqual(['a.json']);
    await put(ledger, entry);
    expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(content);
    expect(readdirSync(directory)).toEqual(['a.json', 'a.json.damaged']);
    expect(await ledger.find()).toEqual(entry);
    expect(errors).toEqual([]);
  },
);

test.each<[string, (directory: string) => void]>([
  ['file is damaged', (directory) => writeFileSync(join(directory, 'a.json'), '{')],
  ['directory is deleted', (directory) => rmSync(directory, { recursive: true })],
])('keeps a block in this process if the %s', async (_, damage) => {
  const { ledger, directory, errors, stored } = newLedger();
  await put(ledger, blocked);
  damage(directory);
  expect(await ledger.find()).toEqual(blocked);
  expect(await countOne(ledger)).toBe(0);
  expect(stored()).toEqual({ ...blocked, seenAt: 1 });
  expect(errors).toEqual([]);
});

describe('keeps the state in memory and reports one error', () => {
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

  test('if the file is a link, and does not replace it', async () => {
    const directory = temporaryDirectory();
    const target = join(directory, 'target');
    writeFileSync(target, '{');
    symlinkSync(target, join(directory, 'a.json'));
    await expectMemory(newLedger({ directory }));
    expect(lstatSync(join(directory, 'a.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe('{');
    expect(readdirSync(directory)).toEqual(['a.json', 'target']);
  });

  test('if the file is unreadable, and does not replace it', () =>
    withoutRoot(async () => {
      const { directory, ledger, file, stored } = newLedger();
      await put(ledger, entry);
      chmodSync(file, 0o000);
      await expectMemory(newLedger({ directory }));
      chmodSync(file, 0o600);
      expect(stored()).toEqual(entry);
      expect(readdirSync(directory)).toEqual(['a.json']);
    }));

  // access(2) applies the modes to the real user only, which a test cannot change back.
  test.skipIf(process.getuid?.() === 0)('if the directory is read-only (needs a user other than root)', async () => {
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

test.each([
  ['waits for a busy lock', 1_000, 0],
  ['reports a lock that is busy for longer than 2 s', 3_000, 1],
])('%s', async (_, busyMs, errorCount) => {
  const start = Date.now();
  const clock = autoAdvancingClock(start);
  const directory = join(temporaryDirectory(), 'quota');
  const lock = join(directory, 'a.json.lock');
  mkdirSync(directory);
  writeFileSync(lock, '2 here');
  const sleep = (ms: number) => {
    if (clock.now() >= start + busyMs) rmSync(lock, { force: true });
    return clock.sleep(ms);
  };
  const { ledger, errors } = newLedger({ directory, clock: { now: clock.now, sleep } });
  await put(ledger, entry);
  expect(errors).toHaveLength(errorCount);
});

test('an aborted update ends its wait for the lock at once and changes nothing', async () => {
  const clock = fakeClock(Date.now());
  const { ledger, file, errors } = newLedger({ clock });
  await put(ledger, entry);
  writeFileSync(`${file}.lock`, '2 here');
  const controller = new AbortController();
  const updating = ledger.update(() => [blocked, undefined], controller.signal);
  while (clock.waits.length === 0) await endOfTurn();
  controller.abort(new Error('enough'));
  await expect(updating).rejects.toThrow('enough');
  expect(await ledger.find()).toEqual(entry);
  expect(clock.waits).toHaveLength(1);
  rmSync(`${file}.lock`);
  await ledger.flush();
  expect(await read(ledger)).toEqual(entry);
  expect(errors).toEqual([]);
});

describe('after a lock timeout', () => {
  /** Returns a ledger that could not get the lock to store a block. */
  const missLock = async () => {
    // The lock timeout takes no time on this clock.
    const clock = autoAdvancingClock(Date.now());
    const one = newLedger({ clock });
    await put(one.ledger, entry);
    const lock = `${one.file}.lock`;
    writeFileSync(lock, '2 here');
    await put(one.ledger, { ...entry, block });
    expect(one.stored()).toEqual(entry);
    return { ...one, clock, unlock: () => rmSync(lock) };
  };

  test('keeps the block in memory and reports one error', async () => {
    const { ledger, errors, stored } = await missLock();
    expect(await ledger.find()).toEqual({ ...entry, block });
    expect(errors).toMatchObject([{ kind: 'system', details: { code: 'lock_held' } }]);
    await ledger.flush();
    expect(stored()).toEqual(entry);
    expect(errors).toHaveLength(1);
  });

  test('waits at most half a second for the lock of each later update', async () => {
    const { ledger, clock } = await missLock();
    const startedAt = clock.now();
    await countOne(ledger);
    await ledger.flush();
    // A wait ends with the pause in which its time is up.
    expect(clock.now() - startedAt).toBeLessThanOrEqual(2 * (500 + 50));
  });

  test('stores the block with the next update', async () => {
    const { ledger, directory, stored, unlock, errors } = await missLock();
    unlock();
    const other = { ...entry, seenAt: 7 };
    await put(newLedger({ directory, pid: 2 }).ledger, other);
    expect(await countOne(ledger)).toBe(7);
    expect(stored()).toEqual({ ...other, seenAt: 8, block });
    expect(errors).toHaveLength(1);
  });

  test('stores the block when it is flushed', async () => {
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
