import { Failure } from '../failure.js';
import { type OutputFormat, outputFormats } from '../format/output-format.js';
import { suggestSimilar } from '../format/suggest.js';
import { type ConfigContent, type ConfigFile, getSection } from './config-file.js';
import {
  builtInProfiles,
  type Profile,
  profileNamePattern,
  sandboxProfileName,
} from './profile.js';

/** The environments of this user. Unknown names fail (usage) with a suggestion. */
export interface Profiles {
  /** The built-in ones first, then the others by name. */
  list(): readonly Profile[];
  get(name: string): Profile;
  /** Adds the profile, or changes the values that are given. */
  set(name: string, change: Omit<Profile, 'name'>): Promise<void>;
  use(name: string): Promise<void>;
  /** Forgets the profile's values; a built-in one stays, without them. */
  remove(name: string): Promise<void>;
}

/** The profiles kept in the user's configuration file, the built-in ones always among them. */
export function openProfiles(document: ConfigFile): Profiles {
  const list = () => listProfiles(document.read());
  return {
    list,
    get: (name) => findProfile(document.read(), name),
    set: (name, change) => {
      checkName(name);
      return document.update((content) => {
        const profiles = getSection(content, 'profiles');
        const before = Object.hasOwn(profiles, name) ? (profiles[name] as ConfigContent) : {};
        return { ...content, profiles: { ...profiles, [name]: { ...before, ...change } } };
      });
    },
    use: (name) =>
      document.update((content) => {
        findProfile(content, name);
        return withCurrent(content, name);
      }),
    remove: (name) =>
      document.update((content) => {
        findProfile(content, name);
        const { [name]: _removed, ...rest } = getSection(content, 'profiles');
        const isBuiltIn = builtInProfiles.includes(name);
        const current = getSection(content, 'settings').profile === name && !isBuiltIn;
        return { ...(current ? withCurrent(content, undefined) : content), profiles: rest };
      }),
  };
}

/** A profile as a configuration has it. Fails (usage) with a suggestion on an unknown name. */
export function findProfile(content: ConfigContent, name: string): Profile {
  const profiles = listProfiles(content);
  const profile = profiles.find((candidate) => candidate.name === name);
  if (profile) return profile;
  checkName(name);
  const others = profiles.map((candidate) => candidate.name);
  throw new Failure('usage', {
    code: 'unknown_profile',
    message: `there is no profile "${name}"`,
    hint:
      suggestSimilar(name, others) ??
      `petstore profile set ${name} --base-url URL adds it; petstore profile list shows the others`,
  });
}

function checkName(name: string): void {
  if (profileNamePattern.test(name)) return;
  throw new Failure('usage', {
    code: 'invalid_profile_name',
    message:
      'a profile name has 1 to 64 letters, digits, - and _, and starts with a letter or digit',
  });
}

/** Returns the profiles in a configuration: the built-in ones first, then the others by name. */
export function listProfiles(content: ConfigContent): readonly Profile[] {
  const profiles = getSection(content, 'profiles');
  const added = Object.keys(profiles).filter(
    (name) => !builtInProfiles.includes(name) && profileNamePattern.test(name),
  );
  return [...builtInProfiles, ...added.sort()].map((name) =>
    profileOf(name, Object.hasOwn(profiles, name) ? profiles[name] : {}),
  );
}

function profileOf(name: string, value: unknown): Profile {
  const { baseUrl, output } = (value ?? {}) as ConfigContent;
  return {
    name,
    ...(typeof baseUrl === 'string' && name !== sandboxProfileName && { baseUrl }),
    ...(outputFormats.includes(output as OutputFormat) && { output: output as OutputFormat }),
  };
}

function withCurrent(content: ConfigContent, name: string | undefined): ConfigContent {
  const { profile: _previous, ...settings } = getSection(content, 'settings');
  return { ...content, settings: name === undefined ? settings : { ...settings, profile: name } };
}
