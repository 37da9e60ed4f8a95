import { catchFailure, Failure } from '../failure.js';
import { parseSecondsToMs } from '../format/duration.js';
import { outputFormats } from '../format/output-format.js';
import { suggestSimilar } from '../format/suggest.js';
import { parseRedisAddress, redisAddressRule } from '../quota/redis-address.js';
import { type ConfigContent, getSection } from './config-file.js';
import {
  type Environment,
  invalidVariable,
  parseSwitch,
  readBooleanVariable,
} from './environment.js';
import { type Profile, profileNamePattern } from './profile.js';
import { Secret } from './secret.js';
import {
  colorModes,
  type GlobalFlags,
  type ResolvedSetting,
  type SettingName,
  type Settings,
  settingNames,
  settingTable,
} from './settings.js';

export interface SettingSources {
  readonly flags: GlobalFlags;
  readonly env: Environment;
  /** The user's configuration file. */
  readonly config: ConfigContent;
  readonly findProfile: (name: string) => Profile;
  /** Told of a value that cannot be used; unless it throws, the next source is asked. */
  readonly onFailure: (problem: Failure) => void;
}

/** Decides every setting: flag, then environment, then profile, then user setting, then default. */
export function resolveSettings(given: SettingSources): Settings {
  const { flags, env, onFailure } = given;
  const kept = catchFailure(() => getSection(given.config, 'settings'), onFailure) ?? {};
  const choices = { ...given, kept };
  const profile = decide('profile', flags.profile, undefined, choices);
  const preset = catchFailure(() => choices.findProfile(String(profile.value)), onFailure);
  const output = decide('output', flags.output, preset?.output, choices);
  const color = decide('color', flags.color, undefined, choices);
  const timeout = decide('timeout', seconds(flags.timeout), undefined, choices);
  const maxWait = decide('max-wait', seconds(flags.maxWait), undefined, choices);
  const input = decide('input', flags.input, undefined, choices);
  const quiet = decide('quiet', flags.quiet, undefined, choices);
  const accessible = decide('accessible', undefined, undefined, choices);
  const pager = decide('pager', undefined, undefined, choices);
  const ledger = decide('ledger', undefined, undefined, choices);
  const address = ledger.value ? parseRedisAddress(String(ledger.value)) : undefined;
  const baseUrl = flags.baseUrl ?? (env.PETSTORE_BASE_URL || undefined);
  return {
    profile: String(profile.value),
    ...(baseUrl !== undefined && { baseUrl }),
    output: output.value as Settings['output'],
    ...(flags.fields && { fields: flags.fields }),
    header: flags.header ?? true,
    input: input.value === true,
    yes: flags.yes ?? false,
    quiet: quiet.value === true,
    verbose: flags.verbose ?? false,
    debug:
      flags.debug ??
      catchFailure(() => readBooleanVariable(env, 'PETSTORE_DEBUG'), onFailure) ??
      false,
    timeout: Number(timeout.value) * 1000,
    maxWait: Number(maxWait.value) * 1000,
    color: color.value as Settings['color'],
    curl: flags.curl ?? false,
    accessible: accessible.value === true,
    pager: String(pager.value),
    ...(address && { ledger: new Secret(String(ledger.value)) }),
    all: [
      ...[profile, output, color, timeout, maxWait, input, quiet, accessible, pager],
      { ...ledger, value: address?.shown ?? '' },
    ],
  };
}

/** A setting's value from text, as `config set` takes it. Fails (usage) on an unknown name or value. */
export function parseSetting(name: string, text: string): ResolvedSetting['value'] {
  const { parse, rule } = definitions[findSettingName(name)];
  const value = parse(text);
  if (value !== undefined) return value;
  throw new Failure('usage', {
    code: 'invalid_setting',
    message: `the setting ${name} must be ${rule}`,
  });
}

/** The name of a setting. Fails (usage) with a suggestion on any other word. */
export function findSettingName(name: string): SettingName {
  const known = settingNames.find((candidate) => candidate === name);
  if (known) return known;
  throw new Failure('usage', {
    code: 'unknown_setting',
    message: `there is no setting "${name}"`,
    hint: suggestSimilar(name, settingNames) ?? `the settings are ${settingNames.join(', ')}`,
  });
}

interface Definition {
  /** The value that text means; `undefined` where it means none. */
  readonly parse: (text: string) => ResolvedSetting['value'] | undefined;
  /** Completes "must be". */
  readonly rule: string;
  /** The variable switches the setting off. */
  readonly inverted?: true;
}

const definitions: Readonly<Record<SettingName, Definition>> = {
  profile: {
    parse: (text) => (profileNamePattern.test(text) ? text : undefined),
    rule: 'the name of a profile',
  },
  output: oneOf(outputFormats),
  color: oneOf(colorModes),
  timeout: secondsFrom(0.001),
  'max-wait': secondsFrom(0),
  input: { parse: parseSwitch, rule: 'true or false', inverted: true },
  quiet: { parse: parseSwitch, rule: 'true or false' },
  accessible: { parse: parseSwitch, rule: 'true or false' },
  pager: { parse: (text) => text, rule: 'a command' },
  ledger: {
    parse: (text) => (text === '' || parseRedisAddress(text) ? text : undefined),
    rule: redisAddressRule,
  },
};

function decide(
  name: SettingName,
  flag: ResolvedSetting['value'] | undefined,
  preset: ResolvedSetting['value'] | undefined,
  {
    env,
    kept,
    onFailure,
  }: Pick<SettingSources, 'env' | 'onFailure'> & { readonly kept: ConfigContent },
): ResolvedSetting {
  const { fallback, variable = '' } = settingTable[name];
  if (flag !== undefined) return { name, value: flag, origin: 'flag' };
  const fromVariable = catchFailure(() => variableOf(name, env), onFailure);
  if (fromVariable !== undefined) {
    return { name, value: fromVariable, origin: 'environment', variable };
  }
  if (preset !== undefined) return { name, value: preset, origin: 'profile' };
  const fromFile = catchFailure(() => keptSetting(name, kept), onFailure);
  if (fromFile !== undefined) return { name, value: fromFile, origin: 'setting' };
  return { name, value: fallback, origin: 'default' };
}

function variableOf(name: SettingName, env: Environment): ResolvedSetting['value'] | undefined {
  const { variable = '' } = settingTable[name];
  const { parse, rule, inverted } = definitions[name];
  const text = env[variable];
  if (text === undefined || text === '') return undefined;
  const value = parse(text);
  if (value === undefined) throw invalidVariable(variable, `must be ${inverted ? '1 or 0' : rule}`);
  return inverted ? !value : value;
}

function keptSetting(
  name: SettingName,
  settings: ConfigContent,
): ResolvedSetting['value'] | undefined {
  const kept = Object.hasOwn(settings, name) ? settings[name] : undefined;
  if (kept === undefined || kept === null) return undefined;
  const value = typeof kept === 'object' ? undefined : definitions[name].parse(String(kept));
  if (value !== undefined) return value;
  throw new Failure('system', {
    code: 'broken_configuration',
    message: `the kept setting ${name} must be ${definitions[name].rule}`,
    hint: `petstore config unset ${name}`,
  });
}

function oneOf(choices: readonly string[]): Pick<Definition, 'parse' | 'rule'> {
  return {
    parse: (text) => choices.find((choice) => choice === text),
    rule: `one of ${choices.join(', ')}`,
  };
}

function secondsFrom(least: number): Pick<Definition, 'parse' | 'rule'> {
  return {
    parse: (text) => {
      const milliseconds = parseSecondsToMs(text);
      return milliseconds !== undefined && milliseconds >= least * 1000
        ? milliseconds / 1000
        : undefined;
    },
    rule: `seconds, ${least === 0 ? 'from 0 to' : 'more than 0 and at most'} 86400`,
  };
}

function seconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}
