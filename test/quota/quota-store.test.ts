import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.js';
import { parseRedisAddress, type RedisAddress } from '../../src/config/redis-address.js';
import { Secret } from '../../src/config/secret.js';
import { admit } from '../../src/quota/admit.js';
import { openFileBackend } from '../../src/quota/file-backend.js';
import { emptyQuotaState, parseQuotaState, type QuotaState } from '../../src/quota/quota-state.js';
import { hashAccount, openQuotaStore, type QuotaStore } from '../../src/quota/quota-store.js';
import { parseRateLimitInfo } from '../../src/quota/rate-limit-info.js';
import { computeTtlMs, openRedisBackend } from '../../src/quota/redis-backend.js';
import { settle } from '../../src/quota/settle.js';
import { fakeClock, patientClock } from '../support/clock.js';
import { newClosedOrigin } from '../support/http-server.js';
import { temporaryDirectory } from '../support/petstore.js';
import { createModelService } from '../support/quota-model.js';
import { hasRedis, startRedis } from '../support/redis.js';

const state: QuotaState = { ...emptyQuotaState, seenAt: 1 };
const block = { startedAt: 1, endsAt: Date.UTC(2100, 0, 1), clockUncertaintyMs: 0, maxJitterMs: 0 };
const blocked: QuotaState = { ...emptyQuotaState, block };
const put = (store: QuotaStore, what: QuotaState) => store.update(() => [what, undefined]);
const countOne = (store: QuotaStore): Promise<number> =>
  store.update((before) => [{ ...before, seenAt: before.seenAt + 1 }, before.seenAt]);

function openFile({ directory = join(temporaryDirectory(), 'quota'), clock = systemClock as Clock } = {}) {
  const errors: Error[] = [];
  const backend = openFileBackend(directory, 'a', clock);
  const store = openQuotaStore(backend, { onError: (error) => errors.push(error) });
  const file = join(directory, 'a.json');
  return { directory, store, errors, file, stored: () => parseQuotaState(readFileSync(file, 'utf8')) };
}

const exactlyAll = { sent: 60, rateLimitedIn: [] };

/** Sends requests from each store until its window is used up. The service allows 60 per minute, and no time passes. */
async function sendAll(stores: readonly QuotaStore[]) {
  const service = createModelService({ perMinute: 60, perDay: 1_000 }, true);
  const now = Date.UTC(2026, 10, 21, 12);
  let sent = 0;
  const sendFrom = async (store: QuotaStore, number: number) => {
    for (;;) {
      const id = `${number} ${sent}`;
      const { permit, wait } = await store.update((before) => {
        const admission = admit(before, now, { id, durationMs: 31_000 });
        return [admission.state, admission];
      });
      if (wait?.reason === 'window') return;
      if (wait) await systemClock.sleep(2);
      if (!permit) continue;
      sent += 1;
      const info = parseRateLimitInfo(service.count(now, 'us'), now, now);
      await store.update((before) => [settle(before, permit, info), undefined]);
    }
  };
  await Promise.all(stores.map(sendFrom));
  return { sent, rateLimitedIn: service.rateLimitedIn };
}

describe('a file', () => {
  test('is private and shares a state with other processes', async () => {
    const { store, directory, file } = openFile();
    await put(store, state);
    expect(await store.read()).toEqual(state);
    expect(await openFile({ directory }).store.read()).toEqual(state);
    expect(readdirSync(directory)).toEqual(['a.json']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(directory).mode & 0o777).toBe(0o700);
  });

  test('is not written for an edit without changes, and is deleted', async () => {
    const { store, directory } = openFile();
    expect(await store.update((before) => [before, before])).toBe(emptyQuotaState);
    expect(readdirSync(directory)).toEqual([]);
    await put(store, state);
    await store.remove();
    expect(readdirSync(directory)).toEqual([]);
    expect(await store.read()).toEqual(emptyQuotaState);
  });

  test.each([1, 4])('loses no parallel update of %i stores', async (stores) => {
    const directory = join(temporaryDirectory(), 'quota');
    const all = Array.from({ length: stores }, () => openFile({ directory }));
    const updates = all.flatMap(({ store }) => Array.from({ length: 5 }, () => countOne(store)));
    expect((await Promise.all(updates)).sort((a, b) => a - b)).toEqual([...updates.keys()]);
    expect(all.flatMap(({ errors }) => errors)).toEqual([]);
    expect(readdirSync(directory)).toEqual(['a.json']);
  });

  test('lets twenty processes send exactly 60 of 60 requests', async () => {
    const directory = join(temporaryDirectory(), 'quota');
    const all = Array.from({ length: 20 }, () => openFile({ directory }));
    expect(await sendAll(all.map(({ store }) => store))).toEqual(exactlyAll);
    expect(all.flatMap(({ errors }) => errors)).toEqual([]);
  });

  test.each<[string, (directory: string) => void]>([
    ['cannot be made', (directory) => writeFileSync(directory, '')],
    ['is a directory', (directory) => mkdirSync(join(directory, 'a.json', 'x'), { recursive: true })],
    ['is damaged', (directory) => writeFileSync(join(directory, 'a.json'), '{')],
    ['has another shape', (directory) => writeFileSync(join(directory, 'a.json'), '{"seenAt":1,"windows":[null]}')],
  ])('that %s leaves the state in memory, is reported once and never wiped', async (_, damage) => {
    const directory = join(temporaryDirectory(), 'quota');
    if (_ !== 'cannot be made') mkdirSync(directory);
    damage(directory);
    const { store, errors, file } = openFile({ directory });
    const before = existsSync(file) && statSync(file).ino;
    const counts = await Promise.all(Array.from({ length: 20 }, () => countOne(store)));
    expect(counts).toEqual([...counts.keys()]);
    await put(store, blocked);
    expect(await store.read()).toEqual(blocked);
    expect(errors).toHaveLength(1);
    expect(existsSync(file) && statSync(file).ino).toBe(before);
    if (_ === 'is damaged') expect(errors[0]?.message).toBe(`${file} is damaged; delete the file`);
  });

  test('that disappears leaves a block in memory', async () => {
    const { store, directory, errors } = openFile();
    await put(store, blocked);
    rmSync(directory, { recursive: true });
    writeFileSync(directory, '');
    expect(await store.read()).toEqual(blocked);
    expect(await countOne(store)).toBe(0);
    expect(await store.read()).toEqual({ ...blocked, seenAt: 1 });
    expect(errors).toHaveLength(1);
  });

  test('an aborted update ends its wait for the lock at once and changes nothing', async () => {
    const clock = fakeClock(Date.now());
    const { store, file, errors } = openFile({ clock });
    await put(store, state);
    writeFileSync(`${file}.lock`, '2 here');
    const controller = new AbortController();
    const updating = store.update(() => [blocked, undefined], controller.signal);
    while (clock.waits.length === 0) await endOfTurn();
    controller.abort(new Error('enough'));
    await expect(updating).rejects.toThrow('enough');
    rmSync(`${file}.lock`);
    expect(await store.read()).toEqual(state);
    expect(errors).toEqual([]);
  });
});

test('updates that wait in one process share one write, and each gets its result', async () => {
  let stored = emptyQuotaState;
  let writes = 0;
  const backend = {
    read: async () => stored,
    replace: async (edit: (before: QuotaState) => QuotaState) => {
      writes += 1;
      stored = edit(stored);
      return stored;
    },
    remove: async () => {},
  };
  const store = openQuotaStore(backend, { onError: () => {} });
  const counts = await Promise.all(Array.from({ length: 30 }, () => countOne(store)));
  expect(counts).toEqual([...counts.keys()]);
  expect(writes).toBeLessThanOrEqual(2);
});

function openRedis(url: string) {
  const errors: Error[] = [];
  const backend = openRedisBackend(parseRedisAddress(url) as RedisAddress, 'a', patientClock);
  const store = openQuotaStore(backend, { onError: (error) => errors.push(error) });
  onTestFinished(() => store.close());
  return { store, errors };
}

describe.skipIf(!hasRedis)('Redis (needs redis-server)', () => {
  test('shares a state between machines, and loses no parallel update', async () => {
    const { url } = await startRedis();
    const machines = Array.from({ length: 4 }, () => openRedis(url));
    const updates = machines.flatMap(({ store }) => Array.from({ length: 10 }, () => countOne(store)));
    expect((await Promise.all(updates)).sort((a, b) => a - b)).toEqual([...updates.keys()]);
    await machines[0]?.store.remove();
    expect(await machines[1]?.store.read()).toEqual(emptyQuotaState);
    expect(machines.flatMap(({ errors }) => errors)).toEqual([]);
  });

  test('four machines send exactly 60 of 60 requests', async () => {
    const { url } = await startRedis();
    expect(await sendAll(Array.from({ length: 4 }, () => openRedis(url).store))).toEqual(exactlyAll);
  });

  test('that is killed leaves a block in memory and is reported once', async () => {
    const redis = await startRedis();
    const { store, errors } = openRedis(redis.url);
    await put(store, blocked);
    await redis.kill();
    expect(await countOne(store)).toBe(0);
    expect(await store.read()).toEqual({ ...blocked, seenAt: 1 });
    expect(errors).toHaveLength(1);
  });

  test('that rejects the password does not repeat it', async () => {
    const { url } = await startRedis('--requirepass', 'hush-hush');
    const { store, errors } = openRedis(url.replace('//', '//:hush-not@'));
    await countOne(store);
    expect(errors.map(({ message }) => message)).toEqual(['rejected the user name or password (WRONGPASS)']);
  });

  test('with a damaged value names the command that deletes it', async () => {
    const { url } = await startRedis();
    const { createClient } = await import('@redis/client');
    const client = createClient({ url });
    await client.connect();
    await client.set('petstore:quota:a', '{');
    client.destroy();
    const { store, errors } = openRedis(url);
    await store.read();
    expect(errors[0]?.message).toBe('has a damaged quota state; reset the quota to delete it');
    await store.remove();
    expect(await openRedis(url).store.read()).toEqual(emptyQuotaState);
  });
});

test('an unreachable Redis is reported once', async () => {
  const origin = await newClosedOrigin();
  const { store, errors } = openRedis(`${origin.replace('http', 'redis')}/0`);
  expect([await countOne(store), await countOne(store)]).toEqual([0, 1]);
  expect(errors.map(({ message }) => message)).toEqual(['refused the connection']);
});

test('Redis keeps a state until one hour after everything in it has ended', () => {
  const permit = { id: 'a', startedAt: 0, endsAt: 31_000, blockCount: 0 };
  expect(computeTtlMs(emptyQuotaState, 0)).toBe(3_600_000);
  expect(computeTtlMs({ ...emptyQuotaState, permits: [permit] }, 1_000)).toBe(3_630_000);
});

test('names accounts by a digest of origin and API key', () => {
  const accounts = [
    hashAccount('https://one.example', new Secret('pets_canary_0123456789')),
    hashAccount('https://two.example', new Secret('pets_canary_0123456789')),
    hashAccount('https://one.example', new Secret('pets_other')),
  ];
  expect(new Set(accounts).size).toBe(3);
  for (const account of accounts) expect(account).toMatch(/^[0-9a-f]{32}$/);
});
