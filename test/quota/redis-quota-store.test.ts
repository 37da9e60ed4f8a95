import { describe, expect, onTestFinished, test } from 'vitest';
import { parseQuotaState } from '../../src/quota/file-quota-store.js';
import { emptyQuotaState, type QuotaState, type QuotaStore } from '../../src/quota/quota-state.js';
import { parseRedisAddress, type RedisAddress } from '../../src/quota/redis-address.js';
import { openRedisConnection, type RedisConnection, type RedisError } from '../../src/quota/redis-connection.js';
import { computeTtlMs, getRedisKey, openRedisQuotaStore } from '../../src/quota/redis-quota-store.js';
import { fakeClock } from '../support/clock.js';
import { type FakeRedis, fakeRedis } from '../support/fake-redis.js';
import { countOne, memoryQuotaStore, settle } from '../support/quota-store.js';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.js';

const now = fakeClock().now();
const span = { startedAt: now, clockUncertaintyMs: 0 };
const window = { ...span, limit: 60, remaining: 50, endsAt: now + 60_000 };
const block = { ...span, endsAt: now + 30_000, maxJitterMs: 0 };
const known: QuotaState = { ...emptyQuotaState, seenAt: now, windows: [window] };
const own = reservationOf('1 here 7-7');
const foreign = reservationOf('1 here 8-8');

function reservationOf(owner: string) {
  const id = `${owner} 1`;
  return { id, owner, startedAt: now, endsAt: now + 31_000, rateLimitedStreak: 0 };
}

function open<Redis extends RedisConnection = FakeRedis>({
  redis = fakeRedis() as RedisConnection as Redis,
  local = memoryQuotaStore(),
  pidNamespace = '7-7',
  clock = fakeClock(),
} = {}) {
  const reported: string[] = [];
  const onOffline = ({ message }: RedisError) => reported.push(message);
  const store = openRedisQuotaStore({ redis, account: 'a', local, pidNamespace, clock, onOffline });
  return { store, redis, local, clock, reported };
}

const put = (store: QuotaStore, state: QuotaState) => store.update(() => [state, undefined as unknown]);
const read = (store: QuotaStore) => store.update((before) => [before, before]);
const stored = ({ texts }: FakeRedis) => parseQuotaState(texts.get(getRedisKey('a')) ?? '');
const setStored = ({ texts }: FakeRedis, state: QuotaState) => texts.set(getRedisKey('a'), JSON.stringify(state));

test('shares a state between machines under the name of the account', async () => {
  const { store, redis, local } = open();
  const other = open({ redis, pidNamespace: '8-8' }).store;
  await put(store, known);
  expect([...redis.texts.keys()]).toEqual(['petstore:quota:a']);
  expect(await other.find()).toEqual(known);
  expect(local.state).toBe(emptyQuotaState);
});

test('edits a state again if another machine changed it meanwhile', async () => {
  const { store, redis } = open();
  const other = open({ redis, pidNamespace: '8-8' }).store;
  expect(await countOne(store)).toBe(0);
  expect(await countOne(other)).toBe(1);
  expect(await countOne(store)).toBe(2);
  redis.beforeScript = () => setStored(redis, { ...emptyQuotaState, seenAt: 9 });
  expect(await countOne(store)).toBe(9);
  expect(stored(redis)?.seenAt).toBe(10);
});

test('reads the current state for an edit without changes', async () => {
  const { store, redis } = open();
  await countOne(store);
  setStored(redis, { ...emptyQuotaState, seenAt: 9 });
  expect((await read(store)).seenAt).toBe(9);
});

test.each(['', '{', '\u0000'.repeat(50), '['.repeat(2_000_000)])('replaces a damaged state (%#)', async (text) => {
  const { store, redis, reported } = open();
  redis.texts.set(getRedisKey('a'), text);
  expect(await countOne(store)).toBe(0);
  expect(stored(redis)?.seenAt).toBe(1);
  expect(reported).toEqual([]);
});

describe('while Redis is offline', () => {
  test.each(['offline', 'silent'] as const)('(%s) uses the local store', async (trouble) => {
    const { store, redis, local, reported } = open();
    redis.trouble = trouble;
    await put(store, known);
    expect(local.state).toEqual(known);
    expect(await store.find()).toEqual(known);
    await countOne(store);
    expect(reported).toHaveLength(1);
    expect(redis.commands).toHaveLength(1);
  });

  test('continues from the known state and counts the requests of others as sent', async () => {
    const state = { ...known, block, rateLimitedStreak: 1 };
    const windows = [{ ...window, remaining: 49 }];
    for (const readState of [read, (store: QuotaStore) => store.find()]) {
      const { store, redis, local, reported } = open();
      await put(store, { ...state, reservations: [own, foreign] });
      redis.trouble = 'offline';
      expect(await readState(store)).toEqual({ ...state, windows, reservations: [own] });
      expect(local.state).toEqual({ ...state, windows, reservations: [own] });
      expect(reported).toEqual(['refused the connection']);
    }
  });

  test('keeps the state of other processes on this machine', async () => {
    const local = memoryQuotaStore({ ...known, seenAt: now + 5, block });
    const { store, redis } = open({ local });
    await put(store, { ...known, windows: [{ ...window, remaining: 7 }] });
    redis.trouble = 'offline';
    await read(store);
    expect(local.state).toMatchObject({ block, windows: [{ remaining: 7 }], seenAt: now + 5 });
  });

  test('reconnects after a second, then every five, and reports the outage once', async () => {
    const { store, redis, clock, local, reported } = open();
    const countAfter = async (ms: number) => {
      clock.advance(ms);
      const count = await countOne(store);
      await settle();
      return count;
    };
    redis.trouble = 'offline';
    const pings = [0, 0, 1, 1, 2];
    for (const [index, ms] of [0, 999, 1, 4_999, 1].entries()) {
      await countAfter(ms);
      expect(redis.commands).toEqual(['GET', ...Array(pings[index]).fill('PING')]);
    }
    redis.trouble = undefined;
    expect(await countAfter(5_000)).toBe(5);
    expect(await countAfter(0)).toBe(6);
    expect(stored(redis)?.seenAt).toBe(7);
    expect(local.state.seenAt).toBe(6);
    expect(reported).toHaveLength(1);
  });

  test('stores the local state and reservations in Redis after reconnecting', async () => {
    const { store, redis, clock, local } = open();
    redis.trouble = 'offline';
    await put(store, { ...known, block, reservations: [own] });
    redis.trouble = undefined;
    setStored(redis, { ...known, reservations: [foreign] });
    clock.advance(5_000);
    await countOne(store);
    await settle();
    await read(store);
    await store.flush();
    expect(stored(redis)).toMatchObject({ block, reservations: [foreign, own] });
    expect(local.state.reservations).toEqual([]);
  });
});

test('waits at most 250 ms for each reply', async () => {
  const clock = fakeClock();
  const redis = fakeRedis(async (timeoutMs) => clock.advance(timeoutMs));
  redis.trouble = 'silent';
  const { store, local } = open({ redis, clock });
  const startedAt = clock.now();
  await countOne(store);
  await countOne(store);
  expect(clock.now() - startedAt).toBe(250);
  expect(local.state.seenAt).toBe(2);
});

test('does not read a prefetched state again', async () => {
  const { store, redis } = open();
  store.prefetch();
  await settle();
  expect(await countOne(store)).toBe(0);
  expect(await countOne(store)).toBe(1);
  expect(redis.commands).toEqual(['GET', 'EVAL', 'EVAL']);
});

test('reports an outage only when the state is used', async () => {
  const { store, redis, reported } = open();
  redis.trouble = 'offline';
  store.prefetch();
  await settle();
  expect(reported).toEqual([]);
  await countOne(store);
  expect(reported).toEqual(['refused the connection']);
});

test.each([
  ['this process', '1 here 7-7', false],
  ['an ended process of this machine', '2 here 7-7', true],
  ['a process of another machine with the same id', '2 here 8-8', false],
  ['an ended process with the local store', '2 here', true],
])('%s (%s) has ended: %s', (_, owner, ended) => {
  const local = memoryQuotaStore();
  local.ended.add('2 here');
  const { store } = open({ local });
  expect(store.owner).toBe('1 here 7-7');
  expect(store.hasEnded(owner)).toBe(ended);
});

test('keeps a state for an hour after everything in it has ended', () => {
  expect(computeTtlMs(emptyQuotaState, now)).toBe(3_600_000);
  const longBlock = { ...block, endsAt: now + 90_000, maxJitterMs: 0.5 };
  const state = { ...known, reservations: [own], block: longBlock };
  expect(computeTtlMs(state, now)).toBe(3_600_000 + 90_001);
});

test('closes its connection', () => {
  const { store, redis } = open();
  store.close();
  expect(redis.isClosed).toBe(true);
});

describe.skipIf(!hasRedis)('with redis-server', () => {
  /** No time passes on the fake clock, so that a busy machine causes no timeout. */
  const openOn = ({ url }: TestRedis, pidNamespace = '7-7') => {
    const address = parseRedisAddress(url) as RedisAddress;
    const redis = openRedisConnection(address, fakeClock());
    onTestFinished(() => redis.close());
    return open({ redis, pidNamespace });
  };

  test('loses no update of eight machines', async () => {
    const server = await startRedis();
    const machines = [...Array(8).keys()].map((id) => openOn(server, `${id}-1`));
    const counts = await Promise.all(machines.map(({ store }) => countOne(store)));
    expect(counts.sort((a, b) => a - b)).toEqual([...Array(8).keys()]);
    expect(machines.flatMap(({ reported }) => reported)).toEqual([]);
    expect(await machines[0]?.store.find()).toMatchObject({ seenAt: 8 });
  });

  test.each([
    ['invalid UTF-8', "redis.call('SET', KEYS[1], '\\255\\254{')"],
    ['a list', "redis.call('RPUSH', KEYS[1], 'x')"],
    ['a number', "redis.call('INCR', KEYS[1])"],
  ])('replaces %s', async (_, script) => {
    const { store, redis, reported } = openOn(await startRedis());
    const run = (text: string) => redis.send(['EVAL', text, '1', getRedisKey('a')], 5_000);
    await run(script);
    expect(await store.find()).toEqual(emptyQuotaState);
    await run(`redis.call('DEL', KEYS[1]) ${script}`);
    expect(await countOne(store)).toBe(0);
    expect(await countOne(store)).toBe(1);
    expect(reported).toEqual([]);
  });

  test('stores a state with a TTL', async () => {
    const { store, redis } = openOn(await startRedis());
    await countOne(store);
    const ttlMs = Number(await redis.send(['PTTL', getRedisKey('a')], 5_000));
    expect(ttlMs).toBeGreaterThan(3_590_000);
    expect(ttlMs).toBeLessThanOrEqual(3_600_000);
  });

  test('uses the local store if Redis is out of memory', async () => {
    const { store, redis, reported } = openOn(await startRedis());
    await redis.send(['CONFIG', 'SET', 'maxmemory', '1'], 5_000);
    expect(await countOne(store)).toBe(0);
    expect(await countOne(store)).toBe(1);
    expect(reported).toEqual(['rejected the command (OOM)']);
  });
});
