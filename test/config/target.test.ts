import { describe, expect, test } from 'vitest';
import type { Credentials } from '../../src/config/credentials.js';
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
  const settings = resolveSettings({
    flags,
    env,
    config: {},
    configPath: '',
    findProfile: () => profile,
    onFailure: () => {},
  });
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
