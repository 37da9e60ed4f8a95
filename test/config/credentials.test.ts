import { describe, expect, test } from 'vitest';
import type { ConfigContent, ConfigFile } from '../../src/config/config-file.js';
import { openCredentials } from '../../src/config/credentials.js';
import type { Keyring } from '../../src/config/keyring.js';
import { Secret } from '../../src/config/secret.js';
import { failureOf } from '../support/client.js';

const origin = 'https://store.example';
const key = 'pets_0123456789abcdef';
const stored = { key: new Secret(key), origin };

describe('in the file', () => {
  test('a key is kept with its origin, beside those of other profiles', async () => {
    const { credentials, content } = opened({ keys: { other: { origin, key } }, more: 1 });
    await credentials.store('staging', stored, 'file');
    expect(content()).toEqual({
      keys: { other: { origin, key }, staging: { origin, key } },
      more: 1,
    });
    expect((await credentials.get('staging'))?.key.reveal()).toBe(key);
  });

  test.each<[string, ConfigContent]>([
    ['nothing', {}],
    ['keys that are none', { keys: 'text' }],
    ['an entry that is none', { keys: { staging: null } }],
    ['a key without its origin', { keys: { staging: { key } } }],
    ['a key that is none', { keys: { staging: { origin, key: 'two words' } } }],
    ['a key that is a number', { keys: { staging: { origin, key: 1 } } }],
  ])('%s is no key', async (_, content) => {
    const { credentials } = opened(content);
    expect(credentials.getInfo('staging')).toBeUndefined();
    expect(await credentials.get('staging')).toBeUndefined();
  });

  test('a name that every object has is no key', () => {
    expect(opened({ keys: {} }).credentials.getInfo('constructor')).toBeUndefined();
  });

  test('the key of whoever came first stays', async () => {
    const { credentials } = opened();
    const first = await credentials.getOrCreate('sandbox', () => stored);
    const second = await credentials.getOrCreate('sandbox', () => {
      throw new Error('there is one already');
    });
    expect([first, second].map((each) => each.key.reveal())).toEqual([key, key]);
  });

  test('a removed key is gone, and there is none to remove again', async () => {
    const { credentials, content } = opened({ keys: { staging: { origin, key } } });
    expect(await credentials.remove('staging')).toBe(true);
    expect(await credentials.remove('staging')).toBe(false);
    expect(content()).toEqual({ keys: {} });
  });
});

describe('in the keyring', () => {
  test('a key leaves only a note in the file', async () => {
    const { credentials, content, secrets } = opened();
    await credentials.store('staging', stored, 'keyring');
    expect(content()).toEqual({ keys: { staging: { origin, keyring: true } } });
    expect(secrets).toEqual(new Map([['staging', key]]));
    expect(credentials.getInfo('staging')).toEqual({ origin, storage: 'keyring', key: undefined });
    expect((await credentials.get('staging'))?.key.reveal()).toBe(key);
  });

  test('one that does not work keeps the file as it was', async () => {
    const { credentials, content } = opened({ keys: { staging: { origin, key } } }, 'locked');
    await expect(credentials.store('staging', stored, 'keyring')).rejects.toThrow('locked');
    expect(content()).toEqual({ keys: { staging: { origin, key } } });
  });

  test.each(['file', 'nowhere'] as const)('a key that goes to %s leaves it', async (where) => {
    const { credentials, secrets } = opened();
    await credentials.store('staging', stored, 'keyring');
    if (where === 'file') await credentials.store('staging', stored, 'file');
    else await credentials.remove('staging');
    expect(secrets.size).toBe(0);
    expect(credentials.getInfo('staging')?.storage).toBe(where === 'file' ? 'file' : undefined);
  });

  test('a key that somebody took out of it is missed, with what to do', async () => {
    const { credentials } = opened({ keys: { staging: { origin, keyring: true } } });
    const { kind, details } = await failureOf(credentials.get('staging'));
    expect(kind).toBe('auth');
    expect(details.hint).toBe('petstore auth login --profile staging');
  });
});

/** Credentials in this content and a keyring of their own; `trouble` is why that does not work. */
function opened(start: ConfigContent = {}, trouble?: string) {
  let content = start;
  const secrets = new Map<string, string>();
  const document: ConfigFile = {
    path: 'credentials.json',
    read: () => content,
    update: async (edit) => {
      content = edit(content);
    },
  };
  const keyring: Keyring = {
    get: async (account) => secrets.get(account),
    set: async (account, secret) => void secrets.set(account, secret),
    remove: async (account) => secrets.delete(account),
    selfTest: async () => {
      if (trouble) throw new Error(trouble);
    },
  };
  const credentials = openCredentials(document, async () => keyring);
  return { credentials, content: () => content, secrets };
}
