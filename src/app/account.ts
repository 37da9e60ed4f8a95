import { parseBaseUrl } from '../config/base-url.js';
import { sandboxProfileName } from '../config/profile.js';
import type { Secret } from '../config/secret.js';
import { describeStoredKey, readEnvironmentKey, resolveTarget, type TargetOptions } from '../config/target.js';
import { catchFailure, Failure } from '../failure.js';

/** The profile, address and API key that a command uses. */
export interface Account {
  readonly profile: string;
  /** Missing for the sandbox, and for a profile that has none yet. */
  readonly baseUrl?: string;
  readonly key?: Secret;
  /** The source of the key: `PETSTORE_API_KEY`, `the saved API key of profile staging`. */
  readonly keySource?: string;
  /** The file that stores the key, or `system keyring`. */
  readonly storage?: string | undefined;
  /** Why no request could be sent. */
  readonly problem?: Failure;
}

/** Describes where requests would go and with which API key. Sends nothing; may query the keyring. */
export async function describeAccount(options: TargetOptions): Promise<Account> {
  const { profile, credentials, env } = options;
  const address = describeAddress(options);
  try {
    const target = await resolveTarget(options);
    if (target.kind === 'sandbox') return { ...address, ...(await sandboxKey(options)) };
    const { key, keySource, storage } = target;
    return { ...address, key, keySource, storage };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const environmentKey = catchFailure(() => readEnvironmentKey(options));
    const storedKey = catchFailure(() => credentials.getInfo(profile.name));
    // An invalid base URL may contain a key.
    const isUsable = address.baseUrl === undefined || catchFailure(() => parseBaseUrl(address.baseUrl ?? '', env));
    const { baseUrl: _unusable, ...rest } = address;
    return {
      ...(isUsable ? address : rest),
      ...(environmentKey ?? (storedKey && { keySource: describeStoredKey(profile), storage: storedKey.storage })),
      problem: error,
    };
  }
}

function describeAddress({ settings, profile }: TargetOptions): Account {
  const baseUrl = settings.baseUrl ?? profile.baseUrl;
  return { profile: profile.name, ...(baseUrl !== undefined && { baseUrl }) };
}

async function sandboxKey({ credentials }: TargetOptions): Promise<Partial<Account>> {
  const stored = await credentials.get(sandboxProfileName);
  if (!stored) return { keySource: 'created on first use' };
  return { key: stored.key, keySource: 'the sandbox', storage: credentials.path };
}
