import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { createRedactor } from '../../src/config/secret.js';
import { parseRedisAddress, type RedisAddress } from '../../src/quota/redis-address.js';
import { openRedis } from '../../src/quota/redis-connection.js';
import { createHandle } from '../../src/server/handle.js';
import { createMeters, type Meters, tighter } from '../../src/server/limits.js';
import { createRedisMeters } from '../../src/server/redis-meters.js';
import { hasRedis, startRedis, type TestRedis } from '../support/redis.js';
import { openStore, testKey } from '../support/store.js';

describe.skipIf(!hasRedis)('with redis-server, limits', () => {
  let server: TestRedis;
  let redis: ReturnType<typeof openRedis>;
  let meters: Meters;

  beforeEach(async () => {
    server = await startRedis();
    const address = parseRedisAddress(server.url) as RedisAddress;
    redis = openRedis(address, { clock: systemClock, redactor: createRedactor(), pause: 0 });
    meters = createRedisMeters(redis);
    return () => redis.close();
  });

  const start = Date.UTC(2026, 10, 21, 12);
  const limits = { perMinute: 2, perDay: 5 };
  const minute = 60_000;
  const day = 86_400_000;

  test('are counted as in the database, step by step, wherever the clock goes', async () => {
    const { database } = await openStore({ empty: true });
    const wait = fc.oneof(
      fc.integer({ min: 0, max: 2_000 }),
      fc.constantFrom(minute, 5 * minute, 60 * minute, day),
      fc.integer({ min: -2 * day, max: 2 * day }),
      // As long as the service says, or a moment more or less.
      fc.constantFrom('retry-1', 'retry+0', 'retry+1'),
      fc.constantFrom('retry+0'),
    );
    const step = fc.record({
      wait,
      times: fc.integer({ min: 1, max: 13 }),
      more: fc.oneof({ arbitrary: fc.constant(0), weight: 5 }, fc.integer({ min: -1, max: 3 })),
    });
    const history = fc.record({
      steps: fc.array(step, { maxLength: 30 }),
      bannable: fc.oneof({ arbitrary: fc.constant(true), weight: 3 }, fc.constant(false)),
      perMinute: fc.integer({ min: 2, max: 5 }),
      perDay: fc.integer({ min: 2, max: 12 }),
      lengths: fc.constantFrom(undefined, undefined, { minute: 3_000, day: 20_000_000 }),
    });
    let subjects = 0;
    let bans = 0;
    await fc.assert(
      fc.asyncProperty(history, async ({ steps, bannable, lengths, ...given }) => {
        subjects += 1;
        const subject = `key ${subjects}`;
        const inSql = createMeters(database, lengths);
        const inRedis = createRedisMeters(redis, lengths);
        let now = start;
        let retryAt = start;
        for (const { wait, times, more } of steps) {
          const isTold = typeof wait === 'string';
          now = Math.max(1, isTold ? retryAt + Number(wait.slice(5)) : now + wait);
          const own = { perMinute: given.perMinute + more, perDay: given.perDay + more };
          for (let count = 0; count < times; count += 1) {
            const call = [subject, own, bannable, now] as const;
            const verdict = await inSql.count(...call);
            expect(await inRedis.count(...call)).toEqual(verdict);
            retryAt = Math.max(now, verdict.retryAt);
            if (verdict.retryAt - now > 20 * minute && verdict.refused === 'key_banned') bans += 1;
          }
          const standing = await inRedis.standing(subject, own, now);
          expect(standing).toEqual(await inSql.standing(subject, own, now));
        }
      }),
      { numRuns: 80 },
    );
    // Among these histories are some with one ban after another.
    expect(bans).toBeGreaterThan(10);
  });

  test('let exactly one of two hundred parallel requests through at 59 of 60', async () => {
    const own = { perMinute: 60, perDay: 1_000 };
    const count = () => meters.count('key a', own, true, start);
    for (let sent = 0; sent < 59; sent += 1) await count();
    const verdicts = await Promise.all(Array.from({ length: 200 }, count));
    expect(verdicts.filter(({ refused }) => refused === undefined)).toHaveLength(1);
  });

  test('are kept apart by subject, and reading counts nothing', async () => {
    await meters.count('key a', limits, true, start);
    const untouched = { limit: 2, remaining: 2, resetAt: start + minute };
    const left = async (key: string) => tighter(await meters.standing(key, limits, start));
    expect(await left('key b')).toEqual(untouched);
    expect((await left('key a')).remaining).toBe(1);
    expect((await left('key a')).remaining).toBe(1);
  });

  test('are forgotten a minute after they mean nothing any more', async () => {
    const lifetime = async (key: string) =>
      Number(await redis.send(['PTTL', `petstore:meter:${key}`], 1_000));
    const lengths = { minute: 1_000, day: 5_000 };
    const brief = createRedisMeters(redis, lengths);
    await brief.count('key a', limits, true, start);
    expect(await lifetime('key a')).toBeGreaterThan(60_000);
    expect(await lifetime('key a')).toBeLessThanOrEqual(65_000);
    for (let sent = 0; sent < 12; sent += 1) await brief.count('key a', limits, true, start);
    expect(await lifetime('key a')).toBeGreaterThan(300_000);
    expect(await lifetime('key a')).toBeLessThanOrEqual(360_000);
  });

  test.each([
    ['SET', 'petstore:meter:key a', 'x'],
    ['HSET', 'petstore:meter:key a', 'minute_used', 'x'],
    ['HSET', 'petstore:meter:key a', 'refusals', '3'],
  ])('start anew over what others put there: %s %s %s', async (...words) => {
    await redis.send(words, 1_000);
    const verdict = await meters.count('key a', limits, true, start);
    expect(verdict).toMatchObject({ refused: undefined, quota: { remaining: 1 } });
  });

  test.each([
    ['minute_used', 'nan'],
    ['minute_used', 'inf'],
    ['minute_used', '-5'],
    ['day_used', 'inf'],
    ['day_end', '1e300'],
    ['bans', 'nan'],
  ])('start anew where %s is %s', async (field, value) => {
    await meters.count('key a', limits, true, start);
    await redis.send(['HSET', 'petstore:meter:key a', field, value], 1_000);
    const { minute, day } = await meters.standing('key a', limits, start);
    expect([minute.remaining, day.remaining].every(Number.isInteger)).toBe(true);
    const verdict = await meters.count('key a', limits, true, start);
    expect(verdict).toMatchObject({ refused: undefined, quota: { remaining: 1 } });
    expect(await redis.send(['HGET', 'petstore:meter:key a', field], 1_000)).toMatch(/^[0-9]+$/);
  });

  test('that cannot be counted are 503 for a while, /healthz too, and then all is well', async () => {
    const { database } = await openStore();
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const handle = createHandle({ database, meters, clock: systemClock, onError });
    const ask = async (target: string) => {
      const request = { method: 'GET', origin: 'http://127.0.0.1', target };
      const headers = { authorization: `Bearer ${testKey}` };
      const begin = Date.now();
      const response = await handle({ ...request, headers }, '127.0.0.1');
      expect(Date.now() - begin).toBeLessThan(3_000);
      return response;
    };
    expect((await ask('/v1/pets')).status).toBe(200);
    for (const [cut, heal] of [
      [server.kill, server.restart],
      [async () => server.freeze(), async () => server.thaw()],
    ] as const) {
      await cut();
      const refused = await ask('/v1/pets');
      expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
      expect(JSON.parse(new TextDecoder().decode(refused.body)).code).toBe('unavailable');
      expect((await ask('/healthz')).status).toBe(503);
      await heal();
      expect((await ask('/healthz')).status).toBe(200);
      expect((await ask('/v1/pets')).status).toBe(200);
    }
    expect(String(errors[0])).toContain('the limits at redis://127.0.0.1:');
  });
});
