import { array, assert, asyncProperty, integer, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HttpResponse } from '../../src/api/http.js';
import { type PlanLimits, plans } from '../../src/api/plan.js';
import { clientNetwork } from '../../src/server/client-address.js';
import { countRequest, keySubject } from '../../src/server/rate-limits.js';
import { type FakeClock, fakeClock } from '../support/clock.js';
import { newDatabaseAddress, openDatabaseAt } from '../support/test-database.js';
import { openStore, type TestStore } from '../support/test-server.js';

const start = Date.UTC(2026, 10, 21, 12);
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Waits, then sends requests; the last one has the response. */
type Step = readonly [waitMs: number, requests: number, expected: Partial<Answer>];

test.each<[string, PlanLimits, readonly Step[]]>([
  [
    'counts down from the first request of a minute',
    { perMinute: 3, perDay: 100 },
    [
      [0, 1, allowed(3, 2, start + minute)],
      [59_999, 1, allowed(3, 1, start + minute)],
    ],
  ],
  [
    'starts a minute with the first request after the end of the last one',
    { perMinute: 3, perDay: 100 },
    [
      [0, 1, allowed(3, 2, start + minute)],
      [minute + 7 * second, 1, allowed(3, 2, start + 2 * minute + 7 * second)],
    ],
  ],
  [
    'ends a minute exactly at its end',
    { perMinute: 1, perDay: 100 },
    [
      [0, 2, rateLimited(1, start + minute, 60)],
      [minute - 1, 1, rateLimited(1, start + minute, 1)],
      [1, 1, allowed(1, 0, start + 2 * minute)],
    ],
  ],
  [
    'rounds Retry-After up, so that it is never early',
    { perMinute: 1, perDay: 100 },
    [
      [0, 1, allowed(1, 0, start + minute)],
      [17_999, 1, rateLimited(1, start + minute, 43)],
      [1, 1, rateLimited(1, start + minute, 42)],
    ],
  ],
  ['reports the day if fewer requests remain in it', { perMinute: 3, perDay: 2 }, [[0, 1, allowed(2, 1, start + day)]]],
  [
    'reports the day if as many remain in both, since it ends later',
    { perMinute: 3, perDay: 3 },
    [[0, 1, allowed(3, 2, start + day)]],
  ],
  ['reports the minute if fewer remain in it', { perMinute: 3, perDay: 4 }, [[0, 1, allowed(3, 2, start + minute)]]],
  [
    'reports the minute if as many remain in both, and it ends later',
    { perMinute: 2, perDay: 4 },
    [
      [0, 2, allowed(2, 0, start + minute)],
      [day - 30 * second, 2, allowed(2, 0, start + day + 30 * second)],
    ],
  ],
  [
    'rejects requests until the end of a day that is used up, and does not count them',
    { perMinute: 2, perDay: 3 },
    [
      [0, 2, allowed(2, 0, start + minute)],
      [minute, 1, allowed(3, 0, start + day)],
      [minute, 5, rateLimited(3, start + day, (day - 2 * minute) / second)],
      [day - 2 * minute, 1, allowed(2, 1, start + day + minute)],
    ],
  ],
  [
    'waits for the day if both windows are used up',
    { perMinute: 2, perDay: 2 },
    [[0, 3, rateLimited(2, start + day, day / second)]],
  ],
  [
    'waits for the minute if both windows are used up, and it ends later',
    { perMinute: 1, perDay: 2 },
    [
      [0, 1, allowed(1, 0, start + minute)],
      [day - 30 * second, 2, rateLimited(1, start + day + 30 * second, 60)],
    ],
  ],
  [
    'does not restart a minute when the clock is set back, nor extend it beyond its length',
    { perMinute: 1, perDay: 100 },
    [
      [0, 1, allowed(1, 0, start + minute)],
      [-30 * minute, 1, rateLimited(1, start - 29 * minute, 60)],
      [minute, 1, { status: 200 }],
    ],
  ],
  [
    'keeps the counter of the day when the clock is set back',
    { perMinute: 100, perDay: 2 },
    [
      [0, 2, allowed(2, 0, start + day)],
      [-2 * day, 1, rateLimited(2, start - day, day / second)],
    ],
  ],
  [
    'bans after ten rejected requests for five minutes, which requests do not extend',
    { perMinute: 1, perDay: 1_000 },
    [
      [0, 10, { code: 'rate_limited' }],
      [
        0,
        1,
        { status: 429, code: 'key_banned', retryAfter: 300, limit: 1, remaining: 0, reset: (start + minute) / second },
      ],
      [4 * minute, 50, { code: 'key_banned', retryAfter: 60 }],
      [minute - 1, 1, { code: 'key_banned', retryAfter: 1 }],
      [1, 1, { status: 200 }],
    ],
  ],
  [
    'does not count requests during a ban',
    { perMinute: 1, perDay: 3 },
    [
      [0, 60, { code: 'key_banned' }],
      [5 * minute, 1, { status: 200, limit: 1, remaining: 0 }],
      [minute, 1, { status: 200, limit: 3, remaining: 0 }],
    ],
  ],
  [
    'bans for five minutes again on another day',
    { perMinute: 1, perDay: 1_000 },
    [
      [0, 11, { code: 'key_banned' }],
      [day, 11, { code: 'key_banned', retryAfter: 300 }],
    ],
  ],
  [
    'waits for a day that is used up and ends after the ban',
    { perMinute: 5, perDay: 1 },
    [[0, 12, { code: 'key_banned', retryAfter: day / second }]],
  ],
  [
    'keeps a ban for at most an hour when the clock is set back',
    { perMinute: 1, perDay: 1_000 },
    [
      [0, 11, { code: 'key_banned' }],
      [-hour, 1, { code: 'key_banned', retryAfter: 3_600 }],
    ],
  ],
])('%s', async (_, limits, steps) => {
  const { clock, store } = await open(limits);
  for (const [waitMs, requests, expected] of steps) {
    clock.advance(waitMs);
    expect(await ask(store, requests)).toMatchObject(expected);
  }
});

test('the reset time is rounded up', async () => {
  const { store } = await open({ perMinute: 1, perDay: 100 }, fakeClock(start + 1));
  expect((await ask(store)).reset).toBe(start / second + 61);
});

test('counts requests that fail for another reason', async () => {
  const { store } = await open({ perMinute: 4, perDay: 100 });
  await store.request('GET', '/v1/pets?limit=0');
  await store.request('GET', '/v1/unknown');
  await store.request('DELETE', '/v1/pets');
  expect(await ask(store)).toEqual(allowed(4, 0, start + minute));
});

test('does not run a rate-limited operation', async () => {
  const { clock, store } = await open({ perMinute: 1, perDay: 100 }, fakeClock(), true);
  await ask(store);
  await store.request('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
  clock.advance(minute);
  expect((await store.request('GET', '/v1/pets')).json).toEqual([]);
});

test('allows one of two hundred concurrent requests at 59 of 60', async () => {
  const { store } = await open(plans.free);
  await ask(store, 59);
  const answers = await Promise.all(Array.from({ length: 200 }, () => ask(store)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(199);
});

test('a ban doubles each time, up to an hour', async () => {
  const { clock, store } = await open({ perMinute: 1, perDay: 1_000 });
  const lengths: unknown[] = [];
  for (let bans = 0; bans < 6; bans += 1) {
    await ask(store, 10);
    const { code, retryAfter = 0 } = await ask(store);
    lengths.push([code, retryAfter / 60]);
    clock.advance(retryAfter * second);
  }
  expect(lengths).toEqual([5, 10, 20, 40, 60, 60].map((length) => ['key_banned', length]));
});

test('rejections that are not consecutive cause no ban', async () => {
  const { clock, store } = await open({ perMinute: 1, perDay: 1_000 });
  for (let round = 0; round < 3; round += 1) {
    const codes = (await askAll(store, 10)).map(({ code }) => code);
    expect(codes).toEqual([undefined, ...Array(9).fill('rate_limited')]);
    clock.advance(minute);
  }
});

describe('requests without a valid key', () => {
  const anonymous = { authorization: undefined };

  test("are counted by address at the Free plan's limits, and never banned", async () => {
    const { store } = await open(plans.business);
    const codes = (await askAll(store, 100, anonymous, '10.0.0.1')).map(({ code }) => code);
    expect(codes).toEqual([...Array(60).fill('unauthorized'), ...Array(40).fill('rate_limited')]);
    const [other] = await askAll(store, 1, anonymous, '10.0.0.2');
    expect(other).toMatchObject({ status: 401, limit: 60, remaining: 59 });
  });

  test('share one counter with and without a wrong key', async () => {
    const { store } = await open(plans.free);
    await askAll(store, 1, anonymous);
    const [answer] = await askAll(store, 1, { authorization: 'Bearer wrong' });
    expect(answer).toMatchObject({ status: 401, remaining: 58 });
  });

  test('do not use the quota of a key at the same address', async () => {
    const { store } = await open(plans.free);
    await askAll(store, 100, anonymous);
    expect(await ask(store)).toMatchObject({ status: 200, remaining: 59 });
  });
});

test('counters and bans survive a restart', async () => {
  const place = await newDatabaseAddress();
  const limits = { perMinute: 2, perDay: 100 };
  const count = async (now: number) => {
    const database = await openDatabaseAt(place);
    const verdict = await countRequest(database, keySubject({ owner: 'a', limits }), now);
    await database.close();
    return verdict;
  };
  expect((await count(start)).quota.remaining).toBe(1);
  expect((await count(start + 1)).quota.remaining).toBe(0);
  for (let refusals = 1; refusals <= 9; refusals += 1) {
    expect((await count(start + 2)).rejectedAs).toBe('rate_limited');
  }
  expect(await count(start + 3)).toMatchObject({
    rejectedAs: 'key_banned',
    retryAt: start + 3 + 5 * minute,
  });
  expect((await count(start + 2 * minute)).rejectedAs).toBe('key_banned');
});

test('lowered limits apply to requests counted before', async () => {
  const { database } = await openStore({ empty: true });
  for (let sent = 0; sent < 5; sent += 1) {
    await countRequest(database, keySubject({ owner: 'a', limits: plans.pro }), start);
  }
  const lowered = { perMinute: 4, perDay: 1_000 };
  expect(await countRequest(database, keySubject({ owner: 'a', limits: lowered }), start)).toEqual({
    rejectedAs: 'rate_limited',
    quota: { limit: 4, remaining: 0, resetAt: start + minute },
    retryAt: start + minute,
    countedAt: start,
  });
});

test('a rejected request is allowed exactly at its retry time', async () => {
  const limits = record({
    perMinute: integer({ min: 1, max: 4 }),
    perDay: integer({ min: 1, max: 12 }),
  });
  const steps = array(integer({ min: 0, max: 90 }), { maxLength: 40 });
  const { database } = await openStore({ empty: true });
  let subjects = 0;
  await assert(
    asyncProperty(limits, steps, async (given, waits) => {
      subjects += 1;
      const count = (now: number, name = subjects) =>
        countRequest(database, keySubject({ owner: String(name), limits: given }), now);
      let now = start;
      for (const wait of waits) {
        now += wait * second;
        const { rejectedAs, retryAt } = await count(now);
        if (!rejectedAs) continue;
        expect(retryAt).toBeGreaterThan(now);
        expect((await count(retryAt - 1)).rejectedAs).toBeDefined();
        const later = await count(retryAt - 1);
        expect((await count(later.retryAt)).rejectedAs).toBeUndefined();
        now = later.retryAt;
      }
    }),
    { numRuns: 50 },
  );
});

interface Answer {
  readonly status: number;
  readonly limit: number;
  readonly remaining: number;
  readonly reset: number;
  readonly retryAfter?: number;
  readonly code?: string;
}

async function open(
  limits: PlanLimits,
  clock = fakeClock(start),
  empty = true,
): Promise<{ clock: FakeClock; store: TestStore }> {
  return { clock, store: await openStore({ clock, limits, empty }) };
}

/** Sends the request `times` times and returns the last response. */
async function ask(store: TestStore, times = 1): Promise<Answer> {
  return (await askAll(store, times)).at(-1) as Answer;
}

async function askAll(
  store: TestStore,
  times: number,
  headers = {},
  address = '127.0.0.1',
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let sent = 0; sent < times; sent += 1) {
    answers.push(answerOf(await store.request('GET', '/v1/pets?limit=1', { headers, address })));
  }
  return answers;
}

function answerOf({ status, headers, json }: HttpResponse & { json: unknown }): Answer {
  const { code } = json as { code?: string };
  return {
    status,
    limit: Number(headers['x-ratelimit-limit']),
    remaining: Number(headers['x-ratelimit-remaining']),
    reset: Number(headers['x-ratelimit-reset']),
    ...(headers['retry-after'] !== undefined && { retryAfter: Number(headers['retry-after']) }),
    ...(code !== undefined && { code }),
  };
}

function allowed(limit: number, remaining: number, resetAt: number): Answer {
  return { status: 200, limit, remaining, reset: resetAt / second };
}

function rateLimited(limit: number, resetAt: number, retryAfter: number): Answer {
  const reset = resetAt / second;
  return { status: 429, limit, remaining: 0, reset, retryAfter, code: 'rate_limited' };
}

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['2001:0DB8::1:2:3:4', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['', ''],
])('the client at %s controls %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});
