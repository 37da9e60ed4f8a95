import { sandboxProfileName } from '../config/profile.js';
import type { Secret } from '../config/secret.js';
import {
  describeStoredKey,
  readEnvironmentKey,
  resolveTarget,
  type TargetOptions,
} from '../config/target.js';
import { catchFailure, Failure } from '../failure.js';

/** The profile, address and API key that a command uses. */
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

/** What is known of where requests would go; nothing is sent, and the keyring alone may be asked. */
export async function describeAccount(choices: TargetOptions): Promise<Account> {
  const { profile, credentials, env } = choices;
  const known = describeAddress(choices);
  try {
    const target = await resolveTarget(choices);
    if (target.kind === 'sandbox') return { ...known, ...(await sandboxKey(choices)) };
    const { key, keySource } = target;
    const isStored = keySource === describeStoredKey(profile);
    return { ...known, key, keySource, ...(isStored && { storage: storageOf(choices) }) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const given = catchFailure(() => readEnvironmentKey(env));
    const note = credentials.getInfo(profile.name);
    // What cannot be used as a base URL is not repeated, since it may hold a key.
    const { baseUrl: _unusable, ...rest } = known;
    return {
      ...(error.details.code === 'invalid_base_url' ? rest : known),
      ...(given ??
        (note && { keySource: describeStoredKey(profile), storage: storageOf(choices) })),
      problem: error,
    };
  }
}

/** What is known of the account without a look at any key. */
export function describeAddress({ settings, profile }: TargetOptions): Account {
  const baseUrl = settings.baseUrl ?? profile.baseUrl;
  return { profile: profile.name, ...(baseUrl !== undefined && { baseUrl }) };
}

async function sandboxKey({ credentials }: TargetOptions): Promise<Partial<Account>> {
  const stored = await credentials.get(sandboxProfileName);
  if (!stored) return { keySource: 'made on first use' };
  return { key: stored.key, keySource: 'the sandbox', storage: credentials.path };
}

function storageOf({ credentials, profile }: TargetOptions): string {
  return credentials.getInfo(profile.name)?.storage === 'keyring'
    ? 'system keyring'
    : credentials.path;
}
