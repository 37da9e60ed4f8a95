import { describe, expect, test } from 'vitest';
import type { HttpResponse } from '../../src/api/http.js';
import { createPet } from '../../src/api/operations.js';
import { type FailureContext, failureFromStatus, failureFromTransport } from '../../src/client/failures.js';
import { TransportError } from '../../src/client/transport-error.js';
import { Failure } from '../../src/failure.js';
import { newResponse } from '../support/test-client.js';

const now = Date.UTC(2026, 10, 21, 12);
const howToCheck =
  'petstore pets list --all --profile store shows whether it is there; adding it again may add it twice';
const keyHint = 'the key came from PETSTORE_API_KEY;';

describe('a failure from a status', () => {
  test.each([
    [400, 'rejected', 'invalid_request', undefined],
    [401, 'auth', 'unauthorized', `${keyHint} petstore auth login stores another`],
    [403, 'auth', 'forbidden', `${keyHint} it may not do this, or it is banned`],
    [404, 'not-found', 'not_found', 'check that the base URL leads to the store'],
    [409, 'rejected', 'http_409', undefined],
    [410, 'not-found', 'gone', 'use petstore pets list --status available|pending|sold instead'],
    [413, 'rejected', 'payload_too_large', undefined],
    [418, 'rejected', 'http_418', undefined],
    [422, 'rejected', 'http_422', undefined],
    [429, 'rate-limited', 'rate_limited', undefined],
    [431, 'rejected', 'headers_too_large', undefined],
    [500, 'service', 'internal_error', undefined],
    [502, 'service', 'http_502', undefined],
    [503, 'service', 'unavailable', undefined],
    [599, 'service', 'http_599', undefined],
  ])('maps %d to kind, code and hint', (status, kind, code, hint) => {
    expect(words(newResponse(status))).toEqual({
      kind,
      code,
      message: `the service answered ${status}`,
      hint,
      status,
      retryAt: undefined,
    });
  });

  test.each([400, 401, 403, 404, 409, 410, 422, 429])('maps %d alike for a create and a list', (status) => {
    expect(words(newResponse(status), 'POST')).toEqual(words(newResponse(status), 'GET'));
  });

  test.each([500, 501, 502, 503, 504])('leaves the outcome of a create unknown after %d', (status) => {
    expect(words(newResponse(status, { code: 'down', message: 'sorry' }), 'POST')).toMatchObject({
      kind: 'unknown-outcome',
      code: 'down',
      message: 'sorry; whether the pet was added is not known',
      hint: howToCheck,
      status,
    });
  });

  test.each([
    [301, 'https://elsewhere.example/v1', ' to https://elsewhere.example/v1'],
    [302, '/login', ' to /login'],
    [307, undefined, ''],
    [308, 'x'.repeat(300), ` to ${'x'.repeat(199)}…`],
  ])('reports the redirect %d with its location', (status, location, where) => {
    const response = newResponse(status, '', { location });
    const message = `the service redirects${where}, and petstore follows no redirect with a key`;
    expect(words(response)).toEqual({
      kind: 'service',
      code: 'redirected',
      message,
      hint: 'set the base URL to the address that is meant',
      status,
    });
    expect(words(response, 'POST')).toEqual({
      kind: 'unknown-outcome',
      code: 'redirected',
      message: `${message}; whether the pet was added is not known`,
      hint: howToCheck,
      status,
    });
  });

  test.each([
    ['a complete error', { code: 'odd', message: 'No.', status: 422 }, 'odd', 'No.'],
    ['an error with another status', { code: 'odd', message: 'No.', status: 500 }, 'odd', 'No.'],
    ['an error without a code', { message: 'No.' }, 'http_422', 'No.'],
    ['a code that is a number', { code: 17, message: 'No.' }, 'http_422', 'No.'],
    ['a code that is an object', { code: {}, message: 'No.' }, 'http_422', 'No.'],
    ['a code that is blank', { code: '', message: 'No.' }, 'http_422', 'No.'],
    ['problem+json', { type: 'about:blank', title: 'Bad', detail: 'The name is bad.' }, 'http_422', 'The name is bad.'],
    ['problem+json without detail', { title: 'Bad' }, 'http_422', 'Bad'],
    ['an error that is text', { error: 'invalid' }, 'http_422', 'invalid'],
    ['a message that is an object', { message: { en: 'No.' } }, 'http_422', 'the service answered 422'],
    ['a blank message', { code: 'odd', message: ' ' }, 'http_422', 'the service answered 422'],
    ['a message that is a number', { message: 7 }, 'http_422', 'the service answered 422'],
    ['an error object', { error: { message: 'No.' } }, 'http_422', 'the service answered 422'],
    ['a list of errors', { errors: [{ message: 'No.' }] }, 'http_422', 'the service answered 422'],
    ['an empty body', '', 'http_422', 'the service answered 422'],
    ['a list', ['No.'], 'http_422', 'the service answered 422'],
    ['null', 'null', 'http_422', 'the service answered 422'],
    ['plain text', 'No.', 'http_422', 'the service answered 422'],
    ['HTML', '<h1>No</h1>', 'http_422', 'the service answered 422'],
    ['truncated JSON', '{"code":"odd","message":"N', 'http_422', 'the service answered 422'],
    ['a duplicate key', '{"message":"a","message":"b"}', 'http_422', 'the service answered 422'],
  ])('takes code and message from %s', (_, body, code, message) => {
    expect(words(newResponse(422, body))).toMatchObject({
      kind: 'rejected',
      code,
      message,
      status: 422,
    });
  });

  test('ignores a compressed body', () => {
    const response = newResponse(500, { message: 'x' }, { 'content-encoding': 'gzip' });
    expect(words(response).message).toBe('the service answered 500');
  });

  test('truncates a message to 500 characters and a code to 100', () => {
    const response = newResponse(400, { code: 'c'.repeat(200), message: 'm'.repeat(1_000) });
    expect(words(response)).toMatchObject({
      code: `${'c'.repeat(99)}…`,
      message: `${'m'.repeat(499)}…`,
    });
  });

  test.each([
    ['JSON', { code: 'not_found', message: 'no such pet' }, undefined],
    ['HTML', '<h1>404</h1>', 'check that the base URL leads to the store'],
  ])('adds a base URL hint to a 404 in %s only if it is not an error of the service', (_, body, hint) => {
    expect(words(newResponse(404, body))).toMatchObject({
      kind: 'not-found',
      code: 'not_found',
      hint,
    });
  });

  test.each([
    [429, now + 60_000],
    [503, now + 5_000],
    [403, now + 5_000],
    [404, undefined],
    [400, undefined],
  ])('sets the retry time for %d only if a retry may help: %j', (status, retryAt) => {
    expect(words({ ...newResponse(status), retryAt: retryAt ?? now }).retryAt).toBe(retryAt);
  });

  test('treats a 429 in HTML as rate limited', () => {
    expect(words(newResponse(429, '<h1>Slow down</h1>'))).toMatchObject({
      kind: 'rate-limited',
      code: 'rate_limited',
    });
  });
});

describe('a failure without a response', () => {
  test.each([
    ['ECONNREFUSED', 'store.example:8443 refuses connections', 'check that the service runs, and the base URL'],
    ['ENOTFOUND', 'store.example:8443 cannot be found by its name', 'check the base URL and the network'],
    ['EAI_AGAIN', 'store.example:8443 cannot be found by its name', 'check the base URL and the network'],
    [
      'UND_ERR_CONNECT_TIMEOUT',
      'store.example:8443 did not take the connection within 5 seconds',
      'check the base URL and the network',
    ],
    ['UND_ERR_HEADERS_TIMEOUT', 'store.example:8443 did not answer in time', '--timeout gives it longer'],
    [
      'ETIMEDOUT',
      'store.example:8443 did not take the connection within 5 seconds',
      'check the base URL and the network',
    ],
    ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'store.example:8443 answered with more than 16 MiB', undefined],
    ['EHOSTUNREACH', 'store.example:8443 cannot be reached from this network', 'check the base URL and the network'],
    [
      'PROXY_AUTHENTICATION',
      'store.example:8443 is behind a proxy that asks for a user and a password (407)',
      'HTTPS_PROXY and HTTP_PROXY may hold them: http://user:password@proxy.example.com:3128',
    ],
    ['E2BIG', 'the connection to store.example:8443 failed (E2BIG)', 'try again'],
  ])('describes %s', (code, message, hint) => {
    const kind = code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'service' : 'network';
    expect(lost('GET', code)).toMatchObject({ kind, message, details: { hint } });
    expect(lost('POST', code)).toMatchObject({ kind, message });
  });

  test.each([
    'CERT_HAS_EXPIRED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  ])('describes the untrusted certificate %s', (code) => {
    expect(lost('GET', code)).toMatchObject({
      kind: 'network',
      message: `store.example:8443 has a certificate that is not trusted (${code})`,
      details: {
        hint: 'NODE_EXTRA_CA_CERTS names a file with the certificate authority of your organisation',
      },
    });
  });

  test.each(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'])(
    'does not blame a certificate for %s',
    (code) => {
      expect(lost('GET', code).message).not.toContain('certificate');
    },
  );

  test('leaves the outcome of a create unknown once it was sent', () => {
    for (const code of ['ECONNRESET', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'EPIPE']) {
      expect(lost('POST', code, { sent: true })).toMatchObject({
        kind: 'unknown-outcome',
        message: 'store.example:8443 gave no whole answer; whether the pet was added is not known',
        details: { code: 'no_answer', hint: howToCheck },
      });
    }
  });

  test('reports a create as done after 201 and a truncated body', () => {
    const failure = lost('POST', 'UND_ERR_SOCKET', { sent: true, status: 201 });
    expect(failure).toMatchObject({ kind: 'unknown-outcome', details: { status: 201 } });
    expect(failure.message).toContain('the pet was added, but its id is not known');
  });

  test.each<[string, { sent: boolean; isRetry?: boolean; status?: number }, string, string | undefined]>([
    ['GET', { sent: true }, 'ended', undefined],
    ['GET', { sent: false }, 'ended; nothing was sent', undefined],
    ['POST', { sent: false }, 'ended; nothing was sent', undefined],
    ['POST', { sent: false, isRetry: true }, 'ended; nothing was changed', undefined],
    ['POST', { sent: true }, 'ended; whether the pet was added is not known', howToCheck],
    ['POST', { sent: true, status: 500 }, 'ended; whether the pet was added is not known', howToCheck],
    ['POST', { sent: true, status: 201 }, 'ended; the pet was added, but its id is not known', howToCheck],
  ])('describes a canceled %s %j', (method, { status, ...how }, message, hint) => {
    const cause = new Failure('canceled', { code: 'cancelled', message: 'ended' });
    const response = status === undefined ? undefined : { status, headers: {} };
    const error = new TransportError(cause, { response, ...how });
    const failure = failureFromTransport(error, circumstances(method));
    expect(failure).toMatchObject({ kind: 'canceled', message });
    expect(failure.details.hint).toBe(hint);
  });
});

function words(response: HttpResponse, method = 'GET') {
  const { kind, details } = failureFromStatus(response, circumstances(method));
  return { kind, ...details };
}

function lost(method: string, code: string, { sent = false, status }: { sent?: boolean; status?: number } = {}) {
  const cause = Object.assign(new Error(code), { code });
  const response = status === undefined ? undefined : { status, headers: {} };
  return failureFromTransport(new TransportError(cause, { sent, response }), circumstances(method));
}

function circumstances(method: string): FailureContext {
  const change =
    method === 'POST' && createPet.mutation
      ? { ...createPet.mutation, checkHint: createPet.mutation.checkHint(' --profile store') }
      : undefined;
  return { change, host: 'store.example:8443', keySource: 'PETSTORE_API_KEY', now };
}
