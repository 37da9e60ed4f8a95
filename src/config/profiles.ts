import { Failure } from '../failure.js';
import { type Format, formats } from '../format/output-format.js';
import { suggest } from '../format/suggest.js';
import { type Content, type Document, sectionOf } from './config-file.js';
import { builtInProfiles, type Profile, type Profiles, profileName, sandbox } from './profile.js';

/** The profiles kept in the user's configuration file, the built-in ones always among them. */
export function openProfiles(document: Document): Profiles {
  const list = () => listOf(document.read());
  return {
    list,
    get: (name) => profileIn(document.read(), name),
    set: (name, change) => {
      checkName(name);
      return document.update((content) => {
        const profiles = sectionOf(content, 'profiles');
        const before = Object.hasOwn(profiles, name) ? (profiles[name] as Content) : {};
        return { ...content, profiles: { ...profiles, [name]: { ...before, ...change } } };
      });
    },
    use: (name) =>
      document.update((content) => {
        profileIn(content, name);
        return withCurrent(content, name);
      }),
    remove: (name) =>
      document.update((content) => {
        profileIn(content, name);
        const { [name]: _removed, ...rest } = sectionOf(content, 'profiles');
        const isBuiltIn = builtInProfiles.includes(name);
        const current = sectionOf(content, 'settings').profile === name && !isBuiltIn;
        return { ...(current ? withCurrent(content, undefined) : content), profiles: rest };
      }),
  };
}

/** A profile as a configuration has it. Fails (usage) with a suggestion on an unknown name. */
export function profileIn(content: Content, name: string): Profile {
  const profiles = listOf(content);
  const profile = profiles.find((candidate) => candidate.name === name);
  if (profile) return profile;
  checkName(name);
  const others = profiles.map((candidate) => candidate.name);
  throw new Failure('usage', {
    code: 'unknown_profile',
    message: `there is no profile "${name}"`,
    hint:
      suggest(name, others) ??
      `petstore profile set ${name} --base-url URL adds it; petstore profile list shows the others`,
  });
}

function checkName(name: string): void {
  if (profileName.test(name)) return;
  throw new Failure('usage', {
    code: 'invalid_profile_name',
    message:
      'a profile name has 1 to 64 letters, digits, - and _, and starts with a letter or digit',
  });
}

/** The profiles in a configuration: the built-in ones first, then the others by name. */
export function listOf(content: Content): readonly Profile[] {
  const profiles = sectionOf(content, 'profiles');
  const added = Object.keys(profiles).filter(
    (name) => !builtInProfiles.includes(name) && profileName.test(name),
  );
  return [...builtInProfiles, ...added.sort()].map((name) =>
    profileOf(name, Object.hasOwn(profiles, name) ? profiles[name] : {}),
  );
}

function profileOf(name: string, value: unknown): Profile {
  const { baseUrl, output } = (value ?? {}) as Content;
  return {
    name,
    ...(typeof baseUrl === 'string' && name !== sandbox && { baseUrl }),
    ...(formats.includes(output as Format) && { output: output as Format }),
  };
}

function withCurrent(content: Content, name: string | undefined): Content {
  const { profile: _previous, ...settings } = sectionOf(content, 'settings');
  return { ...content, settings: name === undefined ? settings : { ...settings, profile: name } };
}
