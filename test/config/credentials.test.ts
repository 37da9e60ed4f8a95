import { describe, expect, test } from 'vitest';
import type { ConfigContent, ConfigFile } from '../../src/config/config-file.js';
import { openCredentials } from '../../src/config/credentials.js';
import type { Keyring } from '../../src/config/keyring.js';
import { Secret } from '../../src/config/secret.js';
import { failureOf, hintOf } from '../support/test-client.js';

const origin = 'https://store.example';
const key = 'pets_0123456789abcdef';
const secret = new Secret(key);

describe('the credentials file', () => {
  test('stores an API key with its origin beside those of other profiles', async () => {
    const { credentials, content } = openTestCredentials({
      keys: { other: { origin, key } },
      more: 1,
    });
    await credentials.store('staging', secret, origin, false);
    expect(content()).toEqual({
      keys: { other: { origin, key }, staging: { origin, key } },
      more: 1,
    });
    expect((await credentials.get('staging'))?.reveal()).toBe(key);
  });

  test.each<[string, ConfigContent]>([
    ['an empty file', {}],
    ['a key without its origin', { keys: { staging: { key } } }],
    ['an invalid key', { keys: { staging: { origin, key: 'two words' } } }],
  ])('returns no API key for %s', async (_, content) => {
    const { credentials } = openTestCredentials(content);
    expect(credentials.getInfo('staging')).toBeUndefined();
    expect(await credentials.get('staging')).toBeUndefined();
  });

  test('creates only the first API key if processes race', async () => {
    const { credentials } = openTestCredentials();
    const create = (each: Secret) => credentials.getOrCreate('sandbox', origin, () => each);
    const created = await Promise.all([secret, new Secret('pets_fedcba9876543210')].map(create));
    expect(created.map((each) => each.reveal())).toEqual([key, key]);
  });
});

describe('the keyring', () => {
  test('stores the API key, and only its origin is in the file', async () => {
    const { credentials, content, secrets } = openTestCredentials();
    await credentials.store('staging', secret, origin, true);
    expect(content()).toEqual({ keys: { staging: { origin, keyring: true } } });
    expect(secrets).toEqual(new Map([[`staging ${origin}`, key]]));
    expect(credentials.getInfo('staging')).toEqual({ origin, storage: 'system keyring', key: undefined });
    expect((await credentials.get('staging'))?.reveal()).toBe(key);
  });

  test('leaves the file unchanged if the keyring fails', async () => {
    const { credentials, content } = openTestCredentials({ keys: { staging: { origin, key } } }, 'locked');
    await expect(credentials.store('staging', secret, origin, true)).rejects.toThrow('locked');
    expect(content()).toEqual({ keys: { staging: { origin, key } } });
  });

  test('keeps one API key per profile, under its origin', async () => {
    const other = 'https://other.example';
    const { credentials, secrets } = openTestCredentials({ keys: { staging: { origin: other, keyring: true } } });
    secrets.set(`staging ${other}`, 'pets_old');
    await credentials.store('staging', secret, origin, true);
    expect([...secrets.keys()]).toEqual([`staging ${origin}`]);
  });

  test.each(['file', 'nowhere'] as const)('loses an API key that moves to %s', async (where) => {
    const { credentials, secrets } = openTestCredentials();
    await credentials.store('staging', secret, origin, true);
    if (where === 'file') await credentials.store('staging', secret, origin, false);
    else await credentials.remove('staging');
    expect(secrets.size).toBe(0);
    expect(credentials.getInfo('staging')?.storage).toBe(where === 'file' ? 'credentials.json' : undefined);
  });

  test('reports an API key that is no longer in the keyring', async () => {
    const { credentials } = openTestCredentials({ keys: { staging: { origin, keyring: true } } });
    const failure = await failureOf(credentials.get('staging'));
    expect(failure.kind).toBe('auth');
    expect(hintOf(failure)).toBe('run petstore auth login --profile staging');
  });
});

/** Opens credentials with this content and an empty keyring, which fails with `keyringError` if given. */
function openTestCredentials(start: ConfigContent = {}, keyringError?: string) {
  let content = start;
  const secrets = new Map<string, string>();
  const file: ConfigFile = {
    path: 'credentials.json',
    read: () => content,
    update: async (edit) => {
      content = edit(content);
    },
  };
  const keyring: Keyring = {
    get: async (account) => secrets.get(account),
    set: async (account, secret) => {
      if (keyringError) throw new Error(keyringError);
      secrets.set(account, secret);
    },
    remove: async (account) => secrets.delete(account),
    selfTest: async () => {},
  };
  const credentials = openCredentials(file, async () => keyring);
  return { credentials, content: () => content, secrets };
}
