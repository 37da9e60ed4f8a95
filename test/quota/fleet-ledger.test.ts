import { describe, expect, test } from 'vitest';
import { keyOf, lifetimeOf } from '../../src/quota/fleet-entry.js';
import { openFleetLedger } from '../../src/quota/fleet-ledger.js';
import { type Ledger, type LedgerEntry, unknownEntry } from '../../src/quota/ledger.js';
import type { RedisError } from '../../src/quota/redis.js';
import { fakeClock } from '../support/clock.js';
import { type FakeRedis, fakeRedis } from '../support/fake-redis.js';
import { countOne, memoryLedger, settle } from '../support/ledger.js';

const now = fakeClock().now();
const window = { limit: 60, remaining: 50, since: now, until: now + 60_000, doubt: 0 };
const block = { since: now, until: now + 30_000, doubt: 0, spread: 0 };
const known: LedgerEntry = { ...unknownEntry, seenAt: now, windows: [window] };
const own = reservation('1 here 7-7');
const foreign = reservation('1 here 8-8');

function reservation(owner: string, number = 1) {
  return { id: `${owner} ${number}`, owner, since: now, until: now + 31_000, refusals: 0 };
}

function open({ redis = fakeRedis(), local = memoryLedger(), space = '7-7' } = {}) {
  const clock = fakeClock();
  const told: string[] = [];
  const onAway = ({ message }: RedisError) => told.push(message);
  const ledger = openFleetLedger({ redis, local, space, clock, onAway });
  return { ledger, redis, local, clock, told };
}

const put = (ledger: Ledger, entry: LedgerEntry) =>
  ledger.update('a', () => [entry, undefined as unknown]);
const held = ({ kept }: FakeRedis) => JSON.parse(kept.get(keyOf('a')) ?? 'null');

test('what one machine keeps another finds, under the name of the account alone', async () => {
  const { ledger, redis, local } = open();
  const other = open({ redis, space: '8-8' }).ledger;
  await put(ledger, known);
  expect([...redis.kept.keys()]).toEqual(['petstore:ledger:a']);
  expect(await other.find('a')).toEqual(known);
  expect(await other.find('b')).toBeUndefined();
  expect(local.entry).toBe(unknownEntry);
});

test('an entry that another machine changed in between is edited again as it then is', async () => {
  const { ledger, redis } = open();
  const other = open({ redis, space: '8-8' }).ledger;
  expect(await countOne(ledger)).toBe(0);
  expect(await countOne(other)).toBe(1);
  // What this one has read before is out of date by now.
  expect(await countOne(ledger)).toBe(2);
  redis.meanwhile = () =>
    redis.kept.set(keyOf('a'), JSON.stringify({ ...unknownEntry, seenAt: 9 }));
  expect(await countOne(ledger)).toBe(9);
  expect(held(redis).seenAt).toBe(10);
});

test('updates of many ledgers at once lose nothing', async () => {
  const redis = fakeRedis();
  const ledgers = [1, 2, 3, 4].map((number) => open({ redis, space: `${number}-1` }).ledger);
  const counts = await Promise.all(
    Array.from({ length: 40 }, (_, index) => countOne(ledgers[index % 4] as Ledger)),
  );
  expect(counts.sort((a, b) => a - b)).toEqual([...Array(40).keys()]);
});

test('an edit that changes nothing writes nothing, and goes by what is there now', async () => {
  const { ledger, redis } = open();
  await countOne(ledger);
  redis.kept.set(keyOf('a'), JSON.stringify({ ...unknownEntry, seenAt: 9 }));
  expect(await ledger.update('a', (before) => [before, before.seenAt])).toBe(9);
  expect(redis.calls.filter((name) => name === 'CAS')).toHaveLength(1);
});

test.each(['', '{', 'null', '{"seenAt":"y"}', '\u0000'.repeat(50), '['.repeat(2_000_000)])(
  'what is no entry is as if nothing were there (%#)',
  async (text) => {
    const { ledger, redis, told } = open();
    redis.kept.set(keyOf('a'), text);
    expect(await countOne(ledger)).toBe(0);
    expect(held(redis).seenAt).toBe(1);
    expect(told).toEqual([]);
  },
);

describe('while Redis is away', () => {
  test.each(['away', 'silent'] as const)('(%s) the local ledger serves', async (trouble) => {
    const { ledger, redis, local, told } = open();
    redis.trouble = trouble;
    await put(ledger, known);
    expect(local.entry).toEqual(known);
    expect(await ledger.find('a')).toEqual(known);
    await countOne(ledger);
    expect(told).toHaveLength(1);
    expect(redis.calls).toHaveLength(1);
  });

  test('it goes on from what this process has learned, others counted as sent', async () => {
    const { ledger, redis, local } = open();
    await put(ledger, { ...known, block, refusals: 1, reservations: [own, foreign] });
    redis.trouble = 'away';
    const seen = await ledger.update('a', (before) => [before, before]);
    const windows = [{ ...window, remaining: 49 }];
    expect(seen).toEqual({ ...known, block, refusals: 1, windows, reservations: [own] });
    expect(local.entry).toEqual(seen);
  });

  test('whoever only looks sees that too', async () => {
    const { ledger, redis, told } = open();
    await put(ledger, { ...known, block });
    redis.trouble = 'away';
    expect(await ledger.find('a')).toEqual({ ...known, block });
    expect(told).toEqual(['refuses connections']);
  });

  test('what other processes of this machine know stays', async () => {
    const local = memoryLedger({ ...known, seenAt: now + 5, block });
    const { ledger, redis } = open({ local });
    await put(ledger, { ...known, windows: [{ ...window, remaining: 7 }] });
    redis.trouble = 'away';
    await ledger.update('a', (before) => [before, undefined]);
    expect(local.entry).toMatchObject({ block, windows: [{ remaining: 7 }], seenAt: now + 5 });
  });

  test('it is tried again after a second and then every five, beside the requests, and not told of again', async () => {
    const { ledger, redis, clock, local, told } = open();
    redis.trouble = 'away';
    await countOne(ledger);
    clock.advance(999);
    await countOne(ledger);
    expect(redis.calls).toEqual(['GET']);
    clock.advance(1);
    await countOne(ledger);
    await settle();
    expect(redis.calls).toEqual(['GET', 'PING']);
    clock.advance(4_999);
    await countOne(ledger);
    expect(redis.calls).toEqual(['GET', 'PING']);
    clock.advance(1);
    await countOne(ledger);
    await settle();
    expect(redis.calls).toEqual(['GET', 'PING', 'PING']);
    redis.trouble = undefined;
    clock.advance(5_000);
    expect(await countOne(ledger)).toBe(5);
    await settle();
    expect(await countOne(ledger)).toBe(6);
    expect(held(redis).seenAt).toBe(7);
    expect(local.entry.seenAt).toBe(6);
    expect(told).toHaveLength(1);
  });

  test('what is learned meanwhile is brought along once it is back, and requests under way', async () => {
    const { ledger, redis, clock, local } = open();
    redis.trouble = 'away';
    await put(ledger, { ...known, block, reservations: [own] });
    redis.trouble = undefined;
    redis.kept.set(keyOf('a'), JSON.stringify({ ...known, reservations: [foreign] }));
    clock.advance(5_000);
    await countOne(ledger);
    await settle();
    await ledger.update('a', (before) => [before, undefined]);
    await ledger.settled();
    expect(held(redis)).toMatchObject({ block, reservations: [foreign, own] });
    expect(local.entry.reservations).toEqual([]);
  });
});

describe('the time that Redis may take', () => {
  const slow = (ms: number) => {
    const clock = fakeClock();
    const redis = fakeRedis(async (within) => clock.advance(within));
    const within: number[] = [];
    const delayed = {
      ...redis,
      send: (words: readonly string[], left: number) => {
        within.push(left);
        clock.advance(ms);
        return redis.send(words, left);
      },
      run: (...call: Parameters<typeof redis.run>) => {
        within.push(call[3]);
        clock.advance(ms);
        return redis.run(...call);
      },
    };
    const told: string[] = [];
    const local = memoryLedger();
    const onAway = ({ message }: RedisError) => told.push(message);
    const ledger = openFleetLedger({ redis: delayed, local, space: '7-7', clock, onAway });
    return { ledger, clock, redis, local, within, told };
  };

  test('is a quarter of a second for a request, reading and conflicts together', async () => {
    const { ledger, within, told, redis } = slow(100);
    redis.meanwhile = () => redis.kept.set(keyOf('a'), JSON.stringify(known));
    await countOne(ledger);
    expect(within).toEqual([250, 150, 50]);
    expect(told).toEqual([]);
  });

  test('is not had twice by updates that follow each other at once', async () => {
    const { ledger, clock, within, told } = slow(60);
    await countOne(ledger);
    await countOne(ledger);
    expect(within).toEqual([250, 190, 130]);
    clock.advance(1_000);
    await countOne(ledger);
    expect(within.at(-1)).toBe(250);
    expect(told).toEqual([]);
  });

  test('is had anew by what comes after the answer', async () => {
    const { ledger, within, told } = slow(110);
    await put(ledger, { ...known, reservations: [own] });
    await put(ledger, known);
    expect(within).toEqual([250, 140, 250]);
    expect(told).toEqual([]);
  });

  test('is over though answers come: the local ledger serves', async () => {
    const { ledger, within, told, local } = slow(130);
    await countOne(ledger);
    await countOne(ledger);
    expect(within).toEqual([250, 120]);
    expect(told).toEqual(['does not answer in time']);
    expect(local.entry.seenAt).toBe(2);
  });

  test('is waited for no longer where no answer comes', async () => {
    const { ledger, clock, redis } = slow(0);
    redis.trouble = 'silent';
    const begin = clock.now();
    await countOne(ledger);
    await countOne(ledger);
    expect(clock.now() - begin).toBe(250);
  });
});

describe('an entry that is read ahead', () => {
  test('is not asked for again', async () => {
    const { ledger, redis } = open();
    ledger.prepare('a');
    expect(await countOne(ledger)).toBe(0);
    expect(await countOne(ledger)).toBe(1);
    expect(redis.calls).toEqual(['GET', 'CAS', 'CAS']);
  });

  test('and does not come is waited for no longer than any other', async () => {
    const { ledger, redis, clock, local, told } = open({
      redis: fakeRedis(() => new Promise(() => {})),
    });
    redis.trouble = 'silent';
    ledger.prepare('a');
    const counting = countOne(ledger);
    await settle();
    expect(clock.waits).toEqual([250]);
    clock.advance(250);
    await counting;
    expect(local.entry.seenAt).toBe(1);
    expect(told).toEqual(['does not answer in time']);
  });

  test('and cannot be had is no trouble before it is asked for', async () => {
    const { ledger, redis, told } = open();
    redis.trouble = 'away';
    ledger.prepare('a');
    await settle();
    expect(told).toEqual([]);
    await countOne(ledger);
    expect(told).toEqual(['refuses connections']);
    expect(redis.calls).toEqual(['GET']);
  });
});

test.each([
  ['this process', '1 here 7-7', false],
  ['a process of this machine that ended', '2 here 7-7', true],
  ['one of the same name and id on another machine', '2 here 8-8', false],
  ['one that uses the local ledger alone', '2 here', true],
])('%s has ended: %s, %s', (_, owner, ended) => {
  const local = memoryLedger();
  local.ended.add('2 here');
  const { ledger } = open({ local });
  expect(ledger.owner).toBe('1 here 7-7');
  expect(ledger.hasEnded(owner)).toBe(ended);
});

test('an entry is kept until all in it is over, and an hour', () => {
  expect(lifetimeOf(unknownEntry, now)).toBe(3_600_000);
  const entry = {
    ...known,
    reservations: [own],
    block: { ...block, until: now + 90_000, spread: 0.5 },
  };
  expect(lifetimeOf(entry, now)).toBe(3_600_000 + 90_001);
});

test('it is closed with its connection', () => {
  const { ledger, redis } = open();
  ledger.close();
  expect(redis.isClosed).toBe(true);
});
