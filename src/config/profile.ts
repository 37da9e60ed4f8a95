import type { Format } from '../format/output-format.js';

export const sandbox = 'sandbox';

/** Names that can be typed without quoting, and never look like a flag or a path. */
export const profileName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The profiles that exist from the start. */
export const builtInProfiles: readonly string[] = [sandbox, 'staging', 'production'];

/** A name that no network can resolve (RFC 6761 §6.4): what is sent there never leaves the process. */
export const sandboxOrigin = 'http://sandbox.invalid';

export interface Profile {
  readonly name: string;
  /** Missing: not told yet, or the embedded sandbox, which has none. */
  readonly baseUrl?: string;
  readonly output?: Format;
}

/** A base URL taken apart: where requests go, and what their paths start with. */
export interface BaseUrl {
  /** Scheme, host and port: `https://api.example.com`. */
  readonly origin: string;
  /** The path without a slash at its end: `/v1`, or nothing. */
  readonly path: string;
  /** What a person should know about it, though it is used. */
  readonly warnings: readonly string[];
}

/** The environments of this user. Unknown names fail (usage) with a suggestion. */
export interface Profiles {
  /** The built-in ones first, then the others by name. */
  list(): readonly Profile[];
  get(name: string): Profile;
  /** Adds the profile, or changes the values that are given. */
  set(name: string, change: Omit<Profile, 'name'>): Promise<void>;
  use(name: string): Promise<void>;
  /** Forgets the profile's values; a built-in one stays, without them. */
  remove(name: string): Promise<void>;
}
