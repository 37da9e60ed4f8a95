import { describe, expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/config/base-url.js';
import type { Credentials } from '../../src/config/credentials.js';
import { listProfiles } from '../../src/config/profile.js';
import { resolveSettings } from '../../src/config/resolve-settings.js';
import type { GlobalFlags } from '../../src/config/settings.js';
import { resolveTarget } from '../../src/config/target.js';
import { failureOf, hintOf } from '../support/test-client.js';

const saved = 'https://store.example/v1';
const other = "https://other.example/it's/v1";
const quoted = "'https://other.example/it'\\''s/v1'";

/** Returns the failure to find an API key. */
function failureFor(flags: GlobalFlags, env: Record<string, string>, savedOrigin?: string) {
  const baseUrl = flags.profile === 'sandbox' ? undefined : saved;
  const profile = { name: flags.profile ?? 'sandbox', ...(baseUrl !== undefined && { baseUrl }) };
  const { settings } = resolveSettings(flags, env, { path: '', read: () => ({}) });
  const getInfo = () => (savedOrigin === undefined ? undefined : { origin: savedOrigin });
  const credentials = { getInfo, get: async () => undefined } as unknown as Credentials;
  return failureOf(resolveTarget({ settings, profile, credentials, env, userId: undefined }));
}

test.each([
  ['host', 'https://other.example/v1'],
  ['scheme', 'http://store.example/v1'],
  ['port', 'https://store.example:8443/v1'],
])('a saved API key is not sent to another %s', async (_, baseUrl) => {
  const env = { PETSTORE_ALLOW_HTTP: '1' };
  const { details } = await failureFor({ profile: 'staging', baseUrl }, env, 'https://store.example');
  expect(details.code).toBe('key_bound_elsewhere');
});

describe('the login in the hint saves the API key for the base URL in use', () => {
  const noKey = 'set PETSTORE_API_KEY, or run petstore auth login';

  test.each<[string, GlobalFlags, Record<string, string>, string]>([
    ['of the profile', { profile: 'staging' }, {}, '--profile staging'],
    ['of the flag', { profile: 'staging', baseUrl: other }, {}, `--profile staging --base-url ${quoted}`],
    ['of the variable', { profile: 'staging' }, { PETSTORE_BASE_URL: other }, `--profile staging --base-url ${quoted}`],
    ['in place of the sandbox', { profile: 'sandbox', baseUrl: other }, {}, `--profile <name> --base-url ${quoted}`],
  ])('%s', async (_, flags, env, expected) => {
    expect(hintOf(await failureFor(flags, env))).toBe(`${noKey} ${expected}`);
  });

  test('if the saved API key is bound to another origin', async () => {
    expect(hintOf(await failureFor({ profile: 'staging', baseUrl: other }, {}, 'https://store.example'))).toBe(
      `run petstore auth login --profile staging --base-url ${quoted} to replace the saved API key, or pass a new name to --profile to keep it`,
    );
  });
});

test.each([
  ['https://api.example.com/v1/', 'https://api.example.com', '/v1'],
  ['https://API.example.com:443/store/v2', 'https://api.example.com', '/store/v2'],
  ['http://localhost:4010/v1', 'http://localhost:4010', '/v1'],
  ['http://[::1]:4010/v1', 'http://[::1]:4010', '/v1'],
])('parses the base URL %s', (text, origin, path) => {
  expect(parseBaseUrl(text, {})).toEqual({ origin, path, warning: undefined });
});

test.each([
  ['', 'must be an absolute http or https URL'],
  ['pets_0123456789', 'must be an absolute http or https URL'],
  ['http:/localhost:4010/v1', 'must be an absolute http or https URL'],
  ['https://:pw@example.com/v1', 'must not contain a user name or password'],
  ['https://example.com/v1?', 'must not contain a query or fragment'],
  ['https://example.com/v1#x', 'must not contain a query or fragment'],
  ['http://example.com/v1', 'must use https'],
])('rejects the base URL %j and does not repeat it', async (text, rule) => {
  const failure = await failureOf(Promise.resolve().then(() => parseBaseUrl(text, {})));
  expect(failure.message).toMatch(new RegExp(`^the base URL ${rule}`));
  if (text !== '') expect(`${failure.message} ${failure.details.hint}`).not.toContain(text);
});

test('allows http to another host with PETSTORE_ALLOW_HTTP and warns', () => {
  const { warning } = parseBaseUrl('http://example.com/v1', { PETSTORE_ALLOW_HTTP: '1' });
  expect(warning).toBe('the API key is sent unencrypted to example.com');
});

test('a base URL of the sandbox in the config file is ignored', () => {
  const [sandbox] = listProfiles({ profiles: { sandbox: { baseUrl: 'https://store.example/v1', output: 'csv' } } });
  expect(sandbox).toEqual({ name: 'sandbox', output: 'csv', readOnly: false });
});
