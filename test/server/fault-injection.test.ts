import { describe, expect, test } from 'vitest';
import { withFaultInjection } from '../../src/server/fault-injection.js';
import type { Respond } from '../../src/server/request-context.js';
import { ConnectionReset } from '../../src/server/responses.js';
import type { Fault } from '../../src/server/server-options.js';
import { fakeClock } from '../support/clock.js';
import { handlerOf, openStore, respondWith, testKey } from '../support/test-server.js';

const always = (kind: Fault['kind']) => [{ kind, probability: 1 }];

describe('a fault', () => {
  test.each([400, 408, 500, 502])('of %i is a response with an Error body', async (status) => {
    const { ask } = await open({ faults: always(status) });
    const answer = await ask();
    expect(answer.status).toBe(status);
    expect(JSON.parse(new TextDecoder().decode(answer.body))).toEqual({
      code: 'fault',
      message: expect.any(String),
      status,
    });
    expect(answer.headers).toMatchObject({
      'idempotency-key-lifetime': '86400',
      'x-ratelimit-limit': '10000',
      'x-ratelimit-remaining': '9999',
      'x-ratelimit-reset': expect.any(String),
    });
    expect(answer.headers['retry-after']).toBeUndefined();
  });

  test.each([429, 503])('of %i has Retry-After', async (status) => {
    const { ask } = await open({ faults: always(status) });
    expect((await ask()).headers['retry-after']).toBe('1');
  });

  test('prevents the operation', async () => {
    const { ask, pets } = await open({ faults: always(500) });
    await ask('POST');
    expect(await pets()).toBe(0);
  });

  test('happens with its probability', async () => {
    const faults = [
      { kind: 503, probability: 0.2 },
      { kind: 'reset', probability: 0.1 },
    ] as const;
    const { outcomes } = await open({ faults });
    const all = await outcomes(2_000);
    const share = (outcome: unknown) => all.filter((one) => one === outcome).length / all.length;
    expect(share(503)).toBeCloseTo(0.2, 1);
    expect(share('reset')).toBeCloseTo(0.08, 1);
    expect(share(201)).toBeCloseTo(0.72, 1);
  });

  test('is reproducible by its seed', async () => {
    const faults = [{ kind: 503, probability: 0.5 }];
    const first = await (await open({ faults, seed: 42 })).outcomes(100);
    expect(await (await open({ faults, seed: 42 })).outcomes(100)).toEqual(first);
    expect(await (await open({ faults, seed: 43 })).outcomes(100)).not.toEqual(first);
  });

  test('never affects a request without a key', async () => {
    const { handle } = await open({ faults: always(500) });
    const request = { method: 'GET', target: '/v1/pets', headers: {} };
    expect((await handle(request, '127.0.0.1')).status).toBe(401);
  });

  test.each(['/healthz', '/livez', '/v1/openapi.json'])('never affects %s', async (target) => {
    const { handle, clock } = await open({ faults: always(500), latency: 1_000 });
    const request = { method: 'GET', target, headers: {} };
    expect((await handle(request, '127.0.0.1')).status).toBe(200);
    expect(clock.waits).toEqual([]);
  });
});

test('a reset happens before or after the operation', async () => {
  const { outcomes, pets } = await open({ faults: always('reset') });
  expect(new Set(await outcomes(100))).toEqual(new Set(['reset']));
  expect(await pets()).toBeGreaterThan(25);
  expect(await pets()).toBeLessThan(75);
});

describe('latency', () => {
  test('delays each operation', async () => {
    const { ask, clock, pets } = await open({ latency: 200 });
    const answer = ask('POST');
    await expect.poll(() => clock.waits).toEqual([200]);
    expect(await pets()).toBe(0);
    clock.advance(200);
    expect((await answer).status).toBe(201);
  });

  test('ends at shutdown with a reset and without the operation', async () => {
    const closing = new AbortController();
    const { ask, pets, clock } = await open({ latency: 200, signal: closing.signal });
    const answer = ask('POST');
    await expect.poll(() => clock.waits).toEqual([200]);
    closing.abort();
    await expect(answer).rejects.toThrow(ConnectionReset);
    expect(await pets()).toBe(0);
  });
});

interface Options {
  readonly faults?: readonly Fault[];
  readonly seed?: number;
  readonly latency?: number;
  readonly signal?: AbortSignal;
}

async function open({ faults = [], seed = 1, latency = 0, signal = new AbortController().signal }: Options) {
  const clock = fakeClock();
  const store = await openStore({ clock, empty: true });
  const wrapOperation = (operate: Respond) =>
    withFaultInjection(operate, { clock, fault: { faults }, seed, latency }, signal);
  const handle = handlerOf(respondWith({ database: store.database, clock, wrapOperation, onError: () => {} }));
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' };
  const body = new TextEncoder().encode('{"name":"Rex","categoryId":1}');
  const ask = (method = 'GET') => handle({ method, target: '/v1/pets', headers, body }, '127.0.0.1');
  /** Adds pets; returns each status, or `reset`. */
  const outcomes = async (times: number) => {
    const all: (number | string)[] = [];
    for (let asked = 0; asked < times; asked += 1) {
      all.push(
        await ask('POST').then(
          ({ status }) => status,
          (error) => (error instanceof ConnectionReset ? 'reset' : String(error)),
        ),
      );
    }
    return all;
  };
  const pets = async () => ((await store.request('GET', '/v1/pets?limit=100')).json as readonly unknown[]).length;
  return { handle, ask, outcomes, pets, clock };
}
