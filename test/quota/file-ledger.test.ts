import {
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
import type { Clock } from '../../src/clock.js';
import { systemClock } from '../../src/clock.js';
import { createLocks } from '../../src/config/lock.js';
import { Secret } from '../../src/config/secret.js';
import { accountOf, openLedger } from '../../src/quota/file-ledger.js';
import { findObstacle } from '../../src/quota/gate-rules.js';
import { type Block, type Ledger, type LedgerEntry, unknownEntry } from '../../src/quota/ledger.js';
import { readLine } from '../../src/quota/ledger-file.js';
import { leapingClock } from '../support/clock.js';
import { countOne } from '../support/ledger.js';
import { temporaryDirectory } from '../support/petstore.js';

interface Options {
  readonly directory?: string;
  readonly pid?: number;
  readonly lives?: (pid: number) => boolean;
  readonly clock?: Clock;
}

function newLedger({
  directory = join(temporaryDirectory(), 'quota'),
  pid = 1,
  lives = () => true,
  clock = systemClock,
}: Options = {}) {
  const troubles: unknown[] = [];
  const lockOwner = { pid, host: 'here', isProcessAlive: lives };
  const ledger = openLedger(directory, createLocks({ clock, lockOwner: lockOwner }), (error) =>
    troubles.push(error),
  );
  return { directory, ledger, troubles, file: join(directory, 'a.json') };
}

const entry: LedgerEntry = { ...unknownEntry, seenAt: 1 };
const blocked: LedgerEntry = {
  ...unknownEntry,
  block: { since: 1, until: 99, doubt: 0, spread: 0 },
};
const put = (ledger: Ledger, what: LedgerEntry, account = 'a') =>
  ledger.update(account, () => [what, undefined]);

test('what was kept is found again, by another process too, for its account alone', async () => {
  const { ledger, directory, file } = newLedger();
  await put(ledger, entry);
  const other = newLedger({ directory, pid: 2 }).ledger;
  expect(await ledger.find('a')).toEqual(entry);
  expect(await other.find('a')).toEqual(entry);
  expect(await other.find('b')).toBeUndefined();
  expect(readdirSync(directory)).toEqual(['a.json']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test('an account of which nothing is known is edited from nothing', async () => {
  const { ledger, directory } = newLedger();
  expect(await ledger.update('a', (before) => [before, before])).toBe(unknownEntry);
  expect(readdirSync(directory)).toEqual([]);
});

test('an edit that changes nothing writes nothing', async () => {
  const { ledger, file } = newLedger();
  await put(ledger, entry);
  const { ino } = statSync(file);
  await ledger.update('a', (before) => [before, undefined]);
  expect(statSync(file).ino).toBe(ino);
});

test.each([1, 2, 4])('parallel updates of %i ledgers lose nothing', async (ledgers) => {
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
  expect(await all[0]?.ledger.find('a')).toMatchObject({ seenAt: 20 });
  expect(all.flatMap(({ troubles }) => troubles)).toEqual([]);
  expect(readdirSync(directory)).toEqual(['a.json']);
});

describe('a file that is damaged', () => {
  test.each(['', '{', 'null', '{"quota":null}', '{"seenAt":"y"}', '\u0000'.repeat(50)])(
    'is moved aside, and then one request goes at a time (%j)',
    async (content) => {
      const { ledger, file, troubles, directory } = newLedger();
      mkdirSync(directory, { recursive: true });
      writeFileSync(file, content);
      expect(await ledger.find('a')).toBeUndefined();
      // Who only looks has no lock.
      expect(readdirSync(directory)).toEqual(['a.json']);
      const [reservation] = [{ id: 'x', owner: '1 here', since: 1, until: 9, refusals: 0 }];
      await ledger.update('a', (before) => [
        { ...before, reservations: [...before.reservations, reservation as never] },
        undefined,
      ]);
      expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(content);
      expect(readdirSync(directory)).toEqual(['a.json', 'a.json.damaged']);
      const found = (await ledger.find('a')) as LedgerEntry;
      expect(findObstacle(found, 5, 0)).toMatchObject({ reason: 'turn' });
      expect(troubles).toEqual([]);
    },
  );

  test('does not make this process forget a block', async () => {
    const { ledger, file } = newLedger();
    await put(ledger, blocked);
    writeFileSync(file, '{');
    expect(await ledger.find('a')).toEqual(blocked);
    expect(await ledger.update('a', (before) => [before, before])).toEqual(blocked);
  });
});

test('a block that is known outlasts the directory, within the process', async () => {
  const { ledger, directory, troubles } = newLedger();
  await put(ledger, blocked);
  rmSync(directory, { recursive: true });
  expect(await ledger.find('a')).toEqual(blocked);
  expect(await ledger.update('a', (before) => [{ ...before, seenAt: 3 }, before])).toEqual(blocked);
  expect(existsSync(join(directory, 'a.json'))).toBe(true);
  expect(troubles).toEqual([]);
});

describe('where nothing can be kept', () => {
  const isRoot = process.getuid?.() === 0;

  const memoryHolds = async ({ ledger, troubles }: ReturnType<typeof newLedger>) => {
    expect(await countOne(ledger)).toBe(0);
    expect(await countOne(ledger)).toBe(1);
    await put(ledger, blocked);
    expect(await ledger.update('a', (before) => [before, before])).toEqual(blocked);
    expect(troubles).toHaveLength(1);
  };

  test('since the directory cannot be made, this process goes by its memory, and says so once', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    await memoryHolds(newLedger({ directory: join(file, 'quota') }));
  });

  test('since a directory stands in the place of the file, it does so too', async () => {
    const directory = join(temporaryDirectory(), 'quota');
    mkdirSync(join(directory, 'a.json', 'x'), { recursive: true });
    await memoryHolds(newLedger({ directory }));
    expect(existsSync(join(directory, 'a.json', 'x'))).toBe(true);
  });

  test('since a link stands in the place of the file, it does so too, and replaces nothing', async () => {
    const directory = temporaryDirectory();
    const target = join(directory, 'target');
    writeFileSync(target, '{');
    symlinkSync(target, join(directory, 'a.json'));
    await memoryHolds(newLedger({ directory }));
    expect(lstatSync(join(directory, 'a.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe('{');
    expect(readdirSync(directory)).toEqual(['a.json', 'target']);
  });

  test.skipIf(isRoot)(
    'since the file may not be read, it does so too, and replaces nothing',
    async () => {
      const { directory, ledger, file } = newLedger();
      await put(ledger, entry);
      chmodSync(file, 0o000);
      await memoryHolds(newLedger({ directory }));
      chmodSync(file, 0o600);
      expect(JSON.parse(readLine(file) as string)).toEqual(entry);
      expect(readdirSync(directory)).toEqual(['a.json']);
    },
  );

  test.skipIf(isRoot)('since the directory is read-only, it does so too', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o500);
    await memoryHolds(newLedger({ directory }));
    chmodSync(directory, 0o700);
  });

  test('parallel updates lose nothing all the same', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    const { ledger } = newLedger({ directory: join(file, 'quota') });
    const counts = await Promise.all(Array.from({ length: 20 }, () => countOne(ledger)));
    expect(counts).toEqual([...Array(20).keys()]);
  });
});

test('a file that is read-only is replaced', async () => {
  const { ledger, file, troubles } = newLedger();
  await put(ledger, entry);
  chmodSync(file, 0o400);
  await put(ledger, blocked);
  expect(await ledger.find('a')).toEqual(blocked);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(troubles).toEqual([]);
});

describe('a lock that another process holds for long', () => {
  /** One that missed the lock when it was to keep a block, and what gives the lock back. */
  const missing = async () => {
    // Two seconds of patience take no time, and are too short for the lock to be stale.
    const one = newLedger({ clock: leapingClock(Date.now()) });
    await put(one.ledger, entry);
    const lock = `${one.file}.lock`;
    writeFileSync(lock, '2 here');
    await put(one.ledger, { ...entry, block: blocked.block as Block });
    const kept = () => JSON.parse(readLine(one.file) as string);
    expect(kept()).toEqual(entry);
    return { ...one, kept, free: () => rmSync(lock) };
  };
  const { block } = blocked;

  test('is told of, and what is to be kept is not forgotten', async () => {
    const { ledger, troubles } = await missing();
    expect(await ledger.find('a')).toEqual({ ...entry, block });
    expect(troubles).toMatchObject([{ kind: 'system', details: { code: 'lock_held' } }]);
  });

  test('is asked for again: the block is written beside what others have written', async () => {
    const { ledger, directory, kept, free, troubles } = await missing();
    free();
    const other = { ...entry, seenAt: 7 };
    await put(newLedger({ directory, pid: 2 }).ledger, other);
    expect(await countOne(ledger)).toBe(7);
    expect(kept()).toEqual({ ...other, seenAt: 8, block });
    expect(troubles).toHaveLength(1);
  });

  test('is asked for at the end, where nothing else is to be written', async () => {
    const { ledger, kept, free } = await missing();
    free();
    await ledger.settled();
    expect(kept()).toEqual({ ...entry, block });
  });

  test('may be missed at the end too', async () => {
    const { ledger, kept, troubles } = await missing();
    await ledger.settled();
    expect(kept()).toEqual(entry);
    expect(troubles).toHaveLength(1);
  });

  test('brings no block back that was written, and then forgotten by another', async () => {
    const { ledger, directory, kept, free } = await missing();
    free();
    await countOne(ledger);
    await put(newLedger({ directory, pid: 2 }).ledger, entry);
    expect(await ledger.find('a')).toEqual(entry);
    await ledger.settled();
    expect(kept()).toEqual(entry);
  });
});

test('what another process is about to write is let alone', async () => {
  const { ledger, file, directory } = newLedger();
  await put(ledger, entry);
  writeFileSync(`${file}.2.tmp`, 'half');
  await put(ledger, blocked);
  expect(readdirSync(directory)).toEqual(['a.json', 'a.json.2.tmp']);
  expect(await ledger.find('a')).toEqual(blocked);
});

test('a lock that a dead process left is taken over', async () => {
  const { ledger, file, directory, troubles } = newLedger({ lives: (pid) => pid === 1 });
  mkdirSync(directory);
  writeFileSync(`${file}.lock`, '7 here');
  await put(ledger, entry);
  expect(await ledger.find('a')).toEqual(entry);
  expect(readdirSync(directory)).toEqual(['a.json']);
  expect(troubles).toEqual([]);
});

test.each([
  ['this process', '1 here', false],
  ['a living process', '2 here', false],
  ['a dead process', '7 here', true],
  ['a process of another machine', '7 there', false],
  ['nobody', '', false],
])('%s has ended: %s', (_, owner, ended) => {
  const { ledger } = newLedger({ lives: (pid) => pid === 2 });
  expect(ledger.owner).toBe('1 here');
  expect(ledger.hasEnded(owner)).toBe(ended);
});

test('accounts differ by origin and key, and tell neither', async () => {
  const key = 'pets_canary_0123456789';
  const accounts = [
    accountOf('https://one.example', new Secret(key)),
    accountOf('https://two.example', new Secret(key)),
    accountOf('https://one.example', new Secret('pets_other')),
  ];
  expect(new Set(accounts).size).toBe(3);
  for (const account of accounts) expect(account).toMatch(/^[0-9a-f]{32}$/);
  const { ledger, directory } = newLedger();
  await put(ledger, entry, accounts[0]);
  const kept = `${readdirSync(directory)}${readFileSync(join(directory, `${accounts[0]}.json`))}`;
  expect(kept).not.toMatch(/canary|example/);
});
