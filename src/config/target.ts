import { type Command, Failure, nothingSent, usageError } from '../failure.js';
import { parseApiKey, readApiKeyFile } from './api-key.js';
import { type BaseUrl, parseBaseUrl } from './base-url.js';
import type { Credentials } from './credentials.js';
import { apiKeyFileVariable, apiKeyVariable, type Environment } from './environment.js';
import type { Profile } from './profile.js';
import type { Secret } from './secret.js';
import { getSetting, getTargetLabel, type Settings, sandboxProfileName } from './settings.js';

interface KeyWithSource {
  readonly key: Secret;
  /** A noun for messages: `PETSTORE_API_KEY`, `the saved API key of profile staging`. */
  readonly keySource: string;
  /** The file that stores the API key, or `system keyring`; undefined for one of the environment. */
  readonly storage?: string;
}

interface RemoteAddress {
  readonly kind: 'remote';
  /** For display: the profile, or the host if a base URL replaces the profile's. */
  readonly label: string;
  readonly baseUrl: BaseUrl;
}

/** The destination of requests: the sandbox in this process, or a service and the API key for it. */
export type Target = { readonly kind: 'sandbox' } | (RemoteAddress & KeyWithSource);

export interface TargetOptions {
  readonly settings: Settings;
  readonly profile: Profile;
  readonly credentials: Credentials;
  readonly env: Environment;
  /** Undefined on Windows. */
  readonly userId: number | undefined;
}

export async function resolveTarget(options: TargetOptions): Promise<Target> {
  const address = resolveAddress(options);
  if (address.kind === 'sandbox') return address;
  const key = readEnvironmentKey(options) ?? (await readStoredKey(options, address.baseUrl));
  return { ...address, ...key };
}

/** Resolves the target without its API key. */
export function resolveAddress({
  settings,
  profile,
  env,
}: Omit<TargetOptions, 'credentials' | 'userId'>): { readonly kind: 'sandbox' } | RemoteAddress {
  if (profile.name === sandboxProfileName && settings.baseUrl === undefined) {
    rejectUnusedKey(settings, env);
    return { kind: 'sandbox' };
  }
  const url = settings.baseUrl ?? profile.baseUrl;
  if (url === undefined) {
    throw usageError('no_base_url', `profile ${profile.name} has no base URL`, [
      'run ',
      { words: ['profile', 'set', profile.name, '--base-url', { placeholder: '<url>' }] },
    ]);
  }
  // Rejects an invalid base URL before the label needs its host.
  const baseUrl = parseBaseUrl(url, env);
  return { kind: 'remote', label: getTargetLabel(settings), baseUrl };
}

/** The variables with an API key. */
export const apiKeyVariables: readonly string[] = [apiKeyVariable, apiKeyFileVariable];

/** Returns the variable that provides the API key, if one is set; the first one applies. */
export function findKeyVariable(env: Environment): string | undefined {
  return apiKeyVariables.find((name) => env[name] !== undefined);
}

/** Throws if the environment has an API key but the sandbox is used only by default: likely a mistake. */
function rejectUnusedKey(settings: Settings, env: Environment): void {
  const variable = findKeyVariable(env);
  if (!variable || getSetting(settings, 'profile').origin !== 'default') return;
  const message = `${variable} is set, but no profile or base URL is selected`;
  const sandbox: Command = { words: ['--profile', 'sandbox'], isAddition: true };
  const hint = ['set PETSTORE_PROFILE or PETSTORE_BASE_URL, or pass ', sandbox, ' to use the sample pets'];
  throw usageError('no_profile_chosen', message, hint, { outcome: nothingSent });
}

/** Returns the API key in the environment. Throws a usage failure if it is invalid. */
function readEnvironmentKey({ env, userId }: TargetOptions): KeyWithSource | undefined {
  const keySource = findKeyVariable(env);
  if (keySource === undefined) return undefined;
  const text = env[keySource] as string;
  const isFile = keySource === apiKeyFileVariable;
  return { key: isFile ? readApiKeyFile(text, keySource, userId) : parseApiKey(text, keySource), keySource };
}

/** Returns the stored API key of the profile. Throws if it belongs to another origin. */
async function readStoredKey(options: TargetOptions, baseUrl: BaseUrl): Promise<KeyWithSource> {
  const { credentials } = options;
  const { name } = options.profile;
  const isSandbox = name === sandboxProfileName;
  const login = toLogin(options, baseUrl);
  const stored = isSandbox ? undefined : credentials.getInfo(name);
  if (stored && stored.origin !== baseUrl.origin) {
    throw new Failure('auth', {
      code: 'key_bound_elsewhere',
      message: `the API key of profile ${name} is bound to ${stored.origin} and is never sent to ${baseUrl.origin}`,
      hint: ['run ', login, ' to replace the saved API key, or pass a new name to --profile to keep it'],
    });
  }
  const key = stored && (await credentials.get(name));
  if (key) return { key, keySource: `the saved API key of profile ${name}`, storage: stored.storage };
  throw new Failure('auth', {
    code: 'no_key',
    message: isSandbox ? 'no API key is available for this base URL' : `profile ${name} has no API key`,
    hint: [`set ${apiKeyVariable}, or run `, login],
  });
}

/** Returns the login command. It names a base URL that replaces the profile's: the new API key belongs to that one. */
function toLogin({ settings, profile }: TargetOptions, { origin, path }: BaseUrl): Command {
  const name = profile.name === sandboxProfileName ? { placeholder: '<name>' } : profile.name;
  const flag = settings.baseUrl ? ['--base-url', origin + path] : [];
  return { words: ['auth', 'login', '--profile', name, ...flag] };
}
