import { catchFailure, Failure } from '../failure.js';
import { parseKey } from './api-key.js';
import type { Content, Document } from './config-file.js';
import type { Credentials, StoredKey, StoredKeyNote } from './credential-types.js';
import type { Keyring } from './keyring.js';
import { Secret } from './secret.js';

/**
 * The keys of the user's profiles, each bound to the origin it was stored for: in the credentials file, or
 * in the keyring with a note of it in the file.
 */
export function openCredentials(document: Document, keyring: () => Promise<Keyring>): Credentials {
  const note = (profile: string) => noteOf(keysOf(document.read()), profile);
  const credentials: Credentials = {
    path: document.path,
    note,
    find: async (profile) => {
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
        await opened.prove();
        await opened.set(profile, key.reveal());
        await document.update((content) => withEntry(content, profile, { origin, keyring: true }));
      } else {
        await forget(profile);
        await document.update((content) =>
          withEntry(content, profile, { origin, key: key.reveal() }),
        );
      }
    },
    ensure: async (profile, create) => {
      const existing = await credentials.find(profile);
      if (existing) return existing;
      await document.update((content) => {
        if (noteOf(keysOf(content), profile)) return content;
        const { key, origin } = create();
        return withEntry(content, profile, { origin, key: key.reveal() });
      });
      return (await credentials.find(profile)) as StoredKey;
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

function noteOf(keys: Content, profile: string): StoredKeyNote | undefined {
  if (!Object.hasOwn(keys, profile)) return undefined;
  const { key, origin, keyring } = (keys[profile] ?? {}) as Content;
  if (typeof origin !== 'string') return undefined;
  if (keyring === true) return { origin, storage: 'keyring', key: undefined };
  const usable = typeof key === 'string' ? catchFailure(() => parseKey(key, 'it')) : undefined;
  return usable && { origin, storage: 'file', key: usable };
}

function withEntry(content: Content, profile: string, entry: Content): Content {
  return { ...content, keys: { ...keysOf(content), [profile]: entry } };
}

function keysOf({ keys }: Content): Content {
  return typeof keys === 'object' && keys !== null ? (keys as Content) : {};
}

function goneFromKeyring(profile: string): Failure {
  return new Failure('auth', {
    code: 'no_key',
    message: `the system keyring no longer holds the key of profile ${profile}`,
    hint: `petstore auth login --profile ${profile}`,
  });
}
