import { type Command, usageError } from '../failure.js';
import { type OutputFormat, outputFormats } from '../format/output-format.js';
import { suggestSimilar } from '../format/suggest.js';
import { type ConfigContent, type ConfigFile, getSection, withMember } from './config-file.js';
import { profileNamePattern, sandboxProfileName } from './settings.js';

/** The profile whose changes Enter alone does not confirm. */
export const productionProfileName = 'production';

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
  readonly readOnly?: boolean;
}

/** The profiles of this user. Every method throws a usage failure for an unknown or invalid name. */
export function openProfiles(file: ConfigFile) {
  return {
    list: () => listProfiles(file.read()),
    get: (name: string) => findProfile(file.read(), name),
    /** Returns the name of the saved current profile. */
    getSaved: (): string => {
      const { profile } = getSection(file.read(), 'settings');
      return typeof profile === 'string' ? profile : sandboxProfileName;
    },
    /** Adds a profile or changes the given values. */
    set: (name: string, change: Partial<Profile>) => {
      checkProfileName(name);
      return file.update((content) => {
        const profile = { ...(getSection(content, 'profiles')[name] as ConfigContent | undefined), ...change };
        return withMember(content, 'profiles', name, { ...profile, readOnly: profile.readOnly || undefined });
      });
    },
    /** Makes the profile the current one. */
    use: (name: string) =>
      file.update((content) => {
        findProfile(content, name);
        return withMember(content, 'settings', 'profile', name);
      }),
    /** Deletes a profile, or resets a built-in one. */
    remove: (name: string) =>
      file.update((content) => {
        findProfile(content, name);
        const others = withMember(content, 'profiles', name, undefined);
        const isGone = getSection(content, 'settings').profile === name && !builtInProfiles.includes(name);
        return isGone ? withMember(others, 'settings', 'profile', undefined) : others;
      }),
  };
}

/** Returns a profile in the content of the config file. Throws a usage failure for an unknown name. */
export function findProfile(content: ConfigContent, name: string): Profile {
  const profiles = listProfiles(content);
  const profile = profiles.find((candidate) => candidate.name === name);
  if (profile) return profile;
  checkProfileName(name);
  const names = profiles.map((candidate) => candidate.name);
  throw usageError(
    'unknown_profile',
    `unknown profile "${name}"`,
    suggestSimilar(name, names) ?? [
      'run ',
      listProfilesCommand,
      ' to list all profiles, or ',
      { words: ['profile', 'set', name, '--base-url', { placeholder: '<url>' }] },
      ' to create one',
    ],
  );
}

export const listProfilesCommand: Command = { words: ['profile', 'list'] };

/** Throws a usage failure for an invalid name. */
export function checkProfileName(name: string): void {
  if (profileNamePattern.test(name)) return;
  const message = 'a profile name must have 1 to 64 letters, digits, - or _, and start with a letter or digit';
  throw usageError('invalid_argument', message);
}

/** Returns the profiles in a configuration: the built-in ones first, then the others by name. */
export function listProfiles(content: ConfigContent): readonly Profile[] {
  const profiles = getSection(content, 'profiles');
  const added = Object.keys(profiles).filter(
    (name) => !builtInProfiles.includes(name) && profileNamePattern.test(name),
  );
  return [...builtInProfiles, ...added.sort()].map((name) => toProfile(name, profiles[name]));
}

function toProfile(name: string, value: unknown): Profile {
  const { baseUrl, output, readOnly } = (value ?? {}) as ConfigContent;
  return {
    name,
    ...(typeof baseUrl === 'string' && name !== sandboxProfileName && { baseUrl }),
    ...(outputFormats.includes(output as OutputFormat) && { output: output as OutputFormat }),
    readOnly: Boolean(readOnly),
  };
}

/** Returns the base URL of a profile, `embedded` for that of the sandbox, or null if it has none. */
export function describeBaseUrl(profile: string, baseUrl: string | undefined): string | null {
  return baseUrl ?? (profile === sandboxProfileName ? 'embedded' : null);
}
