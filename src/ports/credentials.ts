import type { Secret } from './secret.js';

/** A key kept on this machine, good for one origin only. */
export interface StoredKey {
  readonly key: Secret;
  readonly origin: string;
}

/** The keys of this user's profiles. */
export interface Credentials {
  find(profile: string): StoredKey | undefined;
  store(profile: string, stored: StoredKey): Promise<void>;
  /** The stored key, or else the one that `create` makes: of several processes at once, the first one's. */
  ensure(profile: string, create: () => StoredKey): Promise<StoredKey>;
  /** Resolves to whether there was one. */
  remove(profile: string): Promise<boolean>;
}
