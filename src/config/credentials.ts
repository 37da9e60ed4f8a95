import { catchFailure, Failure } from '../failure.js';
import { parseApiKey } from './api-key.js';
import { type ConfigContent, type ConfigFile, getSection, withMember } from './config-file.js';
import type { Keyring } from './keyring.js';
import { Secret } from './secret.js';

/** A stored API key, as far as it can be read without the keyring. It is sent only to its origin. */
export interface StoredKey {
  readonly origin: string;
  /** Undefined if it is in the keyring. */
  readonly key: Secret | undefined;
  /** The path of the file that stores the API key, or `system keyring`. */
  readonly storage: string;
}

/** The API keys of this user's profiles. Every method throws a `Failure` (system) if its storage fails. */
export type Credentials = ReturnType<typeof openCredentials>;

/** Opens the credentials file, which has an entry for each API key; the key itself may be in the keyring. */
export function openCredentials(file: ConfigFile, openKeyring: () => Promise<Keyring>) {
  /** Returns `undefined` for a missing or invalid entry. */
  const findKey = (content: ConfigContent, profile: string): StoredKey | undefined => {
    const { key, origin, keyring } = (getSection(content, 'keys')[profile] ?? {}) as ConfigContent;
    if (typeof origin !== 'string') return undefined;
    if (keyring === true) return { origin, key: undefined, storage: 'system keyring' };
    const parsed = typeof key === 'string' ? catchFailure(() => parseApiKey(key, 'it')) : undefined;
    return parsed && { origin, key: parsed, storage: file.path };
  };
  const getInfo = (profile: string) => findKey(file.read(), profile);
  const get = async (profile: string): Promise<Secret | undefined> => {
    const info = getInfo(profile);
    if (!info || info.key) return info?.key;
    const secret = await (await openKeyring()).get(accountOf(profile, info.origin));
    if (secret !== undefined) return new Secret(secret);
    throw new Failure('auth', {
      code: 'no_key',
      message: `the system keyring has no API key for profile ${profile}`,
      hint: ['run ', { words: ['auth', 'login', '--profile', profile] }],
    });
  };
  const removeFromKeyring = async (profile: string, origin: string) =>
    (await openKeyring()).remove(accountOf(profile, origin));
  return {
    /** The credentials file. */
    path: file.path,
    getInfo,
    get,
    testKeyring: async () => (await openKeyring()).selfTest(),
    store: async (profile: string, key: Secret, origin: string, inKeyring: boolean) => {
      const old = getInfo(profile);
      if (inKeyring) await (await openKeyring()).set(accountOf(profile, origin), key.reveal());
      const stored = inKeyring ? { keyring: true } : { key: key.reveal() };
      await file.update((content) => withMember(content, 'keys', profile, { origin, ...stored }));
      if (old && !old.key && !(inKeyring && old.origin === origin)) await removeFromKeyring(profile, old.origin);
    },
    /** Returns the stored API key, or stores what `create` returns. If processes race, the first one wins. */
    getOrCreate: async (profile: string, origin: string, create: () => Secret): Promise<Secret> => {
      const existing = await get(profile);
      if (existing) return existing;
      await file.update((content) =>
        findKey(content, profile) ? content : withMember(content, 'keys', profile, { origin, key: create().reveal() }),
      );
      return (await get(profile)) as Secret;
    },
    /** Resolves to whether there was an API key. */
    remove: async (profile: string) => {
      const info = getInfo(profile);
      if (!info) return false;
      if (!info.key) await removeFromKeyring(profile, info.origin);
      await file.update((content) => withMember(content, 'keys', profile, undefined));
      return true;
    },
  };
}

/** The account in the keyring. It names the origin, so that no other one gets the key if saving a login fails halfway. */
function accountOf(profile: string, origin: string): string {
  return `${profile} ${origin}`;
}
