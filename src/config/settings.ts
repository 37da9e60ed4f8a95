import { type OutputFormat, outputFormats } from '../format/output-format.js';
import { redisAddressType } from './redis-address.js';
import { booleanType, choiceType, type SettingType, type ShownValue, secondsType, textType } from './setting-types.js';

export const sandboxProfileName = 'sandbox';

/** Names that need no quoting in a shell and cannot be mistaken for a flag or path. */
export const profileNamePattern = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

export const colorModes = ['auto', 'always', 'never'] as const;
export type ColorMode = (typeof colorModes)[number];

/** One row of the table of settings. */
export interface SettingDefinition<Name extends string = string, Value = unknown> {
  readonly name: Name;
  readonly type: SettingType<Value>;
  readonly default: NoInfer<Value>;
  /** For the help, `petstore help environment` and the docs. */
  readonly description: string;
  /** The global flag that overrides it, as in the help. `cli/flags.ts` chooses its place. */
  readonly flag?: string;
  /** The environment variable that overrides it. */
  readonly variable?: string;
  /** A profile can set it, too. */
  readonly isPerProfile?: true;
}

function define<const Name extends string, Value>(
  definition: SettingDefinition<Name, Value>,
): SettingDefinition<Name, Value> {
  return definition;
}

/**
 * Every setting that the config file can hold. The members of `Settings`, flags, environment variables,
 * `petstore config` and the tables in the docs follow from this table. The profile comes first, since other
 * settings depend on it.
 */
export const settingTable = {
  profile: define({
    name: 'profile',
    type: textType('a profile name', profileNamePattern),
    default: sandboxProfileName,
    description: 'profile to use',
    flag: '-p, --profile <name>',
    variable: 'PETSTORE_PROFILE',
  }),
  output: define({
    name: 'output',
    type: choiceType<OutputFormat>(outputFormats),
    default: 'table',
    description: outputFormats.join(', '),
    flag: '-o, --output <format>',
    variable: 'PETSTORE_OUTPUT',
    isPerProfile: true,
  }),
  color: define({
    name: 'color',
    type: choiceType<ColorMode>(colorModes),
    default: 'auto',
    description: colorModes.join(', '),
    flag: '--color <mode>',
  }),
  /** The deadline of one request, body included. */
  timeoutMs: define({
    name: 'timeout',
    type: secondsType(1, 'above 0 and up to 86400'),
    default: 30_000,
    description: 'seconds for each request, body included',
    flag: '--timeout <seconds>',
    variable: 'PETSTORE_TIMEOUT',
  }),
  /** The longest wait for the quota before one request. */
  maxWaitMs: define({
    name: 'max-wait',
    type: secondsType(0, 'from 0 to 86400'),
    default: 60_000,
    description: 'longest wait for the quota in seconds',
    flag: '--max-wait <seconds>',
    variable: 'PETSTORE_MAX_WAIT',
  }),
  /** Screen-reader mode. */
  accessible: define({
    name: 'accessible',
    type: booleanType,
    default: false,
    description: 'screen-reader mode: numbered prompts, tables as `field: value` lines, no redraws',
    variable: 'PETSTORE_ACCESSIBLE',
  }),
  /** Empty: a local file. */
  quotaStore: define({
    name: 'quota-store',
    type: redisAddressType,
    default: null,
    description: 'Redis URL of the shared quota state, such as redis://host:6379',
    variable: 'PETSTORE_QUOTA_STORE',
  }),
};

type SettingTable = typeof settingTable;
export type SettingKey = keyof SettingTable;
export type SettingName = SettingTable[SettingKey]['name'];

export const settingKeys = Object.keys(settingTable) as readonly SettingKey[];
export const settingDefinitions: readonly SettingDefinition<SettingName>[] = Object.values(settingTable);
export const settingNames = settingDefinitions.map(({ name }) => name);

type SettingValues = { readonly [Key in SettingKey]: SettingTable[Key]['default'] };

/** Options of one run, which the config file cannot hold. */
interface RunOptions {
  /** Replaces the base URL of the profile. */
  readonly baseUrl?: string;
  readonly fields?: readonly string[];
  readonly header: boolean;
  /** Allow prompts. */
  readonly input: boolean;
  readonly yes: boolean;
  /** Print only errors on stderr. */
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** What rejects requests that change data. Missing if they are allowed. */
  readonly readOnly?: 'environment' | 'profile';
}

/** The global flags that were given. */
export type GlobalFlags = Partial<SettingValues & RunOptions> & {
  /** A jq program. */
  readonly jq?: string;
};

export interface Settings extends SettingValues, RunOptions {
  /** The settings of the table, with their origins. */
  readonly all: readonly ResolvedSetting[];
}

/** The origin of a value, highest precedence first. */
export type SettingOrigin = 'flag' | 'environment' | 'profile' | 'setting' | 'default';

export interface ResolvedSetting {
  readonly name: SettingName;
  /** The value without secrets. */
  readonly value: ShownValue;
  readonly origin: SettingOrigin;
  /** The flag, variable, profile or file that chose the value: `--timeout`, `PETSTORE_TIMEOUT`, `profile staging`. */
  readonly source: string;
}

/** Returns a setting of the table, with the origin of its value. */
export function getSetting({ all }: Settings, name: SettingName): ResolvedSetting {
  return all.find((setting) => setting.name === name) as ResolvedSetting;
}

/** Returns the name of the profile, or the host if a base URL replaces the profile's. */
export function getTargetLabel({ profile, baseUrl }: Settings): string {
  return baseUrl === undefined ? profile : new URL(baseUrl).host;
}

/** Returns the flags that select the same service in another command, also if the profile changes. `given` has some already. */
export function getTargetFlags({ profile, baseUrl }: Settings, given: GlobalFlags = {}): readonly string[] {
  // A base URL replaces everything that the sandbox is.
  const needsProfile = baseUrl === undefined || profile !== sandboxProfileName;
  return [
    ...(needsProfile && given.profile === undefined ? ['--profile', profile] : []),
    ...(baseUrl !== undefined && given.baseUrl === undefined ? ['--base-url', baseUrl] : []),
  ];
}
