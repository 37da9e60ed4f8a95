import { expect, test } from 'vitest';
import { findProxy } from '../../src/client/find-proxy.js';
import { parseBaseUrl } from '../../src/config/base-url.js';

import { failureOf } from '../support/test-client.js';

const allowed = { PETSTORE_ALLOW_HTTP: '1' };
const proxyOf = (env: Readonly<Record<string, string>>, url = 'https://store.example/v1') =>
  findProxy(parseBaseUrl(url, allowed), env);

test.each([
  ['one for https', { HTTPS_PROXY: 'http://p:1' }, { url: 'http://p:1', noProxy: '' }],
  [
    'lowercase names first',
    { HTTPS_PROXY: 'http://p:1', https_proxy: 'http://q:2' },
    { url: 'http://q:2', noProxy: '' },
  ],
  ['path and query are dropped', { HTTPS_PROXY: 'http://p:1/path?query#part' }, { url: 'http://p:1', noProxy: '' }],
  [
    'user and password are kept',
    { HTTPS_PROXY: 'http://ada:s%40cret@p:1/' },
    { url: 'http://ada:s%40cret@p:1', noProxy: '' },
  ],
  ['no scheme is http', { HTTPS_PROXY: ' p:3128 ' }, { url: 'http://p:3128', noProxy: '' }],
  ['exceptions', { HTTPS_PROXY: 'http://p', NO_PROXY: 'a,b' }, { url: 'http://p', noProxy: 'a,b' }],
  ['lowercase no_proxy', { HTTPS_PROXY: 'http://p', NO_PROXY: 'a', no_proxy: '' }, { url: 'http://p', noProxy: '' }],
])('reads a proxy: %s', (_, env, proxy) => {
  expect(proxyOf(env)).toEqual(proxy);
});

test('each scheme has its own proxy', () => {
  const env = { HTTP_PROXY: 'http://p:1' };
  expect(proxyOf(env, 'http://store.example/v1')).toEqual({ url: 'http://p:1', noProxy: '' });
  expect(proxyOf(env)).toBeUndefined();
});

test.each([{}, { HTTPS_PROXY: '' }, { HTTP_PROXY: ' ', NO_PROXY: '*' }, { HTTPS_PROXY: 'http://p', https_proxy: '' }])(
  'finds no proxy in %j',
  (env) => {
    expect(proxyOf(env)).toBeUndefined();
  },
);

test.each(['http://localhost:4010/v1', 'http://127.0.0.1:4010/v1', 'https://127.8.9.1/v1', 'http://[::1]:4010/v1'])(
  '%s is loopback and gets no proxy',
  (url) => {
    expect(proxyOf({ HTTP_PROXY: 'http://p:1', HTTPS_PROXY: 'nonsense://' }, url)).toBeUndefined();
  },
);

test.each([
  ['HTTPS_PROXY', 'socks5://user:hunter2@p:1080'],
  ['HTTP_PROXY', 'http://user:hunter2@'],
  ['HTTPS_PROXY', 'http://user:hunter2%zz@p:1'],
])('an invalid %s is a usage error that does not print it', async (name, text) => {
  const url = `${name.slice(0, -'_PROXY'.length).toLowerCase()}://store.example/v1`;
  const failing = Promise.resolve().then(() => proxyOf({ [name]: text }, url));
  const failure = await failureOf(failing);
  expect(failure).toMatchObject({ kind: 'usage', details: { code: 'invalid_setting' } });
  expect(failure.message).toContain(name);
  expect(JSON.stringify(failure.details)).not.toContain('hunter2');
});
