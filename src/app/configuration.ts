import { parseApiKey } from '../config/api-key.js';
import { parseBaseUrl } from '../config/base-url.js';
import { createPermissionCheck, openConfigFile } from '../config/config-file.js';
import { openCredentials } from '../config/credentials.js';
import { resolvePaths } from '../config/paths.js';
import { openProfiles } from '../config/profile.js';
import { openUserSettings, resolveSettings } from '../config/resolve-settings.js';
import type { Secret } from '../config/secret.js';
import { type GlobalFlags, sandboxProfileName } from '../config/settings.js';
import { resolveAddress, resolveTarget, type TargetOptions } from '../config/target.js';
import { catchFailure, Failure } from '../failure.js';
import type { Runtime } from './runtime.js';

/** Resolves the settings. Invalid values are ignored; `problems` says which ones and why. */
export function readSettings(flags: GlobalFlags, runtime: Runtime) {
  const { env, home, platform, clock, importWithoutListeners: importModule } = runtime;
  const paths = resolvePaths(env, home, platform);
  const file = openConfigFile(paths.config, clock, { importModule });
  return { paths, file, ...resolveSettings(flags, env, file) };
}

/** The user's files: settings, profiles and API keys. */
export type Configuration = ReturnType<typeof openConfiguration>;

/** Opens the settings, profiles and API keys of this user; each is read when it is used. */
export function openConfiguration(
  { paths, file, settings, problems, isUnreadable }: ReturnType<typeof readSettings>,
  runtime: Runtime,
  notice: (text: string) => void,
) {
  const { env, clock, userId, importWithoutListeners: importModule } = runtime;
  const profiles = openProfiles(file);
  // Windows has no file modes.
  const check = userId === undefined ? undefined : createPermissionCheck(notice);
  const credentialsFile = openConfigFile(paths.credentials, clock, { check, importModule });
  const credentials = openCredentials(credentialsFile, async () => {
    const { openKeyring } = await import('../config/keyring.js');
    return openKeyring(clock);
  });
  const targetOptions = (): TargetOptions => {
    return { settings, profile: profiles.get(settings.profile), credentials, env, userId };
  };
  return {
    paths,
    store: openUserSettings(file, settings),
    profiles,
    credentials,
    /** Why values are ignored: the file cannot be read, or a value in it or in the environment is invalid. */
    problems,
    /** True if the file cannot be read. */
    isUnreadable,
    /** Finds where requests would go and with which API key; sends nothing. */
    account: () => describeAccount(targetOptions()),
    /** Returns where requests go, with the API key; throws if none can be sent. */
    resolveTarget: () => resolveTarget(targetOptions()),
    /** Returns where requests go, without the API key. */
    resolveAddress: () => resolveAddress(targetOptions()),
    /** Parses a base URL; throws a usage error if it cannot be used. */
    parseBaseUrl: (text: string) => parseBaseUrl(text, env),
    parseApiKey,
  };
}

/** The profile, address and API key that a command uses. */
export interface Account {
  readonly profile: string;
  /** Missing for the sandbox, and for a profile that has none yet. */
  readonly baseUrl?: string | undefined;
  readonly key?: Secret;
  /** The source of the key: `PETSTORE_API_KEY`, `the saved API key of profile staging`. */
  readonly keySource?: string;
  /** The file that stores the key, or `system keyring`. */
  readonly storage?: string | undefined;
  /** Why no request could be sent; then nothing is said about the key. */
  readonly problem?: Failure;
}

/** Describes where requests would go and with which API key. Sends nothing; may query the keyring. */
async function describeAccount(options: TargetOptions): Promise<Account> {
  const { settings, profile, credentials, env } = options;
  const baseUrl = settings.baseUrl ?? profile.baseUrl;
  const address = { profile: profile.name, baseUrl };
  try {
    const target = await resolveTarget(options);
    if (target.kind === 'sandbox') {
      const key = await credentials.get(sandboxProfileName);
      if (!key) return { ...address, keySource: 'created on first use' };
      return { ...address, key, keySource: 'the sandbox', storage: credentials.path };
    }
    const { key, keySource, storage } = target;
    return { ...address, key, keySource, storage };
  } catch (problem) {
    if (!(problem instanceof Failure)) throw problem;
    // An invalid base URL may contain a key.
    const isUsable = baseUrl !== undefined && catchFailure(() => parseBaseUrl(baseUrl, env));
    return { profile: profile.name, ...(isUsable && { baseUrl }), problem };
  }
}
