import type { Account } from '../config/credential-types.js';
import { sandbox } from '../config/profile.js';
import {
  decideTarget,
  keyFromEnvironment,
  storedKeyOf,
  type TargetChoices,
} from '../config/target.js';
import { catchFailure, Failure } from '../failure.js';

/** What is known of where requests would go; nothing is sent, and the keyring alone may be asked. */
export async function describeAccount(choices: TargetChoices): Promise<Account> {
  const { profile, credentials, env } = choices;
  const known = placeOnly(choices);
  try {
    const target = await decideTarget(choices);
    if (target.kind === 'sandbox') return { ...known, ...(await sandboxKey(choices)) };
    const { key, keySource } = target;
    const isStored = keySource === storedKeyOf(profile);
    return { ...known, key, keySource, ...(isStored && { storage: storageOf(choices) }) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const given = catchFailure(() => keyFromEnvironment(env));
    const note = credentials.note(profile.name);
    // What cannot be used as a base URL is not repeated, since it may hold a key.
    const { baseUrl: _unusable, ...rest } = known;
    return {
      ...(error.details.code === 'invalid_base_url' ? rest : known),
      ...(given ?? (note && { keySource: storedKeyOf(profile), storage: storageOf(choices) })),
      problem: error,
    };
  }
}

/** What is known of the account without a look at any key. */
export function placeOnly({ settings, profile }: TargetChoices): Account {
  const baseUrl = settings.baseUrl ?? profile.baseUrl;
  return { profile: profile.name, ...(baseUrl !== undefined && { baseUrl }) };
}

async function sandboxKey({ credentials }: TargetChoices): Promise<Partial<Account>> {
  const stored = await credentials.find(sandbox);
  if (!stored) return { keySource: 'made on first use' };
  return { key: stored.key, keySource: 'the sandbox', storage: credentials.path };
}

function storageOf({ credentials, profile }: TargetChoices): string {
  return credentials.note(profile.name)?.storage === 'keyring'
    ? 'system keyring'
    : credentials.path;
}
