import type { Credentials, StoredKey } from '../ports/credentials.js';
import { Secret } from '../ports/secret.js';
import type { Content, Document } from './document.js';

/** The keys kept in the user's credentials file, each bound to the origin it was stored for. */
export function openCredentials(document: Document): Credentials {
  return {
    find: (profile) => storedKey(keysOf(document.read()), profile),
    store: (profile, stored) => document.update((content) => withKey(content, profile, stored)),
    ensure: async (profile, create) => {
      const existing = storedKey(keysOf(document.read()), profile);
      if (existing) return existing;
      await document.update((content) =>
        storedKey(keysOf(content), profile) ? content : withKey(content, profile, create()),
      );
      return storedKey(keysOf(document.read()), profile) as StoredKey;
    },
    remove: async (profile) => {
      if (!Object.hasOwn(keysOf(document.read()), profile)) return false;
      await document.update((content) => {
        const { [profile]: _removed, ...rest } = keysOf(content);
        return { ...content, keys: rest };
      });
      return true;
    },
  };
}

function storedKey(keys: Content, profile: string): StoredKey | undefined {
  if (!Object.hasOwn(keys, profile)) return undefined;
  const { key, origin } = (keys[profile] ?? {}) as Content;
  return typeof key === 'string' && typeof origin === 'string'
    ? { key: new Secret(key), origin }
    : undefined;
}

function withKey(content: Content, profile: string, { key, origin }: StoredKey): Content {
  return { ...content, keys: { ...keysOf(content), [profile]: { origin, key: key.reveal() } } };
}

function keysOf(content: Content): Content {
  const { keys } = content;
  return typeof keys === 'object' && keys !== null ? (keys as Content) : {};
}
