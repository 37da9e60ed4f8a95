import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HttpRequest, HttpResponse } from '../../src/api/http.js';
import type { Outcome, Transport } from '../../src/api/outcome.js';
import { compose } from '../../src/client/middleware.js';
import { completeOutcome, lostOutcome } from '../../src/client/outcome.js';
import { withDeadline } from '../../src/client/with-deadline.js';
import { withQuota } from '../../src/client/with-quota.js';
import { withRetries } from '../../src/client/with-retries.js';
import { findSupport } from '../../src/quota/idempotency-support.js';
import { emptyQuotaState, type QuotaState } from '../../src/quota/quota-state.js';
import { fakeClock } from '../support/clock.js';
import { memoryQuotaStore, newResponse, settle } from '../support/test-client.js';

const now = Date.UTC(2026, 10, 21, 12);
const never = new AbortController().signal;
const get: HttpRequest = { method: 'GET', origin: 'https://store.example', target: '/v1/pets', headers: {} };
const post: HttpRequest = { ...get, method: 'POST' };
const keyed: HttpRequest = { ...post, headers: { 'idempotency-key': 'k1' } };

type Step = HttpResponse | { readonly code: string; readonly sent: boolean } | 'hangs';

interface PipelineOptions {
  readonly state?: QuotaState;
  /** How long each attempt takes, in milliseconds. */
  readonly durationMs?: number;
  readonly send?: Transport;
  readonly maxWaitMs?: number;
}

/** Opens retries, quota and deadline in front of a transport that takes one step for each attempt; the last step repeats. */
function openPipeline(
  steps: readonly Step[],
  { state = emptyQuotaState, durationMs = 0, send, maxWaitMs = 60_000 }: PipelineOptions = {},
) {
  const clock = fakeClock(now);
  const store = memoryQuotaStore(state);
  const sentAt: number[] = [];
  const retries: string[] = [];
  let ids = 0;
  const takeStep: Transport = async (request, signal) => {
    const step = steps[Math.min(sentAt.length, steps.length - 1)] as Step;
    sentAt.push(clock.now() - now);
    const lose = () => lostOutcome(request, { kind: 'canceled' }, { sent: true });
    if (step === 'hangs') {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      return lose();
    }
    const isAborted = durationMs > 0 && (await clock.sleep(durationMs, signal).catch(() => true));
    if (isAborted) return lose();
    if ('status' in step) return completeOutcome(request, step);
    return lostOutcome(request, { kind: 'network', code: step.code }, { sent: step.sent });
  };
  const random = () => 0;
  const pipeline = compose(
    [
      withRetries({
        ...{ clock, random, timeoutMs: 30_000, maxWaitMs },
        findSupport: async () => findSupport(await store.read(), '/v1', clock.now()),
        onRetry: ({ reason }, count) => {
          retries.push(`${count}: ${reason}`);
          return async () => {};
        },
      }),
      withQuota(
        {
          ...{ store, clock, random, timeoutMs: 30_000, maxWaitMs, basePath: '/v1' },
          createId: () => `${++ids}`,
          onWait: () => () => {},
          onQuota: () => {},
        },
        {},
      ),
      withDeadline({ timeoutMs: 30_000, clock }),
    ],
    send ?? takeStep,
  );
  /** Lets time pass until the request has ended. */
  const run = async (request: HttpRequest, signal = never): Promise<Outcome> => {
    let ended: Outcome | undefined;
    const sending = pipeline(request, signal).then((outcome) => {
      ended = outcome;
    });
    await settle();
    for (let passed = 0; !ended && passed < 1_000_000; passed += 100) {
      clock.advance(100);
      await settle();
    }
    await sending;
    return ended as Outcome;
  };
  return { run, clock, store, sentAt, retries };
}

/** Returns the status, or the error code of a missing response. */
function codeOf({ lost, response }: Outcome): unknown {
  if (!lost) return response.status;
  return lost.kind === 'network' ? lost.code : lost.kind;
}

const refused = { code: 'ECONNREFUSED', sent: false };
const reset = { code: 'ECONNRESET', sent: true };
const wait = (status: number, seconds: number) => newResponse(status, '', { 'retry-after': String(seconds) });
const blocked: QuotaState = {
  ...emptyQuotaState,
  blockCount: 1,
  block: { startedAt: now, endsAt: now + 50_000, clockUncertaintyMs: 0, maxJitterMs: 0 },
};

describe('a request', () => {
  test.each<[string, HttpRequest, readonly Step[], unknown, readonly number[]]>([
    ['with a response', get, [newResponse(200)], 200, [0]],
    ['refused twice before it is sent', get, [refused, refused, newResponse(200)], 200, [0, 200, 400]],
    ['refused always before it is sent', post, [refused], 'ECONNREFUSED', [0, 200, 400]],
    ['that is a GET on a broken connection', get, [reset, newResponse(200)], 200, [0, 200]],
    ['that is a create on a broken connection', post, [reset, newResponse(200)], 'ECONNRESET', [0]],
    ['that is a GET to a failing service', get, [newResponse(502)], 502, [0, 500, 1_000]],
    ['that is a create to a failing service', post, [newResponse(502)], 502, [0]],
    ['with 503 and Retry-After', get, [wait(503, 7), newResponse(200)], 200, [0, 7_000]],
    ['with 503 and long waits', get, [wait(503, 40), wait(503, 40), newResponse(200)], 200, [0, 40_000, 80_000]],
    ['with 408 and Retry-After', post, [wait(408, 7)], 408, [0, 7_000]],
    ['that is a create with 500 and Retry-After', post, [wait(500, 7)], 500, [0]],
    ['with Retry-After beyond the maximum wait', get, [wait(503, 61), newResponse(200)], 503, [0]],
    ['that is a rate-limited create', post, [wait(429, 7), newResponse(201)], 201, [0, 7_100]],
    ['that is rate limited three times', get, [wait(429, 7)], 429, [0, 7_100, 14_200]],
    ['that is rate limited beyond the maximum wait', get, [wait(429, 61)], 429, [0]],
    ['after different failures', get, [refused, newResponse(500), newResponse(200)], 200, [0, 200, 700]],
    ['that times out', get, ['hangs'], 'timeout', [0]],
  ])('%s', async (_, request, steps, code, times) => {
    const { run, sentAt } = openPipeline(steps);
    expect(codeOf(await run(request))).toBe(code);
    expect(sentAt).toEqual(times);
  });

  test('reports each retry and its reason', async () => {
    const { run, retries } = openPipeline([refused, newResponse(500), newResponse(200)]);
    await run(get);
    expect(retries).toEqual(['1: ECONNREFUSED', '2: the service responded with HTTP 500']);
  });
});

describe('a create with an idempotency key', () => {
  const lifetime = { 'idempotency-key-lifetime': '86400' };
  const idempotency = { basePath: '/v1', seenAt: now, lifetimeMs: 86_400_000 };
  const proven = { ...emptyQuotaState, idempotency };
  const added = newResponse(201, '', lifetime);
  const failing = newResponse(503, '', lifetime);
  const rejected = newResponse(400, { code: 'invalid_request', message: 'x', status: 400 });
  const busy = newResponse(409, { code: 'idempotency_in_progress', message: 'x', status: 409 }, lifetime);
  const expired = { code: 'CERT_HAS_EXPIRED', sent: false };

  test.each<[string, readonly Step[], unknown, Outcome['effect'], readonly number[]]>([
    ['a lost response', [reset, added], 201, 'made', [0, 200]],
    ['a service that recovers', [failing, failing, failing, added], 201, 'made', [0, 500, 1_000, 1_500]],
    ['a service that is restarted', [reset, refused, refused, added], 201, 'made', [0, 200, 400, 600]],
    ['a request in progress', [reset, busy, busy, added], 201, 'made', [0, 200, 700, 1_200]],
    ['rejected content', [reset, rejected], 400, 'none', [0, 200]],
    ['a 400 from a proxy', [reset, newResponse(400, '<html>')], 'ECONNRESET', 'unknown', [0, 200]],
    ['a 409 in another format', [reset, newResponse(409, { title: 'x' })], 'ECONNRESET', 'unknown', [0, 200]],
    ['a service that never responds', ['hangs'], 'timeout', 'unknown', [0]],
    ['a redirect', [failing, newResponse(302)], 302, 'unknown', [0, 500]],
    ['an API key that is revoked', [reset, newResponse(401)], 'ECONNRESET', 'unknown', [0, 200]],
    ['a wait beyond the maximum', [reset, wait(429, 61)], 'ECONNRESET', 'unknown', [0, 200]],
    ['a certificate that expires', [reset, expired], 'ECONNRESET', 'unknown', [0, 200]],
    ['a 201 without its end', [newResponse(201, '{"id":', lifetime), newResponse(503)], 201, 'made', []],
  ])('is settled or stays unknown after %s', async (_, steps, code, effect, times) => {
    const { run, sentAt } = openPipeline(steps, { state: proven });
    const outcome = await run(keyed);
    expect([codeOf(outcome), outcome.effect]).toEqual([code, effect]);
    if (times.length > 0) expect(sentAt).toEqual(times);
  });

  test.each<[string, Partial<QuotaState>]>([
    ['no response has proven it', {}],
    ['the proof is more than an hour old', { idempotency: { ...idempotency, seenAt: now - 3_600_001 } }],
    ['the proof is from the future', { idempotency: { ...idempotency, seenAt: now + 1 } }],
    ['keys expire within a minute', { idempotency: { ...idempotency, lifetimeMs: 60_000 } }],
    ['another base URL has proven it', { idempotency: { ...idempotency, basePath: '/v2' } }],
  ])('is not sent again if %s', async (_, state) => {
    const { run, sentAt } = openPipeline([reset], { state: { ...emptyQuotaState, ...state } });
    expect(await run(keyed)).toMatchObject({ effect: 'unknown', sent: true });
    expect(sentAt).toEqual([0]);
  });

  test('is not sent again after a create that a service accepted without the header', async () => {
    const { run, sentAt, store } = openPipeline([newResponse(201), reset], { state: proven });
    await run(keyed);
    expect(codeOf(await run(keyed))).toBe('ECONNRESET');
    expect(sentAt).toHaveLength(2);
    expect((await store.read()).idempotency).toBeUndefined();
  });

  test('is not sent again if its key expires during a wait for the quota', async () => {
    const reset60 = newResponse(503, '', {
      ...{ 'idempotency-key-lifetime': '90', 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' },
      'x-ratelimit-reset': String(now / 1000 + 45),
    });
    const { run, sentAt } = openPipeline([reset60, added]);
    const outcome = await run(keyed);
    expect([codeOf(outcome), outcome.effect]).toEqual([503, 'unknown']);
    expect(sentAt).toHaveLength(1);
  });

  test('is sent again if an earlier response has proven it', async () => {
    const { run, sentAt } = openPipeline([newResponse(200, '[]', lifetime), reset, added]);
    await run(get);
    expect(codeOf(await run(keyed))).toBe(201);
    expect(sentAt).toHaveLength(3);
  });
});

test.each([
  [undefined, 'unknown'],
  [200, 'unknown'],
  [201, 'made'],
  [404, 'none'],
  [500, 'unknown'],
] as const)('a create whose response (%s) was cut off is %s', (status, effect) => {
  const response = status && { status, headers: {} };
  expect(lostOutcome(post, { kind: 'network', code: 'UND_ERR_SOCKET' }, { sent: true, response }).effect).toBe(effect);
});

describe('the timeout', () => {
  test('holds for each attempt, and a timed-out attempt is not sent again', async () => {
    const { run, clock, sentAt } = openPipeline([newResponse(500), 'hangs'], { durationMs: 10_000 });
    expect(codeOf(await run(get))).toBe('timeout');
    expect(sentAt).toEqual([0, 10_500]);
    expect(clock.now() - now).toBe(40_500);
  });

  test('excludes waits that the service and the quota named', async () => {
    const steps = [wait(429, 50), wait(503, 50), newResponse(200)];
    const { run, sentAt } = openPipeline(steps, { durationMs: 9_000, state: blocked });
    expect(codeOf(await run(get))).toBe(200);
    expect(sentAt).toHaveLength(3);
    expect(sentAt[2]).toBeGreaterThanOrEqual(50_000 + 9_000 + 50_000 + 9_000 + 50_000);
  });

  test('allows no attempt that would start later', async () => {
    const { run, sentAt } = openPipeline([newResponse(500)], { durationMs: 29_600 });
    expect(codeOf(await run(get))).toBe(500);
    expect(sentAt).toEqual([0]);
  });
});

describe('the retry time', () => {
  const headers = { 'retry-after': '90' };
  const retryAt = now + 90_000;

  test.each([429, 403, 503, 500, 200])('is that of a response %i with Retry-After', async (status) => {
    const { run } = openPipeline([newResponse(status, '', headers)]);
    expect(await run(get)).toMatchObject({ response: { status }, retryAt });
  });

  test('is that of the block after a 429 without Retry-After', async () => {
    const { run } = openPipeline([newResponse(429)], { maxWaitMs: 0 });
    expect(await run(get)).toMatchObject({ retryAt: now + 30_000 });
  });

  test('is that of a truncated response', async () => {
    const send: Transport = async (request) =>
      lostOutcome(
        request,
        { kind: 'network', code: 'ECONNRESET' },
        { sent: true, response: newResponse(429, '', headers) },
      );
    const { run } = openPipeline([], { send });
    expect(await run(get)).toMatchObject({ response: { status: 429 }, retryAt });
  });
});

describe('a retry that the quota holds back', () => {
  const block = { startedAt: now, endsAt: now + 90_000, clockUncertaintyMs: 0, maxJitterMs: 0 };

  test.each([
    ['429', wait(429, 7), 429],
    ['503', wait(503, 7), 503],
    ['a reset', reset, 'ECONNRESET'],
  ])('leaves the outcome of the attempt before it: %s', async (_, step, code) => {
    const { run, store, sentAt } = openPipeline([step, newResponse(200)]);
    const running = run(get);
    await settle();
    store.state = { ...emptyQuotaState, blockCount: 1, block };
    expect(codeOf(await running)).toBe(code);
    expect(sentAt).toEqual([0]);
  });

  test('is held back if there was no attempt', async () => {
    const { run } = openPipeline([newResponse(200)], { state: { ...blocked, block } });
    expect(await run(get)).toMatchObject({ lost: { kind: 'held-back' }, sent: false });
  });
});

describe('a canceled create', () => {
  const lost = { kind: 'canceled' };

  test.each<[string, readonly Step[], QuotaState, object]>([
    ['was not sent while it waited for the quota', [newResponse(200)], blocked, { sent: false, effect: 'none' }],
    ['was not sent between two attempts', [refused], emptyQuotaState, { sent: false, effect: 'none' }],
    ['had no effect in a wait after a 429', [wait(429, 50)], emptyQuotaState, { sent: true, effect: 'none' }],
    ['may have had an effect after it was sent', ['hangs'], emptyQuotaState, { sent: true, effect: 'unknown' }],
  ])('%s', async (_, steps, state, facts) => {
    const controller = new AbortController();
    const { run, store } = openPipeline(steps, { state });
    const running = run(post, controller.signal);
    await settle();
    controller.abort();
    expect(await running).toMatchObject({ lost, ...facts });
    expect(store.state.permits).toEqual([]);
  });

  test('stays unknown between two attempts that may have made it', async () => {
    const idempotency = { basePath: '/v1', seenAt: now, lifetimeMs: 86_400_000 };
    const controller = new AbortController();
    const { run } = openPipeline([reset], { state: { ...emptyQuotaState, idempotency } });
    const running = run(keyed, controller.signal);
    await settle();
    controller.abort();
    expect(await running).toMatchObject({ lost, sent: true, effect: 'unknown' });
  });

  test('is not sent if it was canceled while its permit was stored', async () => {
    const controller = new AbortController();
    const { run, store, sentAt } = openPipeline([newResponse(200)]);
    const { update } = store;
    store.update = (edit) => {
      controller.abort();
      return update(edit);
    };
    expect(await run(post, controller.signal)).toMatchObject({ lost, sent: false });
    expect(sentAt).toEqual([]);
    expect(store.state.permits).toEqual([]);
  });
});

test('a local error ends the request and gives its permit back', async () => {
  const { run, store } = openPipeline([], { send: () => Promise.reject(new RangeError('mine')) });
  await expect(run(get)).rejects.toThrow(RangeError);
  await settle();
  expect(store.state).toEqual(emptyQuotaState);
});

/** What the service does with one attempt of a create, and what the client sees of it. */
interface Fate {
  readonly isCarriedOut: boolean;
  readonly seen: 'response' | 'reset' | 'refused' | 'cut' | 401 | 408 | 429 | 500 | 503 | '400 html' | 'in progress';
}

const seen = fc.constantFrom<Fate['seen']>(
  ...(['response', 'reset', 'refused', 'cut', 401, 408, 429, 500, 503, '400 html', 'in progress'] as const),
);
/** These responses say that the service has not carried the attempt out. */
const unprocessed: readonly Fate['seen'][] = ['refused', 401, 408, 429, '400 html', 'in progress'];
const fate: fc.Arbitrary<Fate> = fc
  .record({ isCarriedOut: fc.boolean(), seen })
  .map((one) => ({ ...one, isCarriedOut: one.isCarriedOut && !unprocessed.includes(one.seen) }));

/** A service that adds a pet for each create that it carries out; the same key adds one pet if it honors keys. */
function createService(fates: readonly Fate[], honorsKeys: boolean, isRejecting: boolean) {
  const headers = honorsKeys ? { 'idempotency-key-lifetime': '86400' } : {};
  let attempts = 0;
  let pets = 0;
  const send: Transport = async (request) => {
    const { isCarriedOut, seen: what } = fates[attempts] ?? { isCarriedOut: true, seen: 'response' };
    attempts += 1;
    const error = (code: string) => ({ kind: 'network', code }) as const;
    if (what === 'refused') return lostOutcome(request, error('ECONNREFUSED'), { sent: false });
    if (isCarriedOut && !isRejecting && !(honorsKeys && pets > 0)) pets += 1;
    if (what === 'reset') return lostOutcome(request, error('ECONNRESET'), { sent: true });
    const answer = isRejecting
      ? newResponse(400, { code: 'invalid_request', message: 'x', status: 400 }, headers)
      : newResponse(201, '{"id":1}', headers);
    if (what === 'cut' && isCarriedOut) {
      return lostOutcome(request, error('UND_ERR_SOCKET'), { sent: true, response: answer });
    }
    if (what === 'cut') return lostOutcome(request, error('UND_ERR_SOCKET'), { sent: true });
    if (what === 'response' && (isCarriedOut || isRejecting)) return completeOutcome(request, answer);
    if (what === '400 html') return completeOutcome(request, newResponse(400, '<html>'));
    const busy = newResponse(409, { code: 'idempotency_in_progress', message: 'x', status: 409 }, headers);
    if (what === 'in progress') return completeOutcome(request, busy);
    return completeOutcome(request, newResponse(what === 'response' ? 503 : what, '', headers));
  };
  return { send, countPets: () => pets };
}

test('no create is doubled, and its effect is never reported wrongly', async () => {
  const scenario = fc.record({
    fates: fc.array(fate, { maxLength: 6 }),
    honorsKeys: fc.boolean(),
    isProven: fc.boolean(),
    isRejecting: fc.boolean(),
    hasKey: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ fates, honorsKeys, isProven, isRejecting, hasKey }) => {
      const service = createService(fates, honorsKeys && hasKey, isRejecting);
      const idempotency = { basePath: '/v1', seenAt: now, lifetimeMs: 86_400_000 };
      const state = { ...emptyQuotaState, ...(honorsKeys && isProven && { idempotency }) };
      const { run, store } = openPipeline([], { send: service.send, state });
      const { effect } = await run(hasKey ? keyed : post);
      expect(service.countPets()).toBeLessThanOrEqual(1);
      // A 409 says that the service still works on an attempt that this model has ended.
      if (effect !== 'unknown') expect(service.countPets()).toBe(effect === 'made' ? 1 : 0);
      await settle();
      expect(store.state.permits).toEqual([]);
    }),
    { numRuns: 300 },
  );
});
