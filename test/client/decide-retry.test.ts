import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HttpResponse } from '../../src/api/http.js';
import type { Outcome } from '../../src/api/outcome.js';
import { decideRetry, type RetryState } from '../../src/client/decide-retry.js';
import { completeOutcome, lostOutcome } from '../../src/client/outcome.js';
import { newResponse } from '../support/test-client.js';

const now = Date.UTC(2026, 10, 21, 12);

const request = { method: 'GET', origin: 'https://store.example', target: '/v1/pets', headers: {} };

const state: RetryState = {
  retries: 0,
  elapsedMs: 0,
  timeoutMs: 30_000,
  maxWaitMs: 60_000,
  now,
  random: () => 0,
};

const failed = (code: string, sent: boolean, status?: number): Outcome =>
  lostOutcome(
    request,
    { kind: 'network', code },
    {
      sent,
      response: status === undefined ? undefined : { status, headers: {} },
    },
  );

const complete = (response: HttpResponse) => completeOutcome(request, response);

const pauses = (
  method: string,
  outcome: Outcome,
  { retryAt, random = 0 }: { retryAt?: number; random?: number } = {},
) =>
  [0, 1, 2].map((retries) => {
    const { lost, response } = outcome;
    const sent = { ...request, method };
    const { effect } = lost ? lostOutcome(sent, lost, outcome) : completeOutcome(sent, response);
    const repeatableUntil = effect === 'none' ? undefined : 0;
    const given = { ...state, repeatableUntil, retries, random: () => random };
    return decideRetry({ ...outcome, retryAt }, given)?.delayMs;
  });

const final = [undefined, undefined, undefined];
const network = [
  [200, 200, undefined],
  [800, 1_600, undefined],
];
const once = [
  [500, undefined, undefined],
  [2_000, undefined, undefined],
];
const service = [
  [500, 500, undefined],
  [2_000, 4_000, undefined],
];
const onceNetwork = [
  [200, undefined, undefined],
  [800, undefined, undefined],
];
const refused = [
  [0, 0, undefined],
  [0, 0, undefined],
];
const never = [final, final];

type Row = readonly [what: string, outcome: Outcome, get: unknown[][], post: unknown[][]];

const unreached = ['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];
const hopeless = ['ENOTFOUND', 'CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'EPROTO', 'UND_ERR_INVALID_ARG'];
const broken = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET'];
const statuses = (list: readonly number[], get: unknown[][], post: unknown[][]) =>
  list.map((status): Row => [`an answer ${status}`, complete(newResponse(status)), get, post]);

const table: readonly Row[] = [
  ...unreached.map((code): Row => [`${code} before it left`, failed(code, false), network, network]),
  ...hopeless.map((code): Row => [`${code} before it left`, failed(code, false), never, never]),
  ['a deadline before it left', failed('Failure', false), never, never],
  ...broken.map((code): Row => [`${code} after it left`, failed(code, true), network, never]),
  ['a deadline after it left', failed('Failure', true), never, never],
  ['an answer that is not HTTP', failed('HPE_INVALID_CONSTANT', true), never, never],
  ['an answer too large', failed('UND_ERR_RES_EXCEEDED_MAX_SIZE', true, 200), never, never],
  ['an answer 200 that is cut off', failed('UND_ERR_SOCKET', true, 200), onceNetwork, never],
  ['an answer 201 that is cut off', failed('UND_ERR_SOCKET', true, 201), onceNetwork, never],
  ['an answer 429 that is cut off', failed('UND_ERR_SOCKET', true, 429), refused, refused],
  ['an answer 500 that is cut off', failed('UND_ERR_SOCKET', true, 500), service, never],
  ['an answer 404 that is cut off', failed('UND_ERR_SOCKET', true, 404), never, never],
  ...statuses([429], refused, refused),
  ...statuses([500, 502, 503, 504], service, never),
  ...statuses([408, 425], once, once),
  ...statuses([200, 201, 301, 302, 307, 400, 401, 403, 404, 409, 410, 422, 501, 505], never, never),
];

describe.each(['GET'])('%s is retried or not after', (method) => {
  test.each(table)('%s', (_, outcome, [least, most]) => {
    expect(pauses(method, outcome, { random: 0 })).toEqual(least);
    expect(pauses(method, outcome, { random: 1 })).toEqual(most);
  });
});

describe.each(['POST', 'DELETE'])('%s is retried or not after', (method) => {
  test.each(table)('%s', (_, outcome, __, [least, most]) => {
    expect(pauses(method, outcome, { random: 0 })).toEqual(least);
    expect(pauses(method, outcome, { random: 1 })).toEqual(most);
  });
});

describe.each([
  ['later', now + 7_000, 7_000],
  ['at once', now, 1_000],
  ['in the past', now - 7_000, 1_000],
])('a time to retry (%s)', (_, retryAt, pause) => {
  test.each([500, 502, 503, 504])('delays the retry of a GET after %i', (status) => {
    expect(pauses('GET', complete(newResponse(status)), { retryAt })).toEqual([pause, pause, undefined]);
    expect(pauses('POST', complete(newResponse(status)), { retryAt })).toEqual(final);
  });

  test.each([408, 425])('delays the only retry after %i', (status) => {
    expect(pauses('GET', complete(newResponse(status)), { retryAt })).toEqual([pause, undefined, undefined]);
    expect(pauses('POST', complete(newResponse(status)), { retryAt })).toEqual([pause, undefined, undefined]);
  });

  test.each([200, 400, 403, 404, 501])('does not make %i retryable', (status) => {
    expect(pauses('GET', complete(newResponse(status)), { retryAt })).toEqual(final);
  });
});

test('the wait comes from the quota, the service or the backoff', () => {
  const namedBy = (status: number, retryAt?: number) =>
    decideRetry({ ...complete(newResponse(status)), retryAt }, state)?.waitSource;
  expect(namedBy(429)).toBe('quota');
  expect(namedBy(503, now + 1)).toBe('service');
  expect(namedBy(503)).toBe('backoff');
  expect(namedBy(500, now + 1)).toBe('service');
  expect(namedBy(408)).toBe('backoff');
});

test('no attempt starts later than the timeout after the first, and none waits longer than the maximum', () => {
  const failing = complete(newResponse(500));
  expect(decideRetry(failing, { ...state, elapsedMs: 29_499 })).toBeDefined();
  expect(decideRetry(failing, { ...state, elapsedMs: 29_500 })).toBeUndefined();
  for (const status of [429, 503]) {
    const limited = { ...complete(newResponse(status)), retryAt: now + 60_000 };
    expect(decideRetry(limited, { ...state, elapsedMs: 29_999 })).toBeDefined();
    expect(decideRetry(limited, { ...state, elapsedMs: 30_000 })).toBeUndefined();
    expect(decideRetry({ ...limited, retryAt: now + 60_001 }, state)).toBeUndefined();
  }
});

test('what petstore itself ended is never retried', () => {
  for (const response of [undefined, { status: 503, headers: {} }]) {
    for (const lost of [{ kind: 'canceled' }, { kind: 'timeout', timeoutMs: 9 }] as const) {
      expect(decideRetry(lostOutcome(request, lost, { sent: true, response }), state)).toBeUndefined();
    }
  }
});

test('a change that the service may have made is never retried', () => {
  const outcome = fc.oneof(
    fc
      .integer({ min: 200, max: 599 })
      .filter((status) => ![408, 425, 429].includes(status))
      .map((status) => complete(newResponse(status))),
    fc.constantFrom(...unreached, ...hopeless, ...broken).map((code) => failed(code, true)),
  );
  fc.assert(
    fc.property(outcome, fc.constantFrom('POST', 'PUT', 'DELETE'), (outcome, method) => {
      expect(pauses(method, outcome, { retryAt: now + 1 })).toEqual(final);
    }),
  );
});

describe('a create with a key that the service honors', () => {
  const count = (outcome: Outcome, isUnsettled: boolean) => {
    for (let retries = 0; ; retries += 1) {
      const repeatableUntil = isUnsettled ? now + 3_600_000 : undefined;
      if (!decideRetry(outcome, { ...state, repeatableUntil, retries })) return retries;
    }
  };

  test.each([
    ['a reset', failed('ECONNRESET', true)],
    ['a truncated 201', failed('UND_ERR_SOCKET', true, 201)],
    ['a 500', complete(newResponse(500))],
    ['a 503', complete(newResponse(503))],
    [
      'a request in progress',
      complete(newResponse(409, { code: 'idempotency_in_progress', message: 'x', status: 409 })),
    ],
    ['a refused connection', failed('ECONNREFUSED', false)],
    ['a 429', complete(newResponse(429))],
  ])('is sent up to ten times more to settle an outcome: %s', (_, outcome) => {
    expect(count(outcome, true)).toBe(10);
  });

  test('is retried twice if it was not sent', () => {
    expect(count(failed('ECONNREFUSED', false), false)).toBe(2);
    expect(count(complete(newResponse(429)), false)).toBe(2);
  });

  test.each([
    ['an oversized response', failed('UND_ERR_RES_EXCEEDED_MAX_SIZE', true)],
    ['a certificate', failed('CERT_HAS_EXPIRED', false)],
    ['a conflict', complete(newResponse(409, { code: 'conflict', message: 'x', status: 409 }))],
    ['a redirect', complete(newResponse(302))],
    ['a rejected key', complete(newResponse(401))],
  ])('is not sent again: %s', (_, outcome) => {
    expect(count(outcome, true)).toBe(0);
  });
});
