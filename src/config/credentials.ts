import { catchFailure, Failure } from '../failure.js';
import { parseApiKey } from './api-key.js';
import type { ConfigContent, ConfigFile } from './config-file.js';
import type { Keyring } from './keyring.js';
import { Secret } from './secret.js';

type Storage = 'file' | 'keyring';

/** A key kept on this machine, good for one origin only. */
export interface StoredKey {
  readonly key: Secret;
  readonly origin: string;
}

/** What is known of a stored key without asking the keyring for it. */
export interface StoredKeyInfo {
  readonly origin: string;
  readonly storage: Storage;
  /** The key, where the file holds it. */
  readonly key: Secret | undefined;
}

/** The keys of this user's profiles. */
export interface Credentials {
  /** The credentials file. */
  readonly path: string;
  getInfo(profile: string): StoredKeyInfo | undefined;
  get(profile: string): Promise<StoredKey | undefined>;
  /** Fails (system) where the storage does not work; the keyring is proven first. */
  store(profile: string, stored: StoredKey, storage: Storage): Promise<void>;
  /** The stored key, or else the one that `create` makes: of several processes at once, the first one's. */
  getOrCreate(profile: string, create: () => StoredKey): Promise<StoredKey>;
  /** Resolves to whether there was one. */
  remove(profile: string): Promise<boolean>;
}

/**
 * The keys of the user's profiles, each bound to the origin it was stored for: in the credentials file, or
 * in the keyring with a note of it in the file.
 */
export function openCredentials(
  document: ConfigFile,
  keyring: () => Promise<Keyring>,
): Credentials {
  const note = (profile: string) => noteOf(keysOf(document.read()), profile);
  const credentials: Credentials = {
    path: document.path,
    getInfo: note,
    get: async (profile) => {
      const found = note(profile);
      if (!found) return undefined;
      const { origin, storage, key } = found;
      if (storage === 'file') return key && { key, origin };
      const secret = await (await keyring()).get(profile);
      if (secret === undefined) throw goneFromKeyring(profile);
      return { key: new Secret(secret), origin };
    },
    store: async (profile, { key, origin }, storage) => {
      if (storage === 'keyring') {
        const opened = await keyring();
        await opened.selfTest();
        await opened.set(profile, key.reveal());
        await document.update((content) => withEntry(content, profile, { origin, keyring: true }));
      } else {
        await forget(profile);
        await document.update((content) =>
          withEntry(content, profile, { origin, key: key.reveal() }),
        );
      }
    },
    getOrCreate: async (profile, create) => {
      const existing = await credentials.get(profile);
      if (existing) return existing;
      await document.update((content) => {
        if (noteOf(keysOf(content), profile)) return content;
        const { key, origin } = create();
        return withEntry(content, profile, { origin, key: key.reveal() });
      });
      return (await credentials.get(profile)) as StoredKey;
    },
    remove: async (profile) => {
      if (!note(profile)) return false;
      await forget(profile);
      await document.update((content) => {
        const { [profile]: _removed, ...rest } = keysOf(content);
        return { ...content, keys: rest };
      });
      return true;
    },
  };
  /** Takes the key out of the keyring, where it lies there. */
  const forget = async (profile: string) => {
    if (note(profile)?.storage === 'keyring') await (await keyring()).remove(profile);
  };
  return credentials;
}

function noteOf(keys: ConfigContent, profile: string): StoredKeyInfo | undefined {
  if (!Object.hasOwn(keys, profile)) return undefined;
  const { key, origin, keyring } = (keys[profile] ?? {}) as ConfigContent;
  if (typeof origin !== 'string') return undefined;
  if (keyring === true) return { origin, storage: 'keyring', key: undefined };
  const usable = typeof key === 'string' ? catchFailure(() => parseApiKey(key, 'it')) : undefined;
  return usable && { origin, storage: 'file', key: usable };
}

function withEntry(content: ConfigContent, profile: string, entry: ConfigContent): ConfigContent {
  return { ...content, keys: { ...keysOf(content), [profile]: entry } };
}

function keysOf({ keys }: ConfigContent): ConfigContent {
  return typeof keys === 'object' && keys !== null ? (keys as ConfigContent) : {};
}

function goneFromKeyring(profile: string): Failure {
  return new Failure('auth', {
    code: 'no_key',
    message: `the system keyring no longer holds the key of profile ${profile}`,
    hint: `petstore auth login --profile ${profile}`,
  });
}
