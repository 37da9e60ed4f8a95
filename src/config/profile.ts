import type { OutputFormat } from '../format/output-format.js';

export const sandboxProfileName = 'sandbox';

/** Names that can be typed without quoting, and never look like a flag or a path. */
export const profileNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The profiles that exist from the start. */
export const builtInProfiles: readonly string[] = [sandboxProfileName, 'staging', 'production'];

/** A name that no network can resolve (RFC 6761 §6.4): what is sent there never leaves the process. */
export const sandboxOrigin = 'http://sandbox.invalid';

export interface Profile {
  readonly name: string;
  /** Missing: not told yet, or the embedded sandbox, which has none. */
  readonly baseUrl?: string;
  readonly output?: OutputFormat;
}
