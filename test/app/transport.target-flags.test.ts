import { expect, test } from 'vitest';
import { targetFlags } from '../../src/app/transport.js';
import { resolveSettings } from '../../src/config/resolve-settings.js';
import type { GlobalFlags } from '../../src/config/settings.js';

const address = 'http://127.0.0.1:4010/v1';

test.each<[GlobalFlags, Record<string, string>, flags: string]>([
  [{}, {}, ''],
  [{}, { PETSTORE_PROFILE: 'staging', PETSTORE_BASE_URL: address }, ''],
  [{ profile: 'staging' }, {}, ' --profile staging'],
  [{ baseUrl: '127.0.0.1:4010' }, {}, ` --base-url '${address}'`],
  [{ profile: 'staging', baseUrl: address }, {}, ` --profile staging --base-url '${address}'`],
])('flags %j and environment %j need these flags for the same target:%s', (flags, env, expected) => {
  const settings = resolveSettings({
    flags,
    env,
    config: {},
    findProfile: (name) => ({ name }),
    onFailure: raise,
  });
  expect(targetFlags(address, { settings, env })).toBe(expected);
});

function raise(failure: unknown): never {
  throw failure;
}
