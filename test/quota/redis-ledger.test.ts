import { describe, expect, onTestFinished, test } from 'vitest';
import { formatLedgerEntry, parseLedgerEntry } from '../../src/quota/file-ledger.js';
import { emptyLedgerEntry, type Ledger, type LedgerEntry } from '../../src/quota/ledger.js';
import { parseRedisAddress, type RedisAddress } from '../../src/quota/redis-address.js';
import { openRedisConnection, type RedisConnection, type RedisError } from '../../src/quota/redis-connection.js';
import { computeTtlMs, getRedisKey, openRedisLedger } from '../../src/quota/redis-ledger.js';
import { fakeClock } from '../support/clock.js';
import { type FakeRedis, fakeRedis } from '../support/fake-redis.js';
import { countOne, memoryLedger, settle } from '../support/ledger.js';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.js';

const now = fakeClock().now();
const span = { startedAt: now, clockUncertaintyMs: 0 };
const window = { ...span, limit: 60, remaining: 50, endsAt: now + 60_000 };
const block = { ...span, endsAt: now + 30_000, maxJitterMs: 0 };
const known: LedgerEntry = { ...emptyLedgerEntry, seenAt: now, windows: [window] };
const own = reservationOf('1 here 7-7');
const foreign = reservationOf('1 here 8-8');

function reservationOf(owner: string) {
  const id = `${owner} 1`;
  return { id, owner, startedAt: now, endsAt: now + 31_000, rateLimitedStreak: 0 };
}

function open<Redis extends RedisConnection = FakeRedis>({
  redis = fakeRedis() as RedisConnection as Redis,
  local = memoryLedger(),
  pidNamespace = '7-7',
  clock = fakeClock(),
} = {}) {
  const reported: string[] = [];
  const onOffline = ({ message }: RedisError) => reported.push(message);
  const ledger = openRedisLedger({ redis, account: 'a', local, pidNamespace, clock, onOffline });
  return { ledger, redis, local, clock, reported };
}

const put = (ledger: Ledger, entry: LedgerEntry) => ledger.update(() => [entry, undefined as unknown]);
const read = (ledger: Ledger) => ledger.update((before) => [before, before]);
const stored = ({ texts }: FakeRedis) => parseLedgerEntry(texts.get(getRedisKey('a')) ?? '');
const store = ({ texts }: FakeRedis, entry: LedgerEntry) => texts.set(getRedisKey('a'), formatLedgerEntry(entry));

test('shares an entry between machines under the name of the account', async () => {
  const { ledger, redis, local } = open();
  const other = open({ redis, pidNamespace: '8-8' }).ledger;
  await put(ledger, known);
  expect([...redis.texts.keys()]).toEqual(['petstore:ledger:a']);
  expect(await other.find()).toEqual(known);
  expect(local.entry).toBe(emptyLedgerEntry);
});

test('edits an entry again if another machine changed it meanwhile', async () => {
  const { ledger, redis } = open();
  const other = open({ redis, pidNamespace: '8-8' }).ledger;
  expect(await countOne(ledger)).toBe(0);
  expect(await countOne(other)).toBe(1);
  expect(await countOne(ledger)).toBe(2);
  redis.beforeScript = () => store(redis, { ...emptyLedgerEntry, seenAt: 9 });
  expect(await countOne(ledger)).toBe(9);
  expect(stored(redis)?.seenAt).toBe(10);
});

test('reads the current entry for an edit without changes', async () => {
  const { ledger, redis } = open();
  await countOne(ledger);
  store(redis, { ...emptyLedgerEntry, seenAt: 9 });
  expect((await read(ledger)).seenAt).toBe(9);
});

test.each(['', '{', '\u0000'.repeat(50), '['.repeat(2_000_000)])('replaces a damaged entry (%#)', async (text) => {
  const { ledger, redis, reported } = open();
  redis.texts.set(getRedisKey('a'), text);
  expect(await countOne(ledger)).toBe(0);
  expect(stored(redis)?.seenAt).toBe(1);
  expect(reported).toEqual([]);
});

describe('while Redis is offline', () => {
  test.each(['offline', 'silent'] as const)('(%s) uses the local ledger', async (trouble) => {
    const { ledger, redis, local, reported } = open();
    redis.trouble = trouble;
    await put(ledger, known);
    expect(local.entry).toEqual(known);
    expect(await ledger.find()).toEqual(known);
    await countOne(ledger);
    expect(reported).toHaveLength(1);
    expect(redis.commands).toHaveLength(1);
  });

  test('continues from the known state and counts the requests of others as sent', async () => {
    const entry = { ...known, block, rateLimitedStreak: 1 };
    const windows = [{ ...window, remaining: 49 }];
    for (const readEntry of [read, (ledger: Ledger) => ledger.find()]) {
      const { ledger, redis, local, reported } = open();
      await put(ledger, { ...entry, reservations: [own, foreign] });
      redis.trouble = 'offline';
      expect(await readEntry(ledger)).toEqual({ ...entry, windows, reservations: [own] });
      expect(local.entry).toEqual({ ...entry, windows, reservations: [own] });
      expect(reported).toEqual(['refused the connection']);
    }
  });

  test('keeps the state of other processes on this machine', async () => {
    const local = memoryLedger({ ...known, seenAt: now + 5, block });
    const { ledger, redis } = open({ local });
    await put(ledger, { ...known, windows: [{ ...window, remaining: 7 }] });
    redis.trouble = 'offline';
    await read(ledger);
    expect(local.entry).toMatchObject({ block, windows: [{ remaining: 7 }], seenAt: now + 5 });
  });

  test('reconnects after a second, then every five, and reports the outage once', async () => {
    const { ledger, redis, clock, local, reported } = open();
    const countAfter = async (ms: number) => {
      clock.advance(ms);
      const count = await countOne(ledger);
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
    expect(local.entry.seenAt).toBe(6);
    expect(reported).toHaveLength(1);
  });

  test('stores the local state and reservations in Redis after reconnecting', async () => {
    const { ledger, redis, clock, local } = open();
    redis.trouble = 'offline';
    await put(ledger, { ...known, block, reservations: [own] });
    redis.trouble = undefined;
    store(redis, { ...known, reservations: [foreign] });
    clock.advance(5_000);
    await countOne(ledger);
    await settle();
    await read(ledger);
    await ledger.flush();
    expect(stored(redis)).toMatchObject({ block, reservations: [foreign, own] });
    expect(local.entry.reservations).toEqual([]);
  });
});

test('waits at most 250 ms for each reply', async () => {
  const clock = fakeClock();
  const redis = fakeRedis(async (timeoutMs) => clock.advance(timeoutMs));
  redis.trouble = 'silent';
  const { ledger, local } = open({ redis, clock });
  const startedAt = clock.now();
  await countOne(ledger);
  await countOne(ledger);
  expect(clock.now() - startedAt).toBe(250);
  expect(local.entry.seenAt).toBe(2);
});

test('does not read a prefetched entry again', async () => {
  const { ledger, redis } = open();
  ledger.prefetch();
  await settle();
  expect(await countOne(ledger)).toBe(0);
  expect(await countOne(ledger)).toBe(1);
  expect(redis.commands).toEqual(['GET', 'EVAL', 'EVAL']);
});

test('reports an outage only when the entry is used', async () => {
  const { ledger, redis, reported } = open();
  redis.trouble = 'offline';
  ledger.prefetch();
  await settle();
  expect(reported).toEqual([]);
  await countOne(ledger);
  expect(reported).toEqual(['refused the connection']);
});

test.each([
  ['this process', '1 here 7-7', false],
  ['an ended process of this machine', '2 here 7-7', true],
  ['a process of another machine with the same id', '2 here 8-8', false],
  ['an ended process with the local ledger', '2 here', true],
])('%s (%s) has ended: %s', (_, owner, ended) => {
  const local = memoryLedger();
  local.ended.add('2 here');
  const { ledger } = open({ local });
  expect(ledger.owner).toBe('1 here 7-7');
  expect(ledger.hasEnded(owner)).toBe(ended);
});

test('keeps an entry for an hour after everything in it has ended', () => {
  expect(computeTtlMs(emptyLedgerEntry, now)).toBe(3_600_000);
  const longBlock = { ...block, endsAt: now + 90_000, maxJitterMs: 0.5 };
  const entry = { ...known, reservations: [own], block: longBlock };
  expect(computeTtlMs(entry, now)).toBe(3_600_000 + 90_001);
});

test('closes its connection', () => {
  const { ledger, redis } = open();
  ledger.close();
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
    const counts = await Promise.all(machines.map(({ ledger }) => countOne(ledger)));
    expect(counts.sort((a, b) => a - b)).toEqual([...Array(8).keys()]);
    expect(machines.flatMap(({ reported }) => reported)).toEqual([]);
    expect(await machines[0]?.ledger.find()).toMatchObject({ seenAt: 8 });
  });

  test.each([
    ['invalid UTF-8', "redis.call('SET', KEYS[1], '\\255\\254{')"],
    ['a list', "redis.call('RPUSH', KEYS[1], 'x')"],
    ['a number', "redis.call('INCR', KEYS[1])"],
  ])('replaces %s', async (_, script) => {
    const { ledger, redis, reported } = openOn(await startRedis());
    const run = (text: string) => redis.send(['EVAL', text, '1', getRedisKey('a')], 5_000);
    await run(script);
    expect(await ledger.find()).toEqual(emptyLedgerEntry);
    await run(`redis.call('DEL', KEYS[1]) ${script}`);
    expect(await countOne(ledger)).toBe(0);
    expect(await countOne(ledger)).toBe(1);
    expect(reported).toEqual([]);
  });

  test('stores an entry with a TTL', async () => {
    const { ledger, redis } = openOn(await startRedis());
    await countOne(ledger);
    const ttlMs = Number(await redis.send(['PTTL', getRedisKey('a')], 5_000));
    expect(ttlMs).toBeGreaterThan(3_590_000);
    expect(ttlMs).toBeLessThanOrEqual(3_600_000);
  });

  test('uses the local ledger if Redis is out of memory', async () => {
    const { ledger, redis, reported } = openOn(await startRedis());
    await redis.send(['CONFIG', 'SET', 'maxmemory', '1'], 5_000);
    expect(await countOne(ledger)).toBe(0);
    expect(await countOne(ledger)).toBe(1);
    expect(reported).toEqual(['rejected the command (OOM)']);
  });
});
