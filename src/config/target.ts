import { Failure } from '../failure.js';
import { parseApiKey, readApiKeyFile } from './api-key.js';
import { type BaseUrl, parseBaseUrl } from './base-url.js';
import type { Credentials } from './credentials.js';
import type { Environment } from './environment.js';
import { apiKeyFileVariable, apiKeyVariable } from './environment.js';
import { type Profile, sandboxProfileName } from './profile.js';
import type { Secret } from './secret.js';
import { getSettingOrigin, getTargetLabel, type Settings } from './settings.js';

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

export interface TargetOptions {
  readonly settings: Settings;
  readonly profile: Profile;
  readonly credentials: Credentials;
  readonly env: Environment;
}

/** Where requests go, whatever key there is for it. */
type TargetAddress =
  | Extract<Target, { kind: 'sandbox' }>
  | Omit<Extract<Target, { kind: 'remote' }>, 'key' | 'keySource'>;

/** Decides where requests go and with which key; the sandbox takes no key but its own. */
export async function resolveTarget(choices: TargetOptions): Promise<Target> {
  const { profile, credentials, env } = choices;
  const place = resolveAddress(choices);
  if (place.kind === 'sandbox') return place;
  return { ...place, ...(await findKey(profile, place.baseUrl, credentials, env)) };
}

/** Decides where requests go, and looks for no key. */
export function resolveAddress({
  settings,
  profile,
  env,
}: Omit<TargetOptions, 'credentials'>): TargetAddress {
  const replaced = settings.baseUrl !== undefined;
  if (profile.name === sandboxProfileName && !replaced) {
    rejectUnusedKey(settings, env);
    return { kind: 'sandbox' };
  }
  const address = settings.baseUrl ?? profile.baseUrl;
  if (address === undefined) throw noBaseUrl(profile);
  const baseUrl = parseBaseUrl(address, env);
  return { kind: 'remote', label: getTargetLabel(settings), baseUrl };
}

/** The variables that give a key; the first one that is set wins. */
export const apiKeyVariables = [apiKeyVariable, apiKeyFileVariable] as const;

/** A key in the environment that nobody pointed anywhere was not meant for sample animals. */
function rejectUnusedKey(settings: Settings, env: Environment): void {
  const given = apiKeyVariables.find((name) => env[name] !== undefined);
  if (!given || getSettingOrigin(settings, 'profile') !== 'default') return;
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
  const given = readEnvironmentKey(env);
  if (given) return given;
  const note = profile.name === sandboxProfileName ? undefined : credentials.getInfo(profile.name);
  if (!note) throw noKey(profile);
  if (note.origin !== origin) {
    throw new Failure('auth', {
      code: 'key_bound_elsewhere',
      message: `the key of profile ${profile.name} was stored for ${note.origin}, and is not sent to ${origin}`,
      hint: `petstore auth login --profile ${profile.name} stores a key for the other address`,
    });
  }
  const stored = await credentials.get(profile.name);
  if (!stored) throw noKey(profile);
  return { key: stored.key, keySource: describeStoredKey(profile) };
}

/** What a key that is kept for a profile is called. */
export function describeStoredKey({ name }: Profile): string {
  return `the stored key of profile ${name}`;
}

/** The key that the environment names, and the variable that does; malformed ones fail. */
export function readEnvironmentKey(
  env: Environment,
): { readonly key: Secret; readonly keySource: string } | undefined {
  const { [apiKeyVariable]: inline, [apiKeyFileVariable]: file } = env;
  if (inline !== undefined) {
    return { key: parseApiKey(inline, apiKeyVariable), keySource: apiKeyVariable };
  }
  if (file === undefined) return undefined;
  return { key: readApiKeyFile(file, apiKeyFileVariable), keySource: apiKeyFileVariable };
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
    name === sandboxProfileName
      ? 'petstore auth login --profile NAME --base-url URL'
      : `petstore auth login --profile ${name}`;
  return new Failure('auth', {
    code: 'no_key',
    message: `there is no API key for ${name === sandboxProfileName ? 'this address' : `profile ${name}`}`,
    hint: `set ${apiKeyVariable}, or store a key: ${login}`,
  });
}
