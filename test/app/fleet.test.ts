import { describe, expect, onTestFinished, test } from 'vitest';
import { readPidNamespace } from '../../src/app/fleet.js';
import { createRedactor } from '../../src/config/secret.js';
import { keyOf } from '../../src/quota/fleet-entry.js';
import { openFleetLedger } from '../../src/quota/fleet-ledger.js';
import type { RedisError } from '../../src/quota/redis.js';
import { parseRedisAddress, type RedisAddress } from '../../src/quota/redis-address.js';
import { openRedis } from '../../src/quota/redis-connection.js';
import { fakeClock } from '../support/clock.js';
import { countOne, memoryLedger } from '../support/ledger.js';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.js';

/** No time passes on its clock, so that Redis is never too late, however much else this machine does. */
function open({ url }: TestRedis, space = '7-7') {
  const address = parseRedisAddress(url) as RedisAddress;
  const clock = fakeClock();
  const redis = openRedis(address, { clock, redactor: createRedactor(), pause: 0 });
  onTestFinished(() => redis.close());
  const told: string[] = [];
  const onAway = ({ message }: RedisError) => told.push(message);
  const local = memoryLedger();
  const ledger = openFleetLedger({ redis, local, space, clock, onAway });
  return { ledger, redis, told };
}

describe.skipIf(!hasRedis)('with redis-server, the ledger', () => {
  test('loses nothing where eight machines update it at once', async () => {
    const server = await startRedis();
    const machines = [...Array(8).keys()].map((number) => open(server, `${number}-1`));
    const counts = await Promise.all(machines.map(({ ledger }) => countOne(ledger)));
    expect(counts.sort((a, b) => a - b)).toEqual([...Array(8).keys()]);
    expect(machines.flatMap(({ told }) => told)).toEqual([]);
    expect(await machines[0]?.ledger.find('a')).toMatchObject({ seenAt: 8 });
  });

  test.each([
    ['what is no Unicode', "redis.call('SET', KEYS[1], '\\255\\254{')"],
    ['a list', "redis.call('RPUSH', KEYS[1], 'x')"],
    ['a number', "redis.call('INCR', KEYS[1])"],
  ])('takes %s for a damaged entry, and replaces it', async (_, script) => {
    const { ledger, redis, told } = open(await startRedis());
    await redis.run(script, [keyOf('a')], [], 5_000);
    expect(await ledger.find('a')).toBeUndefined();
    await redis.run(`redis.call('DEL', KEYS[1]) ${script}`, [keyOf('a')], [], 5_000);
    expect(await countOne(ledger)).toBe(0);
    expect(await countOne(ledger)).toBe(1);
    expect(told).toEqual([]);
  });

  test('is written with an end', async () => {
    const { ledger, redis } = open(await startRedis());
    await countOne(ledger);
    const left = Number(await redis.send(['PTTL', keyOf('a')], 5_000));
    expect(left).toBeGreaterThan(3_590_000);
    expect(left).toBeLessThanOrEqual(3_600_000);
  });

  test('is on this machine where Redis has no room left, or may not be written to', async () => {
    const { ledger, redis, told } = open(await startRedis());
    await redis.send(['CONFIG', 'SET', 'maxmemory', '1'], 5_000);
    expect(await countOne(ledger)).toBe(0);
    expect(await countOne(ledger)).toBe(1);
    expect(told).toEqual(['refuses (OOM)']);
  });
});

test.runIf(process.platform === 'linux')(
  'identifies the PID namespace by boot id and number',
  () => {
    expect(readPidNamespace()).toMatch(/^[0-9a-f]{8}-[0-9]+$/);
    expect(readPidNamespace()).toBe(readPidNamespace());
  },
);
