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
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.js';
import { createLocks } from '../../src/config/files.js';
import { Secret } from '../../src/config/secret.js';
import { hashAccount, openFileQuotaStore, parseQuotaState } from '../../src/quota/file-quota-store.js';
import { emptyQuotaState, type QuotaState, type QuotaStore } from '../../src/quota/quota-state.js';
import { autoAdvancingClock, fakeClock } from '../support/clock.js';
import { temporaryDirectory } from '../support/petstore.js';
import { countOne } from '../support/quota-store.js';
import { withoutRoot } from '../support/without-root.js';

function newStore({ directory = join(temporaryDirectory(), 'quota'), clock = systemClock as Clock } = {}) {
  const errors: unknown[] = [];
  const locks = createLocks({ clock });
  const store = openFileQuotaStore(directory, 'a', locks, (error) => errors.push(error));
  const file = join(directory, 'a.json');
  const stored = () => parseQuotaState(readFileSync(file, 'utf8'));
  return { directory, store, errors, file, stored };
}

const state: QuotaState = { ...emptyQuotaState, seenAt: 1 };
const block = { startedAt: 1, endsAt: Date.UTC(2100, 0, 1), clockUncertaintyMs: 0, maxJitterMs: 0 };
const blocked: QuotaState = { ...emptyQuotaState, block };
const put = (store: QuotaStore, what: QuotaState) => store.update(() => [what, undefined]);
const read = (store: QuotaStore) => store.update((before) => [before, before]);

test('shares a state with other processes in a private file', async () => {
  const { store, directory, file } = newStore();
  await put(store, state);
  const other = newStore({ directory }).store;
  expect(await store.find()).toEqual(state);
  expect(await other.find()).toEqual(state);
  expect(readdirSync(directory)).toEqual(['a.json']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test('writes nothing for an edit without changes', async () => {
  const { store, directory, file } = newStore();
  expect(await read(store)).toBe(emptyQuotaState);
  expect(readdirSync(directory)).toEqual([]);
  await put(store, state);
  const { ino } = statSync(file);
  await read(store);
  expect(statSync(file).ino).toBe(ino);
});

test.each([1, 2, 4])('loses no parallel update of %i stores', async (stores) => {
  const directory = join(temporaryDirectory(), 'quota');
  const all = Array.from({ length: stores }, () => newStore({ directory }));
  const updates = all.flatMap(({ store }) => Array.from({ length: 5 }, () => countOne(store)));
  const counts = await Promise.all(updates);
  expect(counts.sort((a, b) => a - b)).toEqual([...updates.keys()]);
  expect(await all[0]?.store.find()).toMatchObject({ seenAt: updates.length });
  expect(all.flatMap(({ errors }) => errors)).toEqual([]);
  expect(readdirSync(directory)).toEqual(['a.json']);
});

test.each(['', '{', 'null', '{"seenAt":"y"}', '\u0000'.repeat(50)])(
  'moves a damaged file aside (%j)',
  async (content) => {
    const { store, file, errors, directory } = newStore();
    mkdirSync(directory, { recursive: true });
    writeFileSync(file, content);
    expect(await store.find()).toEqual(emptyQuotaState);
    expect(readdirSync(directory)).toEqual(['a.json']);
    await put(store, state);
    expect(readFileSync(`${file}.damaged`, 'utf8')).toBe(content);
    expect(readdirSync(directory)).toEqual(['a.json', 'a.json.damaged']);
    expect(await store.find()).toEqual(state);
    expect(errors).toEqual([]);
  },
);

test.each<[string, (directory: string) => void]>([
  ['file is damaged', (directory) => writeFileSync(join(directory, 'a.json'), '{')],
  ['directory is deleted', (directory) => rmSync(directory, { recursive: true })],
])('keeps a block in this process if the %s', async (_, damage) => {
  const { store, directory, errors, stored } = newStore();
  await put(store, blocked);
  damage(directory);
  expect(await store.find()).toEqual(blocked);
  expect(await countOne(store)).toBe(0);
  expect(stored()).toEqual({ ...blocked, seenAt: 1 });
  expect(errors).toEqual([]);
});

describe('keeps the state in memory and reports one error', () => {
  const expectMemory = async ({ store, errors }: ReturnType<typeof newStore>) => {
    const counts = await Promise.all(Array.from({ length: 20 }, () => countOne(store)));
    expect(counts).toEqual([...Array(20).keys()]);
    await put(store, blocked);
    expect(await read(store)).toEqual(blocked);
    expect(errors).toHaveLength(1);
  };

  test('if the directory cannot be made', async () => {
    const file = join(temporaryDirectory(), 'file');
    writeFileSync(file, '');
    await expectMemory(newStore({ directory: join(file, 'quota') }));
  });

  test('if the file is a directory', async () => {
    const directory = join(temporaryDirectory(), 'quota');
    mkdirSync(join(directory, 'a.json', 'x'), { recursive: true });
    await expectMemory(newStore({ directory }));
    expect(existsSync(join(directory, 'a.json', 'x'))).toBe(true);
  });

  test('if the file is a link, and does not replace it', async () => {
    const directory = temporaryDirectory();
    const target = join(directory, 'target');
    writeFileSync(target, '{');
    symlinkSync(target, join(directory, 'a.json'));
    await expectMemory(newStore({ directory }));
    expect(lstatSync(join(directory, 'a.json')).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe('{');
    expect(readdirSync(directory)).toEqual(['a.json', 'target']);
  });

  test('if the file is unreadable, and does not replace it', () =>
    withoutRoot(async () => {
      const { directory, store, file, stored } = newStore();
      await put(store, state);
      chmodSync(file, 0o000);
      await expectMemory(newStore({ directory }));
      chmodSync(file, 0o600);
      expect(stored()).toEqual(state);
      expect(readdirSync(directory)).toEqual(['a.json']);
    }));

  // access(2) applies the modes to the real user only, which a test cannot change back.
  test.skipIf(process.getuid?.() === 0)('if the directory is read-only (needs a user other than root)', async () => {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o500);
    await expectMemory(newStore({ directory }));
    chmodSync(directory, 0o700);
  });
});

test('replaces a read-only file', async () => {
  const { store, file, errors } = newStore();
  await put(store, state);
  chmodSync(file, 0o400);
  await put(store, blocked);
  expect(await store.find()).toEqual(blocked);
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
  const { store, errors } = newStore({ directory, clock: { now: clock.now, sleep } });
  await put(store, state);
  expect(errors).toHaveLength(errorCount);
});

test('an aborted update ends its wait for the lock at once and changes nothing', async () => {
  const clock = fakeClock(Date.now());
  const { store, file, errors } = newStore({ clock });
  await put(store, state);
  writeFileSync(`${file}.lock`, '2 here');
  const controller = new AbortController();
  const updating = store.update(() => [blocked, undefined], controller.signal);
  while (clock.waits.length === 0) await endOfTurn();
  controller.abort(new Error('enough'));
  await expect(updating).rejects.toThrow('enough');
  expect(await store.find()).toEqual(state);
  expect(clock.waits).toHaveLength(1);
  rmSync(`${file}.lock`);
  await store.flush();
  expect(await read(store)).toEqual(state);
  expect(errors).toEqual([]);
});

describe('after a lock timeout', () => {
  /** Returns a quota store that could not get the lock to store a block. */
  const missLock = async () => {
    // The lock timeout takes no time on this clock.
    const clock = autoAdvancingClock(Date.now());
    const one = newStore({ clock });
    await put(one.store, state);
    const lock = `${one.file}.lock`;
    writeFileSync(lock, '2 here');
    await put(one.store, { ...state, block });
    expect(one.stored()).toEqual(state);
    return { ...one, clock, unlock: () => rmSync(lock) };
  };

  test('keeps the block in memory and reports one error', async () => {
    const { store, errors, stored } = await missLock();
    expect(await store.find()).toEqual({ ...state, block });
    expect(errors).toMatchObject([{ kind: 'system', details: { code: 'lock_held' } }]);
    await store.flush();
    expect(stored()).toEqual(state);
    expect(errors).toHaveLength(1);
  });

  test('waits at most half a second for the lock of each later update', async () => {
    const { store, clock } = await missLock();
    const startedAt = clock.now();
    await countOne(store);
    await store.flush();
    // A wait ends with the pause in which its time is up.
    expect(clock.now() - startedAt).toBeLessThanOrEqual(2 * (500 + 50));
  });

  test('stores the block with the next update', async () => {
    const { store, directory, stored, unlock, errors } = await missLock();
    unlock();
    const other = { ...state, seenAt: 7 };
    await put(newStore({ directory }).store, other);
    expect(await countOne(store)).toBe(7);
    expect(stored()).toEqual({ ...other, seenAt: 8, block });
    expect(errors).toHaveLength(1);
  });

  test('stores the block when it is flushed', async () => {
    const { store, stored, unlock } = await missLock();
    unlock();
    await store.flush();
    expect(stored()).toEqual({ ...state, block });
  });

  test('does not restore a block that was stored and then removed', async () => {
    const { store, directory, stored, unlock } = await missLock();
    unlock();
    await countOne(store);
    await put(newStore({ directory }).store, state);
    expect(await store.find()).toEqual(state);
    await store.flush();
    expect(stored()).toEqual(state);
  });
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
