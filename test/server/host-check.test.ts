import { describe, expect, test } from 'vitest';
import type { HttpRequest } from '../../src/api/http.js';
import { withHostCheck } from '../../src/server/host-check.js';
import type { Respond } from '../../src/server/request-context.js';
import { completeResponses, jsonResponse } from '../../src/server/responses.js';
import { handlerOf } from '../support/test-server.js';

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
    expect(await statusOf({ host }, { allowHost: ['Store.TEST', 'fe80::1'] })).toBe(200);
  });

  // RFC 6454 §4 and §5: case is ignored, and a missing port is the default port.
  test.each([
    ['127.0.0.1:4010', 'http://127.0.0.1:4010'],
    ['127.0.0.1:4010', 'HTTP://127.0.0.1:4010'],
    ['LocalHost:4010', 'http://LOCALHOST:4010'],
    ['localhost', 'http://localhost:80'],
    ['localhost:80', 'http://localhost'],
    ['[::1]:80', 'http://[::1]'],
  ])('(%s) and the same origin (%s) is accepted', async (host, origin) => {
    expect(await statusOf({ host, origin })).toBe(200);
  });

  test.each([
    ['localhost', 'https://localhost:443'],
    ['localhost:443', 'https://localhost'],
    ['localhost:4010', 'https://localhost:4010'],
  ])('(%s) and the same origin (%s) is accepted over TLS', async (host, origin) => {
    expect(await statusOf({ host, origin }, { isTls: true })).toBe(200);
  });

  test('and an origin without TLS gets 403 over TLS', async () => {
    expect(await statusOf({ host: 'localhost:443', origin: 'http://localhost:443' }, { isTls: true })).toBe(403);
  });
});

describe('a request gets 403', () => {
  test.each([
    'example.com',
    'localhost.',
    '127.0.0.1.example.com',
    '::1',
    '[::1]x',
    '[::2]',
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
    'http://localhost:4010',
    'https://127.0.0.1:4010',
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
  ])('responds to the Host %j with %i', async (named, status) => {
    expect(await statusOf({ host: named }, { host })).toBe(status);
  });
});

describe('an absolute-form target', () => {
  test.each([
    ['http://127.0.0.1/v1/pets?limit=1', '/v1/pets?limit=1'],
    ['HTTP://LOCALHOST:4010/v1/pets', '/v1/pets'],
    ['http://127.0.0.1', '/'],
    ['http://127.0.0.1?x', '/?x'],
    ['https://127.0.0.1/v1/pets', '/v1/pets'],
    ['http://127.0.0.1/http://example.com', '/http://example.com'],
  ])('(%s) reaches the handler as %s', async (target, path) => {
    const targets: string[] = [];
    const handle = handlerWith(async ({ path, query }) => {
      targets.push(query === '' ? path : `${path}?${query}`);
      return jsonResponse(200, []);
    });
    expect((await handle(requestOf({ host: '127.0.0.1' }, target), '127.0.0.1')).status).toBe(200);
    expect(targets).toEqual([path]);
  });

  test.each(['http://example.com/v1/pets', 'http://user@127.0.0.1/', 'http://127.0.0.1:x/'])(
    '(%s) gets 403',
    async (target) => {
      expect(await statusOf({ host: '127.0.0.1' }, { target })).toBe(403);
    },
  );

  test('replaces the Host header', async () => {
    const target = 'http://127.0.0.1:4010/v1/pets';
    expect(await statusOf({ host: 'example.com' }, { target })).toBe(200);
    expect(await statusOf({ host: 'example.com', origin: 'http://127.0.0.1:4010' }, { target })).toBe(200);
    expect(await statusOf({ host: '127.0.0.1:1', origin: 'http://127.0.0.1:1' }, { target })).toBe(403);
  });
});

test('a request of HTTP/1.0 needs no host, unless it has an origin', async () => {
  expect(await statusOf({})).toBe(200);
  expect(await statusOf({ origin: 'http://127.0.0.1' })).toBe(403);
});

const closed = { host: '127.0.0.1', allowHost: [] as readonly string[] };

function handlerWith(respond: Respond, options: Partial<typeof closed> = {}) {
  return handlerOf(completeResponses(withHostCheck(respond, { ...closed, ...options }), () => {}));
}

async function answerTo(
  headers: HttpRequest['headers'],
  { target = '/v1/pets', isTls = false, ...options }: AnswerOptions = {},
) {
  const handle = handlerWith(async () => jsonResponse(200, []), options);
  return handle({ ...requestOf(headers, target), isTls }, '127.0.0.1');
}

type AnswerOptions = Partial<typeof closed> & { target?: string; isTls?: boolean };

async function statusOf(...parameters: Parameters<typeof answerTo>): Promise<number> {
  return (await answerTo(...parameters)).status;
}

async function errorOf(...parameters: Parameters<typeof answerTo>): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode((await answerTo(...parameters)).body));
}

function requestOf(headers: HttpRequest['headers'], target: string) {
  return { method: 'GET', target, headers };
}
