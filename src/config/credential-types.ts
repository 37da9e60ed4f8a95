import type { Failure } from '../failure.js';
import type { Secret } from './secret.js';

type Storage = 'file' | 'keyring';

/** A key kept on this machine, good for one origin only. */
export interface StoredKey {
  readonly key: Secret;
  readonly origin: string;
}

/** What is known of a stored key without asking the keyring for it. */
export interface StoredKeyNote {
  readonly origin: string;
  readonly storage: Storage;
  /** The key, where the file holds it. */
  readonly key: Secret | undefined;
}

/** The keys of this user's profiles. */
export interface Credentials {
  /** The credentials file. */
  readonly path: string;
  note(profile: string): StoredKeyNote | undefined;
  find(profile: string): Promise<StoredKey | undefined>;
  /** Fails (system) where the storage does not work; the keyring is proven first. */
  store(profile: string, stored: StoredKey, storage: Storage): Promise<void>;
  /** The stored key, or else the one that `create` makes: of several processes at once, the first one's. */
  ensure(profile: string, create: () => StoredKey): Promise<StoredKey>;
  /** Resolves to whether there was one. */
  remove(profile: string): Promise<boolean>;
}

export interface Account {
  readonly profile: string;
  /** Missing for the sandbox, and where none is told yet. */
  readonly baseUrl?: string;
  readonly key?: Secret;
  /** Where the key comes from: `PETSTORE_API_KEY`, `the stored key of profile staging`. */
  readonly keySource?: string;
  /** Where the key is kept: a file, or `system keyring`. */
  readonly storage?: string;
  /** Why no request could be sent. */
  readonly problem?: Failure;
}
