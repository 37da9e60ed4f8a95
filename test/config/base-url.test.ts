import { expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/config/base-url.js';
import { failureOf } from '../support/test-client.js';

test.each([
  ['https://api.example.com/v1/', 'https://api.example.com', '/v1'],
  ['https://API.example.com:443/store/v2', 'https://api.example.com', '/store/v2'],
  ['http://localhost:4010/v1', 'http://localhost:4010', '/v1'],
  ['http://[::1]:4010/v1', 'http://[::1]:4010', '/v1'],
])('parses %s', (text, origin, path) => {
  expect(parseBaseUrl(text, {})).toEqual({ origin, path, warning: undefined });
});

test.each([
  ['', 'must be an absolute http or https URL'],
  ['api.example.com/v1', 'must be an absolute http or https URL'],
  ['http:/localhost:4010/v1', 'must be an absolute http or https URL'],
  ['https://:pw@example.com/v1', 'must not contain a user name or password'],
  ['https://example.com/v1?', 'must not contain a query or fragment'],
  ['https://example.com/v1#x', 'must not contain a query or fragment'],
  ['http://example.com/v1', 'must use https'],
])('rejects %j and does not repeat it', (text, rule) => {
  expect(() => parseBaseUrl(text, {})).toThrow(`the base URL ${rule}`);
});

test('allows http to another host with PETSTORE_ALLOW_HTTP and warns', () => {
  const { warning } = parseBaseUrl('http://example.com/v1', { PETSTORE_ALLOW_HTTP: '1' });
  expect(warning).toBe('the API key is sent unencrypted to example.com');
});

test.each(['localhost:4010', 'pets_0123456789', 'user:secret@example.com'])('does not repeat %s', async (text) => {
  const failure = await failureOf(Promise.resolve().then(() => parseBaseUrl(text, {})));
  expect(`${failure.message} ${failure.details.hint}`).not.toContain(text);
});
