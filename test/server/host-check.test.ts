import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/api/http.js';
import { withHostCheck } from '../../src/server/host-check.js';
import { jsonResponse } from '../../src/server/responses.js';
import { fakeClock } from '../support/clock.js';

describe('a request with a known Host', () => {
  test.each(
    `localhost localhost:4010 LocalHost:4010 127.0.0.1 127.0.0.1:4010 127.0.0.1:1 [::1]
    [::1]:4010`.split(/\s+/),
  )('(%s) is accepted', async (host) => {
    expect(await statusOf({ host })).toBe(200);
  });

  test('(the address that the server listens on) is accepted', async () => {
    expect(await statusOf({ host: '192.168.0.7:80' }, { host: '192.168.0.7' })).toBe(200);
  });

  test.each(['store.test', 'STORE.test:4010', '[fe80::1]:80'])('(%s) is accepted if that is allowed', async (host) => {
    expect(await statusOf({ host }, { allowedHosts: ['Store.TEST', 'fe80::1'] })).toBe(200);
  });

  test.each(['http://127.0.0.1:4010', 'HTTP://127.0.0.1:4010'])(
    'and the same origin (%s) is accepted',
    async (origin) => {
      expect(await statusOf({ host: '127.0.0.1:4010', origin })).toBe(200);
    },
  );
});

describe('a request gets 403', () => {
  test.each([
    '',
    'example.com',
    'localhost.example.com',
    'localhost.',
    'example.com:4010',
    '127.0.0.1.example.com',
    '::1',
    '[::1',
    '[::1]x',
    '[::2]',
    '127.0.0.1:x',
    '127.0.0.1:80:80',
    'user@localhost',
    '127.0.0.1, example.com',
    '192.168.0.7',
    '0.0.0.0',
  ])('with the Host %j', async (host) => {
    expect(await errorOf({ host })).toMatchObject({ code: 'forbidden', status: 403 });
  });

  test.each([
    '',
    'null',
    'http://example.com',
    'http://127.0.0.1',
    'http://127.0.0.1:1',
    'http://localhost:4010',
    'https://127.0.0.1:4010',
    'http://127.0.0.1:4010/',
    ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
  ])('with the Origin %j', async (origin) => {
    expect(await errorOf({ host: '127.0.0.1:4010', origin })).toMatchObject({
      code: 'forbidden',
      status: 403,
    });
  });
});

describe.each(['0.0.0.0', '::'])('a server that listens on all addresses (%s)', (host) => {
  test.each([
    ['192.168.0.7:80', 200],
    ['[fe80::1]', 200],
    ['localhost', 200],
    ['example.com', 403],
    ['1.2.3.4.example.com', 403],
    ['', 403],
  ])('responds to the Host %j with %i', async (named, status) => {
    expect(await statusOf({ host: named }, { host })).toBe(status);
  });
});

test.each([
  ['without a host', {}, '/v1/pets'],
  ['with two hosts', { host: ['127.0.0.1', '127.0.0.1'] }, '/v1/pets'],
  ['for a whole URL', { host: '127.0.0.1' }, 'http://127.0.0.1/v1/pets'],
  ['for no path', { host: '127.0.0.1' }, '*'],
])('a request %s gets 400', async (_, headers, target) => {
  expect(await errorOf(headers, { target })).toMatchObject({
    code: 'invalid_request',
    status: 400,
  });
});

test('a rejected request gets quota headers and does not reach the handler', async () => {
  const clock = fakeClock();
  const handle = withHostCheck(() => Promise.reject(new Error('reached')), { ...closed, clock });
  const request = requestOf({ host: 'example.com' }, '/v1/pets');
  expect((await handle(request, '127.0.0.1')).headers).toMatchObject({
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(clock.now() / 1_000 + 1),
  });
});

const closed = { host: '127.0.0.1', allowedHosts: [] as readonly string[] };

async function answerTo(
  headers: HttpRequest['headers'],
  { target = '/v1/pets', ...options }: Partial<typeof closed> & { target?: string } = {},
) {
  const handle = withHostCheck(async () => jsonResponse(200, []), {
    ...closed,
    ...options,
    clock: fakeClock(),
  });
  return handle(requestOf(headers, target), '127.0.0.1');
}

async function statusOf(...parameters: Parameters<typeof answerTo>): Promise<number> {
  return (await answerTo(...parameters)).status;
}

async function errorOf(...parameters: Parameters<typeof answerTo>): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode((await answerTo(...parameters)).body));
}

function requestOf(headers: HttpRequest['headers'], target: string): HttpRequest {
  return { method: 'GET', origin: '', target, headers };
}
