import { Failure } from '../failure.js';
import { keyFromFile, parseKey } from './api-key.js';
import { parseBaseUrl } from './base-url.js';
import type { Credentials } from './credential-types.js';
import type { Environment } from './environment.js';
import { type BaseUrl, type Profile, sandbox } from './profile.js';
import type { Secret } from './secret.js';
import { labelOf, type Settings, sourceOf } from './settings.js';
import { keyFileVariable, keyVariable } from './variables.js';

/** Where requests go: the embedded sandbox, or a service elsewhere with the key for it. */
export type Target =
  | { readonly kind: 'sandbox' }
  | {
      readonly kind: 'remote';
      /** What the status line calls it: the profile, or the host where a base URL replaced it. */
      readonly label: string;
      readonly baseUrl: BaseUrl;
      readonly key: Secret;
      /** For messages: `PETSTORE_API_KEY`, `the stored key of profile staging`. */
      readonly keySource: string;
    };

export interface TargetChoices {
  readonly settings: Settings;
  readonly profile: Profile;
  readonly credentials: Credentials;
  readonly env: Environment;
}

/** Where requests go, whatever key there is for it. */
type Place =
  | Extract<Target, { kind: 'sandbox' }>
  | Omit<Extract<Target, { kind: 'remote' }>, 'key' | 'keySource'>;

/** Decides where requests go and with which key; the sandbox takes no key but its own. */
export async function decideTarget(choices: TargetChoices): Promise<Target> {
  const { profile, credentials, env } = choices;
  const place = decidePlace(choices);
  if (place.kind === 'sandbox') return place;
  return { ...place, ...(await findKey(profile, place.baseUrl, credentials, env)) };
}

/** Decides where requests go, and looks for no key. */
export function decidePlace({ settings, profile, env }: Omit<TargetChoices, 'credentials'>): Place {
  const replaced = settings.baseUrl !== undefined;
  if (profile.name === sandbox && !replaced) {
    refuseUnusedKey(settings, env);
    return { kind: 'sandbox' };
  }
  const address = settings.baseUrl ?? profile.baseUrl;
  if (address === undefined) throw noBaseUrl(profile);
  const baseUrl = parseBaseUrl(address, env);
  return { kind: 'remote', label: labelOf(settings), baseUrl };
}

/** The variables that give a key; the first one that is set wins. */
export const keyVariables = [keyVariable, keyFileVariable] as const;

/** A key in the environment that nobody pointed anywhere was not meant for sample animals. */
function refuseUnusedKey(settings: Settings, env: Environment): void {
  const given = keyVariables.find((name) => env[name] !== undefined);
  if (!given || sourceOf(settings, 'profile') !== 'default') return;
  throw new Failure('usage', {
    code: 'no_profile_chosen',
    message: `${given} is set, but no profile and no base URL is chosen`,
    hint: 'set PETSTORE_PROFILE or PETSTORE_BASE_URL; --profile sandbox means the sample animals',
  });
}

async function findKey(
  profile: Profile,
  { origin }: BaseUrl,
  credentials: Credentials,
  env: Environment,
): Promise<{ key: Secret; keySource: string }> {
  const given = keyFromEnvironment(env);
  if (given) return given;
  const note = profile.name === sandbox ? undefined : credentials.note(profile.name);
  if (!note) throw noKey(profile);
  if (note.origin !== origin) {
    throw new Failure('auth', {
      code: 'key_bound_elsewhere',
      message: `the key of profile ${profile.name} was stored for ${note.origin}, and is not sent to ${origin}`,
      hint: `petstore auth login --profile ${profile.name} stores a key for the other address`,
    });
  }
  const stored = await credentials.find(profile.name);
  if (!stored) throw noKey(profile);
  return { key: stored.key, keySource: storedKeyOf(profile) };
}

/** What a key that is kept for a profile is called. */
export function storedKeyOf({ name }: Profile): string {
  return `the stored key of profile ${name}`;
}

/** The key that the environment names, and the variable that does; malformed ones fail. */
export function keyFromEnvironment(
  env: Environment,
): { readonly key: Secret; readonly keySource: string } | undefined {
  const { [keyVariable]: inline, [keyFileVariable]: file } = env;
  if (inline !== undefined) {
    return { key: parseKey(inline, keyVariable), keySource: keyVariable };
  }
  if (file === undefined) return undefined;
  return { key: keyFromFile(file, keyFileVariable), keySource: keyFileVariable };
}

function noBaseUrl({ name }: Profile): Failure {
  return new Failure('usage', {
    code: 'no_base_url',
    message: `the profile ${name} has no base URL yet`,
    hint: `petstore profile set ${name} --base-url https://…/v1`,
  });
}

function noKey({ name }: Profile): Failure {
  const login =
    name === sandbox
      ? 'petstore auth login --profile NAME --base-url URL'
      : `petstore auth login --profile ${name}`;
  return new Failure('auth', {
    code: 'no_key',
    message: `there is no API key for ${name === sandbox ? 'this address' : `profile ${name}`}`,
    hint: `set ${keyVariable}, or store a key: ${login}`,
  });
}
