import { array, assert, asyncProperty, integer, record } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HttpResponse } from '../../src/api/http.js';
import { type PlanLimits, plans } from '../../src/api/plan.js';
import { countRequest, keySubject } from '../../src/server/rate-limits.js';
import { type FakeClock, fakeClock } from '../support/clock.js';
import { newDatabaseAddress, openDatabaseAt } from '../support/test-database.js';
import { openStore, type TestStore } from '../support/test-server.js';

const start = Date.UTC(2026, 10, 21, 12);
const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

describe('the minute window', () => {
  test('counts down from its first request', async () => {
    const { clock, store } = await open({ perMinute: 3, perDay: 100 });
    expect(await ask(store)).toEqual(allowed(3, 2, start + minute));
    clock.advance(59_999);
    expect(await ask(store)).toEqual(allowed(3, 1, start + minute));
  });

  test('restarts with the first request after its end', async () => {
    const { clock, store } = await open({ perMinute: 3, perDay: 100 });
    await ask(store);
    clock.advance(minute + 7 * second);
    expect(await ask(store)).toEqual(allowed(3, 2, start + 2 * minute + 7 * second));
  });

  test('ends exactly at its end', async () => {
    const { clock, store } = await open({ perMinute: 1, perDay: 100 });
    await ask(store);
    clock.advance(minute - 1);
    expect(await ask(store)).toEqual(rateLimited(1, start + minute, 1));
    clock.advance(1);
    expect(await ask(store)).toEqual(allowed(1, 0, start + 2 * minute));
  });

  test('rejects requests beyond the limit with Retry-After', async () => {
    const { clock, store } = await open({ perMinute: 2, perDay: 100 });
    await ask(store, 2);
    clock.advance(18 * second);
    expect(await ask(store)).toEqual(rateLimited(2, start + minute, 42));
  });

  test('rounds Retry-After up, so that it is never early', async () => {
    const { clock, store } = await open({ perMinute: 1, perDay: 100 });
    await ask(store);
    clock.advance(17_999);
    expect(await ask(store)).toEqual(rateLimited(1, start + minute, 43));
  });

  test('rounds the reset time up', async () => {
    const clock = fakeClock(start + 1);
    const { store } = await open({ perMinute: 1, perDay: 100 }, clock);
    expect((await ask(store)).reset).toBe(start / second + 61);
  });
});

describe('the day window', () => {
  test('is reported if fewer requests remain in it', async () => {
    const { store } = await open({ perMinute: 3, perDay: 2 });
    expect(await ask(store)).toEqual(allowed(2, 1, start + day));
  });

  test('is reported if as many remain in both, since it ends later', async () => {
    const { store } = await open({ perMinute: 3, perDay: 3 });
    expect(await ask(store)).toEqual(allowed(3, 2, start + day));
  });

  test('is not reported while fewer requests remain in the minute', async () => {
    const { store } = await open({ perMinute: 3, perDay: 4 });
    expect(await ask(store)).toEqual(allowed(3, 2, start + minute));
  });

  test('is not reported if as many remain in a minute that ends later', async () => {
    const { clock, store } = await open({ perMinute: 2, perDay: 4 });
    await ask(store, 2);
    clock.advance(day - 30 * second);
    await ask(store);
    expect(await ask(store)).toEqual(allowed(2, 0, start + day + 30 * second));
  });

  test('rejects requests until its end once it is used up', async () => {
    const { clock, store } = await open({ perMinute: 2, perDay: 3 });
    await ask(store, 2);
    clock.advance(minute);
    expect(await ask(store)).toEqual(allowed(3, 0, start + day));
    clock.advance(minute);
    expect(await ask(store)).toEqual(rateLimited(3, start + day, (day - 2 * minute) / second));
    clock.advance(day - 2 * minute);
    expect(await ask(store)).toEqual(allowed(2, 1, start + day + minute));
  });

  test('determines Retry-After if both windows are used up', async () => {
    const { store } = await open({ perMinute: 2, perDay: 2 });
    await ask(store, 2);
    expect(await ask(store)).toEqual(rateLimited(2, start + day, day / second));
  });

  test('does not determine Retry-After if the used-up minute ends later', async () => {
    const { clock, store } = await open({ perMinute: 1, perDay: 2 });
    await ask(store);
    clock.advance(day - 30 * second);
    await ask(store);
    expect(await ask(store)).toEqual(rateLimited(1, start + day + 30 * second, 60));
  });
});

test('does not count rejected requests', async () => {
  const { clock, store } = await open({ perMinute: 1, perDay: 2 });
  await ask(store, 9);
  clock.advance(minute);
  expect(await ask(store)).toEqual(allowed(2, 0, start + day));
});

test('counts requests that fail for another reason', async () => {
  const { store } = await open({ perMinute: 4, perDay: 100 });
  await store.request('GET', '/v1/pets?limit=0');
  await store.request('GET', '/v1/unknown');
  await store.request('DELETE', '/v1/pets');
  expect(await ask(store)).toEqual(allowed(4, 0, start + minute));
});

test('returns an Error body for a rate-limited request', async () => {
  const { store } = await open({ perMinute: 1, perDay: 100 });
  await ask(store);
  const response = await store.request('GET', '/v1/pets');
  expect(new TextDecoder().decode(response.body)).toBe(
    '{"code":"rate_limited","message":"the rate limit is exceeded","status":429}',
  );
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

describe('a ban', () => {
  test('follows ten rejected requests and lasts five minutes', async () => {
    const { store } = await open({ perMinute: 1, perDay: 1_000 });
    await ask(store);
    const codes = (await askAll(store, 10)).map(({ code }) => code);
    expect(codes).toEqual([...Array(9).fill('rate_limited'), 'key_banned']);
    expect(await ask(store)).toMatchObject({ status: 429, code: 'key_banned', retryAfter: 300 });
  });

  test('is named in the Error body', async () => {
    const { store } = await banned();
    const response = await store.request('GET', '/v1/pets');
    expect(response.json).toMatchObject({
      code: 'key_banned',
      message: 'the API key is temporarily banned because it kept sending requests while it was rate limited',
    });
  });

  test('continues after the end of the used-up window', async () => {
    const { clock, store } = await banned();
    clock.advance(4 * minute);
    expect(await ask(store)).toMatchObject({ code: 'key_banned', retryAfter: 60 });
  });

  test('ends exactly after five minutes', async () => {
    const { clock, store } = await banned();
    clock.advance(5 * minute - 1);
    expect(await ask(store)).toMatchObject({ code: 'key_banned', retryAfter: 1 });
    clock.advance(1);
    expect(await ask(store)).toMatchObject({ status: 200 });
  });

  test('is not extended by requests during it', async () => {
    const { clock, store } = await banned();
    await ask(store, 50);
    clock.advance(5 * minute);
    expect(await ask(store)).toMatchObject({ status: 200 });
  });

  test('has quota headers', async () => {
    const { store } = await banned();
    expect(await ask(store)).toMatchObject({
      limit: 1,
      remaining: 0,
      reset: (start + minute) / 1000,
    });
  });

  test('does not count requests during it', async () => {
    const { clock, store } = await banned({ perMinute: 1, perDay: 3 });
    await ask(store, 50);
    clock.advance(5 * minute);
    expect(await ask(store)).toMatchObject({ limit: 1, remaining: 0 });
    clock.advance(minute);
    expect(await ask(store)).toMatchObject({ status: 200, limit: 3, remaining: 0 });
  });

  test('doubles each time, up to an hour', async () => {
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

  test('does not follow rejections that are not consecutive', async () => {
    const { clock, store } = await open({ perMinute: 1, perDay: 1_000 });
    for (let round = 0; round < 3; round += 1) {
      const codes = (await askAll(store, 10)).map(({ code }) => code);
      expect(codes).toEqual([undefined, ...Array(9).fill('rate_limited')]);
      clock.advance(minute);
    }
  });

  test('lasts five minutes again on another day', async () => {
    const { clock, store } = await banned();
    clock.advance(day);
    await ask(store);
    await ask(store, 10);
    expect(await ask(store)).toMatchObject({ code: 'key_banned', retryAfter: 300 });
  });

  test('has the Retry-After of a used-up day that ends later', async () => {
    const { store } = await open({ perMinute: 5, perDay: 1 });
    await ask(store, 11);
    expect(await ask(store)).toMatchObject({ code: 'key_banned', retryAfter: day / second });
  });

  test('never applies to an address', async () => {
    const { store } = await open(plans.free);
    const answers = await askAll(store, 100, { authorization: undefined });
    expect(answers.map(({ code }) => code)).toEqual([
      ...Array(60).fill('unauthorized'),
      ...Array(40).fill('rate_limited'),
    ]);
  });
});

describe('requests without a valid key', () => {
  const anonymous = { authorization: undefined };

  test("are counted at the Free plan's limits", async () => {
    const { store } = await open(plans.business);
    const [answer] = await askAll(store, 1, anonymous);
    expect(answer).toMatchObject({ status: 401, limit: 60, remaining: 59 });
  });

  test('are counted by address', async () => {
    const { store } = await open(plans.free);
    await askAll(store, 60, anonymous, '10.0.0.1');
    const [same] = await askAll(store, 1, anonymous, '10.0.0.1');
    const [other] = await askAll(store, 1, anonymous, '10.0.0.2');
    expect(same).toMatchObject({ status: 429, code: 'rate_limited', retryAfter: 60 });
    expect(other).toMatchObject({ status: 401, remaining: 59 });
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

describe('a clock that was set back', () => {
  test('neither restarts a window nor extends it beyond its length', async () => {
    const { clock, store } = await open({ perMinute: 1, perDay: 100 });
    await ask(store);
    clock.advance(-30 * minute);
    expect(await ask(store)).toEqual(rateLimited(1, start - 29 * minute, 60));
    clock.advance(minute);
    expect(await ask(store)).toMatchObject({ status: 200 });
  });

  test('keeps the counter of the day', async () => {
    const { clock, store } = await open({ perMinute: 100, perDay: 2 });
    await ask(store, 2);
    clock.advance(-2 * day);
    expect(await ask(store)).toEqual(rateLimited(2, start - day, day / second));
  });

  test('keeps a ban for at most an hour', async () => {
    const { clock, store } = await banned();
    clock.advance(-hour);
    expect(await ask(store)).toMatchObject({ code: 'key_banned', retryAfter: 60 * 60 });
  });
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

/** Opens a server and gets its key banned. */
async function banned(limits: PlanLimits = { perMinute: 1, perDay: 1_000 }) {
  const opened = await open(limits);
  await ask(opened.store, 11);
  return opened;
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
