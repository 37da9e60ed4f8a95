import { expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/config/base-url.js';

test.each([
  ['https://api.example.com/v1', 'https://api.example.com', '/v1'],
  ['https://api.example.com/v1/', 'https://api.example.com', '/v1'],
  ['https://API.example.com:443/store/v2', 'https://api.example.com', '/store/v2'],
  ['http://localhost:4010/v1', 'http://localhost:4010', '/v1'],
  ['http://127.8.9.1:4010/v1', 'http://127.8.9.1:4010', '/v1'],
  ['http://[::1]:4010/v1', 'http://[::1]:4010', '/v1'],
])('parses %s', (text, origin, path) => {
  expect(parseBaseUrl(text, {})).toEqual({ origin, path, warnings: [] });
});

test.each([
  ['', 'must be a full http or https address'],
  ['api.example.com/v1', 'must be a full http or https address'],
  ['file:///etc/passwd', 'must be a full http or https address'],
  ['https://user@example.com/v1', 'must not hold a user or a password'],
  ['https://:pw@example.com/v1', 'must not hold a user or a password'],
  ['https://example.com/v1?', 'must not hold a query or a fragment'],
  ['https://example.com/v1#x', 'must not hold a query or a fragment'],
  ['https://example.com//v1', 'must not hold an empty path segment'],
  ['http://example.com/v1', 'must be https'],
  ['http://127.0.0.1.example.com/v1', 'must be https'],
])('rejects %j and does not repeat it', (text, rule) => {
  expect(() => parseBaseUrl(text, {})).toThrow(`the base URL ${rule}`);
});

test('allows http to another host with PETSTORE_ALLOW_HTTP and warns', () => {
  const { warnings } = parseBaseUrl('http://example.com/v1', { PETSTORE_ALLOW_HTTP: '1' });
  expect(warnings).toEqual(['the API key travels unencrypted to example.com']);
});

test('warns about a base URL without a version segment', () => {
  expect(parseBaseUrl('https://example.com/api', {}).warnings).toEqual([
    'the base URL does not end in a version segment such as /v1',
  ]);
});
