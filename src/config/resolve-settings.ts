import { catchFailure, Failure, usageError } from '../failure.js';
import { suggestSimilar } from '../format/suggest.js';
import { type ConfigContent, type ConfigFile, getSection, withMember } from './config-file.js';
import {
  type Environment,
  findReadOnlySource,
  invalidVariable,
  noInputVariable,
  readBooleanVariable,
} from './environment.js';
import type { Profile } from './profile.js';
import {
  type GlobalFlags,
  getSetting,
  type ResolvedSetting,
  type SettingDefinition,
  type SettingKey,
  type SettingName,
  type SettingOrigin,
  type Settings,
  settingDefinitions,
  settingKeys,
  settingNames,
  settingTable,
} from './settings.js';

interface SettingSources {
  readonly flags: GlobalFlags;
  readonly env: Environment;
  readonly config: ConfigContent;
  /** The path of the config file. */
  readonly configPath: string;
  readonly findProfile: (name: string) => Profile;
  /** Receives the failure of each invalid value. If it returns, the value is ignored. */
  readonly onFailure: (failure: Failure) => void;
}

/** Resolves every setting. Precedence: flag, environment variable, profile, config file, default. */
export function resolveSettings({ flags, env, config, configPath, findProfile, onFailure }: SettingSources): Settings {
  const all: ResolvedSetting[] = [];
  const values: Partial<Record<SettingKey, unknown>> = {};
  let profile: Profile | undefined;
  for (const key of settingKeys) {
    const definition: SettingDefinition<SettingName> = settingTable[key];
    const { name, type, variable = '', isPerProfile, default: defaultValue } = definition;
    const sources: readonly (readonly [SettingOrigin, string, () => unknown])[] = [
      ['flag', `--${name}`, () => flags[key]],
      ['environment', variable, () => readVariable(definition, env)],
      ['profile', `profile ${profile?.name}`, () => (isPerProfile ? profile?.[key as keyof Profile] : undefined)],
      ['setting', configPath, () => readStoredSetting(definition, getSection(config, 'settings'))],
      ['default', 'default', () => defaultValue],
    ];
    for (const [origin, source, read] of sources) {
      const value = catchFailure(read, onFailure);
      if (value === undefined) continue;
      values[key] = value;
      all.push({ name, value: type.show(value), origin, source });
      break;
    }
    if (key === 'profile') profile = catchFailure(() => findProfile(String(values[key])), onFailure);
  }
  const readOnly = findReadOnlySource(profile, env, onFailure);
  const disablesInput = catchFailure(() => readBooleanVariable(env, noInputVariable), onFailure);
  const baseUrl = flags.baseUrl ?? (env.PETSTORE_BASE_URL || undefined);
  return {
    ...(values as Pick<Settings, SettingKey>),
    ...(baseUrl !== undefined && { baseUrl }),
    ...(flags.fields && { fields: flags.fields }),
    header: flags.header ?? true,
    input: flags.input ?? !disablesInput,
    yes: flags.yes ?? false,
    quiet: flags.quiet ?? false,
    verbose: flags.verbose ?? false,
    ...(readOnly && { readOnly }),
    all,
  };
}

function readVariable({ type, variable }: SettingDefinition, env: Environment): unknown {
  const text = variable && env[variable];
  if (!text) return undefined;
  const value = type.parse(text);
  if (value === undefined) {
    throw invalidVariable(variable, `must be ${type.rule}`, suggestSimilar(text, type.choices ?? []));
  }
  return value;
}

function readStoredSetting({ name, type }: SettingDefinition, storedSettings: ConfigContent): unknown {
  const content = Object.hasOwn(storedSettings, name) ? storedSettings[name] : undefined;
  if (content === undefined || content === null) return undefined;
  const value = typeof content === 'object' ? undefined : type.parse(String(content));
  if (value !== undefined) return value;
  throw new Failure('system', {
    code: 'broken_configuration',
    message: `the saved setting ${name} must be ${type.rule}`,
    hint: ['run ', { words: ['config', 'unset', name] }],
  });
}

/** The settings in the user's config file. Every method throws a usage failure for an unknown name. */
export function openUserSettings(file: ConfigFile, settings: Settings) {
  return {
    /** The config file. */
    path: file.path,
    /** Returns the effective setting. */
    get: (name: string) => getSetting(settings, findDefinition(name).name),
    /** Stores the text. Resolves to the value without secrets. Throws a usage failure for an invalid value. */
    set: async (name: string, text: string) => {
      const { type } = findDefinition(name);
      const value = type.parse(text);
      if (value === undefined) {
        // The value is not repeated, since it may contain a password.
        const hint = suggestSimilar(text, type.choices ?? []);
        throw usageError('invalid_setting', `the setting ${name} must be ${type.rule}`, hint);
      }
      await file.update((content) => withMember(content, 'settings', name, text));
      return type.show(value);
    },
    /** Resolves to whether the setting was in the file. */
    unset: async (name: string) => {
      const settingName = findDefinition(name).name;
      if (!Object.hasOwn(getSection(file.read(), 'settings'), settingName)) return false;
      await file.update((content) => withMember(content, 'settings', settingName, undefined));
      return true;
    },
  };
}

function findDefinition(name: string): SettingDefinition<SettingName> {
  const definition = settingDefinitions.find((candidate) => candidate.name === name);
  if (definition) return definition;
  throw usageError(
    'unknown_setting',
    `unknown setting "${name}"`,
    suggestSimilar(name, settingNames) ?? `use one of ${settingNames.join(', ')}`,
  );
}
