import { expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/local/base-url.js';
import { proxiesFor } from '../../src/local/proxies.js';
import { failureOf } from '../support/client.js';

const allowed = { PETSTORE_ALLOW_HTTP: '1' };
const proxiesOf = (env: Readonly<Record<string, string>>, url = 'https://store.example/v1') =>
  proxiesFor(parseBaseUrl(url, allowed), env);

test.each([
  ['one for https', { HTTPS_PROXY: 'http://p:1' }, { http: '', https: 'http://p:1', none: '' }],
  ['one for http', { HTTP_PROXY: 'http://p:1' }, { http: 'http://p:1', https: '', none: '' }],
  ['one over TLS', { HTTPS_PROXY: 'https://p:1' }, { http: '', https: 'https://p:1', none: '' }],
  [
    'small letters win',
    { HTTPS_PROXY: 'http://p:1', https_proxy: 'http://q:2' },
    { http: '', https: 'http://q:2', none: '' },
  ],
  [
    'no scheme is http',
    { HTTPS_PROXY: ' p:3128 ' },
    { http: '', https: 'http://p:3128', none: '' },
  ],
  [
    'exceptions',
    { HTTPS_PROXY: 'http://p', NO_PROXY: 'a,b' },
    { http: '', https: 'http://p', none: 'a,b' },
  ],
  [
    'exceptions in small letters',
    { HTTPS_PROXY: 'http://p', NO_PROXY: 'a', no_proxy: '' },
    { http: '', https: 'http://p', none: '' },
  ],
])('proxies are read from the environment: %s', (_, env, proxies) => {
  expect(proxiesOf(env)).toEqual(proxies);
});

test.each([
  {},
  { HTTPS_PROXY: '' },
  { HTTP_PROXY: ' ', NO_PROXY: '*' },
  { HTTPS_PROXY: 'http://p', https_proxy: '' },
])('there are none in %j', (env) => {
  expect(proxiesOf(env)).toBeUndefined();
});

test.each([
  'http://localhost:4010/v1',
  'http://127.0.0.1:4010/v1',
  'https://127.8.9.1/v1',
  'http://[::1]:4010/v1',
])('%s is on this machine and needs none, whatever the environment says', (url) => {
  expect(proxiesOf({ HTTP_PROXY: 'http://p:1', HTTPS_PROXY: 'nonsense://' }, url)).toBeUndefined();
});

test.each([
  ['HTTPS_PROXY', 'socks5://user:hunter2@p:1080'],
  ['HTTP_PROXY', 'http://user:hunter2@'],
  ['HTTPS_PROXY', 'hunter2:x:y'],
  ['HTTP_PROXY', 'http://p:hunter2'],
])(
  'an address that is none (%s) is a failure of usage that does not repeat it',
  async (name, text) => {
    const failing = Promise.resolve().then(() => proxiesOf({ [name]: text }));
    const failure = await failureOf(failing);
    expect(failure).toMatchObject({ kind: 'usage', details: { code: 'invalid_proxy' } });
    expect(failure.message).toContain(name);
    expect(JSON.stringify(failure.details)).not.toContain('hunter2');
  },
);
