import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HttpResponse, Transport } from '../../src/api/http.js';
import { TransportError } from '../../src/client/transport-error.js';
import { withRetries } from '../../src/client/with-retries.js';
import { Failure } from '../../src/failure.js';
import { openGate } from '../../src/quota/gate.js';
import { trackIdempotencySupport } from '../../src/quota/idempotency-support.js';
import { emptyQuotaState, type QuotaState } from '../../src/quota/quota-state.js';
import { fakeClock } from '../support/clock.js';
import { memoryQuotaStore, settle } from '../support/quota-store.js';
import { newResponse } from '../support/test-client.js';

const now = Date.UTC(2026, 10, 21, 12);
const never = new AbortController().signal;
const get = { method: 'GET', origin: 'https://store.example', target: '/v1/pets', headers: {} };
const post = { ...get, method: 'POST' };

type Step = HttpResponse | { readonly code: string; readonly sent: boolean } | 'hangs';

function newAttempts(
  steps: readonly Step[],
  {
    state = emptyQuotaState as QuotaState,
    takes = 0,
    wire,
    maxWait = 60_000,
  }: { state?: QuotaState; takes?: number; wire?: Transport; maxWait?: number } = {},
) {
  const clock = fakeClock(now);
  const store = memoryQuotaStore(state);
  const sentAt: number[] = [];
  const retries: string[] = [];
  const quotas: unknown[] = [];
  const stepping: Transport = async (_, signal) => {
    const step = steps[Math.min(sentAt.length, steps.length - 1)] as Step;
    sentAt.push(clock.now() - now);
    const cut = () => {
      throw new TransportError(signal.reason as Error, { sent: true, response: undefined });
    };
    if (step === 'hangs') {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      return cut();
    }
    if (takes > 0) await clock.sleep(takes, signal).catch(cut);
    if ('status' in step) return step;
    throw new TransportError(Object.assign(new Error(step.code), { code: step.code }), {
      sent: step.sent,
      response: undefined,
    });
  };
  const send = withRetries({
    gate: openGate({
      store,
      clock,
      label: 'staging',
      random: () => 0,
      maxWaitMs: maxWait,
      limitHint: () => undefined,
      onWait: () => async () => {},
    }),
    idempotency: trackIdempotencySupport(store, '/v1', clock),
    clock,
    random: () => 0,
    timeoutMs: 30_000,
    maxWaitMs: maxWait,
    onRetry: ({ reason }, count) => {
      retries.push(`${count}: ${reason}`);
      return async () => {};
    },
    onQuota: (quota, until) => quotas.push(until === undefined ? quota : { ...quota, until }),
  })(wire ?? stepping);
  /** Lets time pass in steps until the request has ended, or for so long. */
  const end = async (sending: Promise<HttpResponse>, longest = 400_000) => {
    let ended: unknown;
    void sending.then(
      ({ status }) => {
        ended = status;
      },
      (error) => {
        ended = error;
      },
    );
    await settle();
    for (let passed = 0; ended === undefined && passed < longest; passed += 100) {
      clock.advance(100);
      await settle();
    }
    return ended;
  };
  return { send, end, clock, store, sentAt, retries, quotas };
}

const refused = { code: 'ECONNREFUSED', sent: false };
const reset = { code: 'ECONNRESET', sent: true };
const wait = (status: number, seconds: number) => newResponse(status, '', { 'retry-after': String(seconds) });

describe('a request', () => {
  test.each<[string, typeof get, readonly Step[], unknown, readonly number[]]>([
    ['with a response', get, [newResponse(200)], 200, [0]],
    ['refused twice before it is sent', get, [refused, refused, newResponse(200)], 200, [0, 200, 400]],
    ['refused always before it is sent', post, [refused], 'ECONNREFUSED', [0, 200, 400]],
    ['that is a GET on a broken connection', get, [reset, newResponse(200)], 200, [0, 200]],
    ['that is a create on a broken connection', post, [reset, newResponse(200)], 'ECONNRESET', [0]],
    ['that is a GET to a failing service', get, [newResponse(502)], 502, [0, 500, 1_000]],
    ['that is a create to a failing service', post, [newResponse(502)], 502, [0]],
    ['with 503 and Retry-After', get, [wait(503, 7), newResponse(200)], 200, [0, 7_000]],
    ['with 500 and Retry-After', get, [wait(500, 7), newResponse(200)], 200, [0, 7_000]],
    ['with 408 and Retry-After', get, [wait(408, 7)], 408, [0, 7_000]],
    ['that is a create with 500 and Retry-After', post, [wait(500, 7)], 500, [0]],
    ['with Retry-After beyond the maximum wait', get, [wait(503, 61), newResponse(200)], 503, [0]],
    ['that is a rate-limited create', post, [wait(429, 7), newResponse(201)], 201, [0, 7_100]],
    ['that is rate limited three times', get, [wait(429, 7)], 429, [0, 7_100, 14_200]],
    ['that is rate limited beyond the maximum wait', get, [wait(429, 61)], 429, [0]],
    ['after different failures', get, [refused, newResponse(500), newResponse(200)], 200, [0, 200, 700]],
  ])('%s', async (_, request, steps, outcome, times) => {
    const { send, end, sentAt } = newAttempts(steps);
    const ended = await end(send(request, never));
    expect(ended instanceof TransportError ? ended.code : ended).toBe(outcome);
    expect(sentAt).toEqual(times);
  });

  test('reports each retry and its reason', async () => {
    const { send, end, retries } = newAttempts([refused, newResponse(500), newResponse(200)]);
    await end(send(get, never));
    expect(retries).toEqual(['1: ECONNREFUSED', '2: the service responded with HTTP 500']);
  });
});

describe('a create with an idempotency key', () => {
  const keyed = { ...post, headers: { 'idempotency-key': 'k1' } };
  const lifetime = { 'idempotency-key-lifetime': '86400' };
  const idempotency = { basePath: '/v1', seenAt: now, lifetimeMs: 86_400_000 };
  const proven = { ...emptyQuotaState, idempotency };
  const added = newResponse(201, '', lifetime);
  const failing = newResponse(503, '', lifetime);
  const rejected = newResponse(400, { code: 'invalid_request', message: 'x', status: 400 });
  const busy = newResponse(409, { code: 'idempotency_in_progress', message: 'x', status: 409 }, lifetime);

  test.each<[string, readonly Step[], unknown, readonly number[]]>([
    ['a lost response', [reset, added], 201, [0, 200]],
    ['a service that fails and recovers', [failing, failing, failing, added], 201, [0, 500, 1_000, 1_500]],
    ['a service that is restarted', [reset, refused, refused, refused, added], 201, [0, 200, 400, 600, 800]],
    ['a request in progress', [reset, busy, busy, added], 201, [0, 200, 700, 1_200]],
    ['rejected content', [reset, rejected], 400, [0, 200]],
    ['a 400 from a proxy', [reset, newResponse(400, '<html>')], 'ECONNRESET', [0, 200]],
    ['a 409 in another format', [reset, newResponse(409, { title: 'x' })], 'ECONNRESET', [0, 200]],
    ['a service that never responds', ['hangs'], 'timeout', [0]],
    ['a redirect', [failing, newResponse(302)], 302, [0, 500]],
    ['an API key that is revoked meanwhile', [reset, newResponse(401)], 'ECONNRESET', [0, 200]],
    ['a wait beyond the maximum', [reset, wait(429, 61)], 'ECONNRESET', [0, 200]],
    [
      'a certificate that expires meanwhile',
      [reset, { code: 'CERT_HAS_EXPIRED', sent: false }],
      'ECONNRESET',
      [0, 200],
    ],
  ])('is settled or stays unknown after %s', async (_, steps, outcome, times) => {
    const { send, end, sentAt } = newAttempts(steps, { state: proven });
    const ended = await end(send(keyed, never));
    const code = ended instanceof TransportError ? ended.code : ended;
    expect(code === 'Failure' ? ((ended as TransportError).cause as Failure).details.code : code).toBe(outcome);
    expect(sentAt).toEqual(times);
  });

  test.each<[string, Partial<QuotaState>]>([
    ['no response has proven it', {}],
    ['the proof is more than an hour old', { idempotency: { ...idempotency, seenAt: now - 3_600_001 } }],
    ['the proof is from the future', { idempotency: { ...idempotency, seenAt: now + 1 } }],
    ['keys expire within a minute', { idempotency: { ...idempotency, lifetimeMs: 60_000 } }],
    ['another base URL has proven it', { idempotency: { ...idempotency, basePath: '/v2' } }],
  ])('is not sent again if %s', async (_, state) => {
    const { send, end, sentAt } = newAttempts([reset], { state: { ...emptyQuotaState, ...state } });
    expect(await end(send(keyed, never))).toMatchObject({ code: 'ECONNRESET', sent: true });
    expect(sentAt).toEqual([0]);
  });

  test('is not sent again after a create that a service accepted without the header', async () => {
    const { send, end, sentAt, store } = newAttempts([newResponse(201), reset], { state: proven });
    await end(send(keyed, never));
    expect(await end(send(keyed, never))).toMatchObject({ code: 'ECONNRESET' });
    expect(sentAt).toHaveLength(2);
    expect((await store.find()).idempotency).toBeUndefined();
  });

  test('is not sent again if its key expires during a wait that the service named', async () => {
    const seconds = { 'idempotency-key-lifetime': '90' };
    const stored = newResponse(503, '', { ...seconds, 'retry-after': '40' });
    const { send, end, sentAt } = newAttempts([newResponse(200, '[]', seconds), stored, added]);
    await end(send(get, never));
    expect(await end(send(keyed, never))).toBe(503);
    expect(sentAt).toHaveLength(2);
  });

  test('is sent again if an earlier response of this process has proven it, and the quota state keeps the proof', async () => {
    const { send, end, sentAt, store } = newAttempts([newResponse(200, '[]', lifetime), reset, added]);
    await end(send(get, never));
    expect(await end(send(keyed, never))).toBe(201);
    expect(sentAt).toHaveLength(3);
    expect((await store.find()).idempotency).toMatchObject({ basePath: '/v1', lifetimeMs: 86_400_000 });
  });

  test('stays unknown if it is canceled before the next attempt', async () => {
    const { send, end } = newAttempts([reset, added], { state: proven });
    const controller = new AbortController();
    const sending = send(keyed, controller.signal);
    await settle();
    controller.abort(new Failure('canceled', { code: 'cancelled', message: 'canceled' }));
    expect(await end(sending)).toMatchObject({ sent: true });
  });

  test('marks its row as not sent only if no attempt may have added the pet', async () => {
    const calls: string[] = [];
    const sendObserver = {
      beforeSend: async () => void calls.push('send'),
      beforeRetry: () => void calls.push('not sent'),
    };
    const { send, end } = newAttempts([refused, reset, wait(429, 1), added], { state: proven });
    expect(await end(send({ ...keyed, sendObserver }, never))).toBe(201);
    expect(calls).toEqual(['send', 'not sent', 'send', 'send', 'send']);
  });
});

describe('the deadline', () => {
  test('counts over all attempts and the pauses between them', async () => {
    const { send, end, clock, sentAt } = newAttempts([newResponse(500), 'hangs'], {
      takes: 10_000,
    });
    expect(await end(send(get, never))).toMatchObject({
      sent: true,
      cause: { details: { code: 'timeout' }, message: 'store.example did not send a complete response within 30 s' },
    });
    expect(sentAt).toEqual([0, 10_500]);
    expect(clock.now() - now).toBe(30_000);
  });

  test('excludes waits that the service named', async () => {
    const steps = [wait(429, 50), wait(503, 50), newResponse(200)];
    const { send, end, sentAt } = newAttempts(steps, { takes: 9_000 });
    expect(await end(send(get, never))).toBe(200);
    expect(sentAt).toHaveLength(3);
    expect(sentAt[2]).toBeGreaterThanOrEqual(9_000 + 50_000 + 9_000 + 50_000);
  });

  test.each<[string, typeof get, HttpResponse]>([
    ['a 429', post, wait(429, 7)],
    ['a 503 with Retry-After', get, wait(503, 7)],
  ])('restarts after %s', async (_, request, late) => {
    const { send, end, sentAt } = newAttempts([late, newResponse(201)], { takes: 29_900 });
    expect(await end(send(request, never))).toBe(201);
    expect(sentAt[1]).toBeGreaterThanOrEqual(29_900 + 7_000);
  });

  test('excludes waits for the gate', async () => {
    const block = { startedAt: now, endsAt: now + 60_000, clockUncertaintyMs: 0, maxJitterMs: 0 };
    const { send, end, sentAt } = newAttempts([newResponse(200)], {
      state: { ...emptyQuotaState, rateLimitedStreak: 1, block },
      takes: 29_900,
    });
    expect(await end(send(get, never))).toBe(200);
    expect(sentAt[0]).toBeGreaterThanOrEqual(60_000);
  });

  test('returns the last response if the backoff would exceed it', async () => {
    const { send, end, sentAt } = newAttempts([newResponse(500)], { takes: 29_600 });
    expect(await end(send(get, never))).toBe(500);
    expect(sentAt).toEqual([0]);
  });
});

describe('the quota', () => {
  const headers = {
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '7',
    'x-ratelimit-reset': String(now / 1000 + 42),
  };

  test('is reported with each response', async () => {
    const { send, quotas } = newAttempts([newResponse(200, '', headers)]);
    await send(get, never);
    expect(quotas).toEqual([{ limit: 60, remaining: 7, resetAt: now + 42_000 }]);
  });

  test('is reported as used up during a block', async () => {
    const refusal = newResponse(429, '', { ...headers, 'retry-after': '90' });
    const { send, quotas } = newAttempts([refusal]);
    await send(get, never);
    const until = now + 90_000;
    expect(quotas.at(-1)).toEqual({ limit: 60, remaining: 0, resetAt: until, until });
  });

  test('is taken from a truncated response', async () => {
    const cut = new TransportError(new Error('cut'), {
      sent: true,
      response: newResponse(200, '', headers),
    });
    const { send, end, store } = newAttempts([], { wire: () => Promise.reject(cut) });
    expect(await end(send(get, never))).toBe(cut);
    expect(store.state.windows).toMatchObject([{ remaining: 7 }]);
  });
});

describe('the retry time', () => {
  const headers = { 'retry-after': '90' };
  const retryAt = now + 90_000;

  test.each([429, 403, 503, 500, 200])('is set on a response %i with Retry-After', async (status) => {
    const { send } = newAttempts([newResponse(status, '', headers)]);
    expect(await send(get, never)).toMatchObject({ status, retryAt });
  });

  test('is set on a 429 without Retry-After', async () => {
    const { send } = newAttempts([newResponse(429)], { maxWait: 0 });
    expect(await send(get, never)).toMatchObject({ status: 429, retryAt: now + 30_000 });
  });

  test('is not set on other responses without Retry-After', async () => {
    const { send } = newAttempts([newResponse(403)]);
    expect(await send(get, never)).not.toHaveProperty('retryAt');
  });

  test('is set on a truncated response', async () => {
    const cut = new TransportError(new Error('cut'), {
      sent: true,
      response: newResponse(429, '', headers),
    });
    const { send } = newAttempts([], { wire: () => Promise.reject(cut) });
    await expect(send(get, never)).rejects.toMatchObject({
      sent: true,
      response: { status: 429, retryAt },
    });
  });
});

describe('a forbidden retry', () => {
  const block = { startedAt: now, endsAt: now + 90_000, clockUncertaintyMs: 0, maxJitterMs: 0 };

  test('returns the response that used up the quota', async () => {
    const failed = newResponse(502, '', {
      'x-ratelimit-limit': '60',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(now / 1000 + 42),
    });
    const { send, end, sentAt } = newAttempts([failed, newResponse(200)], { maxWait: 0 });
    expect(await end(send(get, never))).toBe(502);
    expect(sentAt).toEqual([0]);
  });

  test.each([429, 503])('returns %i if the account is blocked meanwhile', async (status) => {
    const { send, end, store, sentAt } = newAttempts([wait(status, 7), newResponse(200)]);
    const sending = send(get, never);
    await settle();
    store.state = { ...emptyQuotaState, rateLimitedStreak: 1, block };
    expect(await end(sending)).toBe(status);
    expect(sentAt).toEqual([0]);
  });

  test('returns the network error if the account is blocked meanwhile', async () => {
    const { send, end, store } = newAttempts([reset, newResponse(200)]);
    const sending = send(get, never);
    await settle();
    store.state = { ...emptyQuotaState, rateLimitedStreak: 1, block };
    expect(await end(sending)).toMatchObject({ code: 'ECONNRESET' });
  });

  test('fails as rate limited if there was no attempt', async () => {
    const { send, end } = newAttempts([newResponse(200)], {
      state: { ...emptyQuotaState, rateLimitedStreak: 1, block },
    });
    expect(await end(send(get, never))).toMatchObject({ kind: 'rate-limited' });
  });
});

describe('a request that is sent once', () => {
  const once = { ...get, noRetry: true } as const;

  test.each<[string, Step, unknown]>([
    ['refused', wait(429, 1), 429],
    ['failed', newResponse(500), 500],
    ['not let in', refused, 'ECONNREFUSED'],
  ])('is not retried though it %s', async (_, step, outcome) => {
    const { send, end, sentAt } = newAttempts([step]);
    const ended = await end(send(once, never));
    expect(ended instanceof TransportError ? ended.code : ended).toBe(outcome);
    expect(sentAt).toEqual([0]);
  });
});

test.each<[string, readonly Step[], boolean]>([
  ['was never sent', [refused], false],
  ['was rate limited before', [wait(429, 5), refused], true],
])('the error of a request knows whether it %s', async (_, steps, isRetry) => {
  const { send, end } = newAttempts(steps);
  expect(await end(send(post, never))).toMatchObject({ code: 'ECONNREFUSED', sent: false, isRetry });
});

describe('a canceled request', () => {
  const cancelled = new Failure('canceled', { code: 'cancelled', message: 'interrupted' });
  const blocked: QuotaState = {
    ...emptyQuotaState,
    rateLimitedStreak: 1,
    block: { startedAt: now, endsAt: now + 50_000, clockUncertaintyMs: 0, maxJitterMs: 0 },
  };

  test.each<[string, readonly Step[], QuotaState, object]>([
    ['was not sent while it waited for the gate', [newResponse(200)], blocked, { sent: false, isRetry: false }],
    ['had no effect between two attempts', [refused], emptyQuotaState, { sent: false, isRetry: true }],
    ['had no effect in a wait after a 429', [wait(429, 50)], emptyQuotaState, { sent: false, isRetry: true }],
    ['may have had an effect after it was sent', ['hangs'], emptyQuotaState, { sent: true }],
  ])('%s', async (_, steps, state, what) => {
    const controller = new AbortController();
    const { send, store } = newAttempts(steps, { state });
    const sending = send(post, controller.signal).catch((error) => error);
    await settle();
    controller.abort(cancelled);
    const error = await sending;
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ cause: cancelled, ...what });
    await settle();
    expect(store.state.reservations).toEqual([]);
  });

  test('is not sent if it was canceled while its reservation was stored', async () => {
    const controller = new AbortController();
    const { send, store, sentAt } = newAttempts([newResponse(200)]);
    const { update } = store;
    store.update = (edit) => {
      controller.abort(cancelled);
      return update(edit);
    };
    await expect(send(post, controller.signal)).rejects.toMatchObject({ cause: cancelled, sent: false });
    expect(sentAt).toEqual([]);
    expect(store.state.reservations).toEqual([]);
  });

  test('is not retried', async () => {
    const controller = new AbortController();
    let sent = 0;
    const wire: Transport = async () => {
      sent += 1;
      controller.abort(cancelled);
      return newResponse(500);
    };
    const { send } = newAttempts([], { wire });
    expect(await send(get, controller.signal)).toMatchObject({ status: 500 });
    expect(sent).toBe(1);
  });
});

test('a local error releases the permit', async () => {
  const { send, store } = newAttempts([], { wire: () => Promise.reject(new RangeError('mine')) });
  await expect(send(get, never)).rejects.toThrow(RangeError);
  await settle();
  expect(store.state).toEqual(emptyQuotaState);
});

test('a create is sent at most once if it may have arrived, and nothing more than three times', async () => {
  const step = fc.constantFrom<Step>(
    newResponse(201),
    newResponse(400),
    newResponse(408),
    newResponse(500),
    newResponse(503),
    wait(500, 2),
    wait(503, 2),
    wait(429, 2),
    refused,
    reset,
    { code: 'UND_ERR_SOCKET', sent: true },
    { code: 'EAI_AGAIN', sent: false },
    { code: 'ENOTFOUND', sent: false },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      const { send, end, sentAt, store } = newAttempts(steps);
      expect(await end(send(post, never))).toBeDefined();
      expect(sentAt.length).toBeLessThanOrEqual(3);
      const before = steps.slice(0, sentAt.length - 1);
      const mayHaveArrived = before.filter(
        (one) => one === 'hangs' || ('status' in one ? one.status !== 429 : one.sent),
      );
      expect(mayHaveArrived).toEqual([]);
      expect(store.state.reservations).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
