import { catchFailure, Failure, usageError } from '../failure.js';
import { suggestSimilar } from '../format/suggest.js';
import { type ConfigContent, type ConfigFile, getSection, withMember } from './config-file.js';
import { type Environment, findReadOnlySource, noInputVariable, readBooleanVariable } from './environment.js';
import { findProfile, type Profile } from './profile.js';
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

/**
 * Resolves every setting. Precedence: flag, environment variable, profile, config file, default. Invalid values are ignored;
 * `problems` says which ones and why.
 */
export function resolveSettings(flags: GlobalFlags, env: Environment, file: Pick<ConfigFile, 'path' | 'read'>) {
  const problems: Failure[] = [];
  const onFailure = (problem: Failure) => void problems.push(problem);
  const content = catchFailure(file.read, onFailure);
  const stored = getSection(content ?? {}, 'settings');
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
      ['setting', file.path, () => readStoredSetting(definition, stored)],
      ['default', 'default', () => defaultValue],
    ];
    for (const [origin, source, read] of sources) {
      const value = catchFailure(read, onFailure);
      if (value === undefined) continue;
      values[key] = value;
      all.push({ name, value: type.show(value), origin, source });
      break;
    }
    if (key === 'profile' && content) profile = catchFailure(() => findProfile(content, `${values[key]}`), onFailure);
  }
  const readOnly = findReadOnlySource(profile, env, onFailure);
  const disablesInput = catchFailure(() => readBooleanVariable(env, noInputVariable), onFailure);
  const baseUrl = flags.baseUrl ?? (env.PETSTORE_BASE_URL || undefined);
  const settings: Settings = {
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
  return { settings, problems: problems as readonly Failure[], isUnreadable: content === undefined };
}

function readVariable({ type, variable = '' }: SettingDefinition, { [variable]: text }: Environment): unknown {
  if (!text) return undefined;
  return parseSetting(type, `the environment variable ${variable}`, text, `fix or unset ${variable}`);
}

/** Parses a value. Throws a usage failure, which does not repeat the value, since it may contain a password. */
function parseSetting(type: SettingDefinition['type'], subject: string, text: string, hint?: string): unknown {
  const value = type.parse(text);
  if (value !== undefined) return value;
  const suggestion = suggestSimilar(text, type.choices ?? []);
  throw usageError('invalid_setting', `${subject} must be ${type.rule}`, suggestion ?? hint);
}

function readStoredSetting({ name, type }: SettingDefinition, { [name]: stored }: ConfigContent): unknown {
  if (stored === undefined || stored === null) return undefined;
  const value = typeof stored === 'object' ? undefined : type.parse(String(stored));
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
      const value = parseSetting(type, `the setting ${name}`, text);
      await file.update((content) => withMember(content, 'settings', name, text));
      return type.show(value);
    },
    /** Resolves to whether the setting was in the file. */
    unset: async (name: string) => {
      if (getSection(file.read(), 'settings')[findDefinition(name).name] === undefined) return false;
      await file.update((content) => withMember(content, 'settings', name, undefined));
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
