import type { OutputFormat } from '../format/output-format.js';

export const sandboxProfileName = 'sandbox';

/** The profile whose changes Enter alone does not confirm. */
export const productionProfileName = 'production';

/** Names that need no quoting in a shell and cannot be mistaken for a flag or path. */
export const profileNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The profiles that exist without configuration. */
export const builtInProfiles: readonly string[] = [sandboxProfileName, 'staging', productionProfileName];

/** The origin of the sandbox. No network can resolve it (RFC 6761 §6.4). */
export const sandboxOrigin = 'http://sandbox.invalid';

export interface Profile {
  readonly name: string;
  /** Missing: not configured yet, or the sandbox. */
  readonly baseUrl?: string;
  readonly output?: OutputFormat;
  /** Rejects requests that change data. */
  readonly readOnly?: true;
}
