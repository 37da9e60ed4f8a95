import { describe, expect, test } from 'vitest';
import type { HttpResponse } from '../../src/api/http.js';
import { createPet } from '../../src/api/operations.js';
import type { Loss, Outcome, Wait } from '../../src/api/outcome.js';
import { type FailureContext, failureFromOutcome } from '../../src/client/failures.js';
import { completeOutcome, lostOutcome } from '../../src/client/outcome.js';
import { Failure } from '../../src/failure.js';
import { fakeClock } from '../support/clock.js';
import { hintOf, newResponse, testService } from '../support/test-client.js';

const now = Date.UTC(2026, 10, 21, 12);
const checkHint = 'run petstore pets list --all --profile store to look for the pet before you add it again';
const get = { method: 'GET', origin: 'https://store.example:8443', target: '/v1/pets?limit=1', headers: {} };
const baseUrlHint = 'check the base URL, including a version segment such as /v1';
const rejected = 'the service rejected the request';
const failed = 'the service failed';

describe('a failure from a status', () => {
  test.each([
    [400, 'rejected', 'invalid_request', rejected, undefined],
    [
      401,
      'auth',
      'unauthorized',
      'the service rejected the API key',
      'check PETSTORE_API_KEY, or unset it and run petstore auth login --profile store to save another API key',
    ],
    [403, 'auth', 'forbidden', 'the service denied access', 'check that the API key has permission and is not banned'],
    [404, 'not-found', 'not_found', 'the service found nothing at this URL', baseUrlHint],
    [409, 'rejected', 'http_409', rejected, undefined],
    [410, 'not-found', 'gone', 'the service has removed this operation', undefined],
    [413, 'rejected', 'payload_too_large', rejected, undefined],
    [422, 'rejected', 'http_422', rejected, undefined],
    [429, 'rate-limited', 'rate_limited', 'the service rate limited this API key', undefined],
    [500, 'service', 'internal_error', failed, undefined],
    [503, 'service', 'unavailable', failed, undefined],
  ])('maps %d to kind, code, message and hint', (status, kind, code, message, hint) => {
    expect(detailsOf(newResponse(status))).toEqual({
      kind,
      code,
      message: `${message} (HTTP ${status})`,
      hint,
      status,
      retryAt: undefined,
      effect: 'none',
    });
  });

  test.each([400, 401, 403, 404, 409, 410, 422, 429])('maps %d alike for a create and a list', (status) => {
    expect(detailsOf(newResponse(status), 'POST')).toEqual(detailsOf(newResponse(status), 'GET'));
  });

  test.each([500, 503])('leaves the outcome of a create unknown after %d', (status) => {
    expect(detailsOf(newResponse(status, { code: 'down', message: 'sorry' }), 'POST')).toMatchObject({
      kind: 'unknown-outcome',
      code: 'down',
      message: `sorry (HTTP ${status})`,
      outcome: 'it is unknown whether the pet was added',
      hint: checkHint,
      status,
    });
  });

  test.each([
    [301, 'https://elsewhere.example/v1', ' to https://elsewhere.example/v1'],
    [307, undefined, ''],
    [308, 'x'.repeat(300), ` to ${'x'.repeat(199)}…`],
  ])('reports the redirect %d with its location', (status, location, where) => {
    const response = newResponse(status, '', { location });
    const message = `the service redirected the request${where} (HTTP ${status}), and petstore does not follow redirects`;
    expect(detailsOf(response)).toEqual({
      kind: 'service',
      code: 'redirected',
      message,
      hint: baseUrlHint,
      status,
      effect: 'none',
    });
    expect(detailsOf(response, 'POST')).toEqual({
      kind: 'unknown-outcome',
      code: 'redirected',
      message,
      outcome: 'it is unknown whether the pet was added',
      hint: checkHint,
      status,
      effect: 'unknown',
    });
  });

  test.each([
    ['/v1/pets/7', 'run petstore pets list --all --profile store instead'],
    ['/v1/pets/7/photos', undefined],
    ['/v1/store/orders', undefined],
  ])('suggests what replaces %s after a 410', (target, hint) => {
    const context = { ...contextFor('GET'), request: { ...get, target } };
    expect(hintOf(failureFromOutcome(completeOutcome(get, newResponse(410)), context))).toBe(hint);
  });

  test.each([
    ['a complete error', { code: 'odd', message: 'No.', status: 422 }, 'odd', 'No.'],
    ['an error without a code', { message: 'No.' }, 'http_422', 'No.'],
    ['a code that is a number', { code: 17, message: 'No.' }, 'http_422', 'No.'],
    ['problem+json', { type: 'about:blank', title: 'Bad', detail: 'The name is bad.' }, 'http_422', 'The name is bad.'],
    ['an error that is text', { error: 'invalid' }, 'http_422', 'invalid'],
    ['a blank message', { code: 'odd', message: ' ' }, 'http_422', rejected],
    ['a list', ['No.'], 'http_422', rejected],
    ['plain text', 'No.', 'http_422', rejected],
    ['a duplicate key', '{"message":"a","message":"b"}', 'http_422', rejected],
  ])('takes code and message from %s', (_, body, code, message) => {
    expect(detailsOf(newResponse(422, body))).toMatchObject({
      kind: 'rejected',
      code,
      message: `${message} (HTTP 422)`,
      status: 422,
    });
  });

  test('truncates a message to 400 characters and a code to 100', () => {
    const response = newResponse(400, { code: 'c'.repeat(200), message: 'm'.repeat(1_000) });
    expect(detailsOf(response)).toMatchObject({
      code: `${'c'.repeat(99)}…`,
      message: `${'m'.repeat(399)}… (HTTP 400)`,
    });
  });

  const notFound = { code: 'not_found', message: 'not here' };
  test.each([
    ['no hint to an error of the service', '/v1/pets/7', notFound, undefined],
    ['a base URL hint to HTML', '/v1/pets/7', '<h1>404</h1>', baseUrlHint],
    ['a base URL hint to a missing list', '/v2/pets?limit=1', notFound, baseUrlHint],
  ])('adds %s with status 404', (_, target, body, hint) => {
    const context = contextFor('GET');
    const request = { ...context.request, target };
    const { kind, details } = failureFromOutcome(completeOutcome(get, newResponse(404, body)), { ...context, request });
    expect({ kind, ...details }).toMatchObject({ kind: 'not-found', code: 'not_found', hint });
  });

  test.each([429, 503, 403])('has the retry time of a %d', (status) => {
    const outcome = { ...completeOutcome(get, newResponse(status)), retryAt: now + 5_000 };
    expect(failureFromOutcome(outcome, contextFor('GET')).details.retryAt).toBe(now + 5_000);
  });
});

describe('a failure without a response', () => {
  test.each([
    [
      'ECONNREFUSED',
      'store.example:8443 refused the connection',
      'check that the service is running and that the base URL is correct',
    ],
    [
      'ENOTFOUND',
      'the DNS lookup of store.example:8443 failed (ENOTFOUND)',
      'check the base URL and your network connection',
    ],
    [
      'EAI_AGAIN',
      'the DNS lookup of store.example:8443 failed (EAI_AGAIN)',
      'check the base URL and your network connection',
    ],
    [
      'ETIMEDOUT',
      'connecting to store.example:8443 timed out after 5 seconds',
      'check the base URL and your network connection',
    ],
    ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'store.example:8443 sent a response larger than 16 MiB', 'check the base URL'],
    [
      'PROXY_AUTHENTICATION',
      'the proxy for store.example:8443 requires a user name and a password (HTTP 407)',
      'add them to HTTPS_PROXY or HTTP_PROXY, such as http://user:password@proxy.example.com:3128',
    ],
    [
      'PROXY_FAILED',
      'cannot connect to store.example:8443 through the proxy',
      'check HTTPS_PROXY and HTTP_PROXY, or add the host to NO_PROXY',
    ],
    ['E2BIG', 'the connection to store.example:8443 failed (E2BIG)', 'check the base URL and your network connection'],
  ])('describes %s', (code, message, hint) => {
    const kind = code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'service' : 'network';
    const failure = transportFailure('GET', code);
    expect(failure).toMatchObject({ kind, message });
    expect(hintOf(failure)).toBe(hint);
    expect(transportFailure('POST', code)).toMatchObject({ kind, message: `${message}; nothing was sent` });
    const retry = transportFailure('POST', code, { wasSent: true });
    expect(retry).toMatchObject({ kind, message: `${message}; nothing was changed` });
  });

  test.each([
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('describes the untrusted certificate %s', (code) => {
    expect(transportFailure('GET', code)).toMatchObject({
      kind: 'network',
      message: `the TLS certificate of store.example:8443 is not trusted (${code})`,
      details: {
        hint: 'set NODE_EXTRA_CA_CERTS to a file with the CA certificate of your organization',
      },
    });
  });

  test.each(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'])(
    'does not blame a certificate for %s',
    (code) => {
      expect(transportFailure('GET', code).message).not.toContain('certificate');
    },
  );

  test('leaves the outcome of a create unknown once it was sent', () => {
    for (const [code, cause] of [
      ['ECONNRESET', 'closed the connection before the response was complete'],
      ['UND_ERR_SOCKET', 'closed the connection before the response was complete'],
      ['EPIPE', 'closed the connection before the response was complete'],
    ] as const) {
      const failure = transportFailure('POST', code, { sent: true });
      expect(failure).toMatchObject({
        kind: 'unknown-outcome',
        message: `store.example:8443 ${cause}; it is unknown whether the pet was added`,
        details: { code: 'outcome_unknown' },
      });
      expect(hintOf(failure)).toBe(checkHint);
    }
  });

  test('reports a create as done after 201 and a truncated body', () => {
    const failure = transportFailure('POST', 'UND_ERR_SOCKET', { sent: true, status: 201 });
    expect(failure).toMatchObject({ kind: 'unknown-outcome', details: { status: 201 } });
    expect(failure.message).toContain('the pet was added, but its id is unknown');
  });

  test.each<[string, { sent: boolean; wasSent?: boolean; status?: number }, string, string | undefined]>([
    ['GET', { sent: true }, 'ended', undefined],
    ['GET', { sent: false }, 'ended', undefined],
    ['POST', { sent: false }, 'ended; nothing was sent', undefined],
    ['POST', { sent: false, wasSent: true }, 'ended; nothing was changed', undefined],
    ['POST', { sent: true }, 'ended; it is unknown whether the pet was added', checkHint],
    ['POST', { sent: true, status: 201 }, 'ended; the pet was added, but its id is unknown', checkHint],
  ])('describes a canceled %s %j', (method, facts, message, hint) => {
    const signal = AbortSignal.abort(new Failure('canceled', { code: 'cancelled', message: 'ended' }));
    const failure = failureFromOutcome(lose(method, { kind: 'canceled' }, facts), { ...contextFor(method), signal });
    expect(failure).toMatchObject({ kind: 'canceled', message });
    expect(hintOf(failure)).toBe(hint);
  });
});

describe('a failure before a request is sent', () => {
  const span = { endsAt: now + 42_000, marginMs: 0 };
  const failureFor = (lost: Loss, context: Partial<FailureContext> = {}) =>
    failureFromOutcome(lostOutcome(get, lost, { sent: false }), { ...contextFor('GET'), maxWaitMs: 0, ...context });

  test.each<[Wait, string, string | undefined]>([
    [
      { ...span, reason: 'block' },
      'the service rate limited or banned this API key; nothing was sent',
      'pass --max-wait 60 to wait',
    ],
    [
      { ...span, reason: 'window' },
      'no requests are left in this window; nothing was sent',
      'pass --max-wait 60 to wait',
    ],
    [
      { ...span, reason: 'window', endsAt: now + 7_200_000, dayLimit: 1_000 },
      "the day's quota of store (1,000 requests) is used up; nothing was sent",
      'run petstore quota --reset --profile store if the limit was raised',
    ],
    [{ ...span, reason: 'leave' }, 'half of the remaining quota is used', undefined],
  ])('describes the wait %j', (wait, message, hint) => {
    const failure = failureFor({ kind: 'held-back', wait });
    expect(failure).toMatchObject({ kind: 'rate-limited', message, details: { retryAt: wait.endsAt } });
    expect(hintOf(failure)).toBe(hint);
    expect(hintOf(failureFor({ kind: 'held-back', wait }, { once: true }))).toBeUndefined();
  });

  test.each<[string, string | undefined, number, number, string | undefined]>([
    ['a short wait', undefined, 10_000, 12_000, 'pass --max-wait 60 to wait'],
    ['a longer wait', undefined, 60_000, 60_001, 'pass --max-wait 61 to wait'],
    ['the maximum wait', undefined, 60_000, 60_000, undefined],
    ['an hour', undefined, 0, 3_600_000, 'pass --max-wait 3600 to wait'],
    ['more than an hour', undefined, 0, 3_600_001, 'run petstore quota --reset if the limit was raised'],
    ['a hint of the service', 'pay', 60_000, 7_200_000, 'pay'],
    ['a longer wait with a hint of the service', 'pay', 60_000, 61_000, 'pay, or pass --max-wait 61 to wait'],
  ])('suggests what to do about %s', (_, limitHint, maxWaitMs, waitMs, hint) => {
    const wait = { ...span, reason: 'window', endsAt: now + waitMs } as const;
    const service = { limitHint: limitHint === undefined ? undefined : [limitHint], maxWaitMs, serviceFlags: [] };
    expect(hintOf(failureFor({ kind: 'held-back', wait }, service))).toBe(hint);
  });

  test('is that of the read-only profile', () => {
    expect(failureFor({ kind: 'read-only' })).toMatchObject({ kind: 'usage', message: 'profile store is read-only' });
  });

  test('names the timeout', () => {
    expect(failureFor({ kind: 'timeout', timeoutMs: 9_000 })).toMatchObject({
      kind: 'network',
      message: 'store.example:8443 did not send a complete response within 9 s',
      details: { code: 'timeout', hint: 'increase --timeout' },
    });
  });
});

interface LossFacts {
  readonly sent?: boolean;
  /** An earlier attempt was sent, and changed nothing. */
  readonly wasSent?: boolean;
  readonly status?: number;
}

function lose(method: string, lost: Loss, { sent = false, wasSent, status }: LossFacts): Outcome {
  const response = status === undefined ? undefined : { status, headers: {} };
  const outcome = lostOutcome({ ...get, method }, lost, { sent, response });
  return wasSent ? { ...outcome, sent: true } : outcome;
}

function detailsOf(response: HttpResponse, method = 'GET') {
  const failure = failureFromOutcome(completeOutcome({ ...get, method }, response), contextFor(method));
  return { kind: failure.kind, ...failure.details, hint: hintOf(failure) };
}

function transportFailure(method: string, code: string, facts: LossFacts = {}) {
  return failureFromOutcome(lose(method, { kind: 'network', code }, facts), contextFor(method));
}

function contextFor(method: string): FailureContext {
  return {
    ...testService,
    change: method === 'POST' ? createPet.mutation : undefined,
    request: { ...get, method },
    signal: new AbortController().signal,
    clock: fakeClock(now),
  };
}
