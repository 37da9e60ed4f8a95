import { catchFailure, Failure } from '../failure.js';
import { parseApiKey } from './api-key.js';
import { type ConfigContent, type ConfigFile, getSection, withMember } from './config-file.js';
import type { Keyring } from './keyring.js';
import { Secret } from './secret.js';

type KeyStorage = 'file' | 'keyring';

/** A stored API key. It is sent only to its origin. */
export interface StoredKey {
  readonly key: Secret;
  readonly origin: string;
}

/** The part of a stored API key that can be read without the keyring. */
export interface StoredKeyInfo {
  readonly origin: string;
  readonly storage: KeyStorage;
  /** The API key, if the file contains it. */
  readonly key: Secret | undefined;
}

/** The API keys of this user's profiles. Every method throws a `Failure` (system) if its storage fails. */
export type Credentials = ReturnType<typeof openCredentials>;

/** Opens the credentials file, which has an entry for each API key; the key itself may be in the keyring. */
export function openCredentials(file: ConfigFile, openKeyring: () => Promise<Keyring>) {
  const getInfo = (profile: string) => parseEntry(file.read(), profile);
  const get = async (profile: string): Promise<StoredKey | undefined> => {
    const info = getInfo(profile);
    if (info?.storage !== 'keyring') return info?.key && { key: info.key, origin: info.origin };
    const secret = await (await openKeyring()).get(profile);
    if (secret === undefined) {
      throw new Failure('auth', {
        code: 'no_key',
        message: `the system keyring has no API key for profile ${profile}`,
        hint: ['run ', { words: ['auth', 'login', '--profile', profile] }],
      });
    }
    return { key: new Secret(secret), origin: info.origin };
  };
  const removeFromKeyring = async (profile: string) => {
    if (getInfo(profile)?.storage === 'keyring') await (await openKeyring()).remove(profile);
  };
  return {
    /** The credentials file. */
    path: file.path,
    getInfo,
    get,
    testKeyring: async () => (await openKeyring()).selfTest(),
    store: async (profile: string, { key, origin }: StoredKey, storage: KeyStorage) => {
      if (storage === 'keyring') {
        await (await openKeyring()).set(profile, key.reveal());
      } else await removeFromKeyring(profile);
      const stored = storage === 'keyring' ? { keyring: true } : { key: key.reveal() };
      await file.update((content) => withMember(content, 'keys', profile, { origin, ...stored }));
    },
    /** Returns the stored API key, or stores what `create` returns. If processes race, the first one wins. */
    getOrCreate: async (profile: string, create: () => StoredKey) => {
      const existing = await get(profile);
      if (existing) return existing;
      await file.update((content) => {
        if (parseEntry(content, profile)) return content;
        const { key, origin } = create();
        return withMember(content, 'keys', profile, { origin, key: key.reveal() });
      });
      return (await get(profile)) as StoredKey;
    },
    /** Resolves to whether there was an API key. */
    remove: async (profile: string) => {
      if (!getInfo(profile)) return false;
      await removeFromKeyring(profile);
      await file.update((content) => withMember(content, 'keys', profile, undefined));
      return true;
    },
  };
}

/** Returns `undefined` for a missing or invalid entry. */
function parseEntry(content: ConfigContent, profile: string): StoredKeyInfo | undefined {
  const keys = getSection(content, 'keys');
  if (!Object.hasOwn(keys, profile)) return undefined;
  const { key, origin, keyring } = (keys[profile] ?? {}) as ConfigContent;
  if (typeof origin !== 'string') return undefined;
  if (keyring === true) return { origin, storage: 'keyring', key: undefined };
  const parsed = typeof key === 'string' ? catchFailure(() => parseApiKey(key, 'it')) : undefined;
  return parsed && { origin, storage: 'file', key: parsed };
}
