import { type OutputFormat, outputFormats } from '../format/output-format.js';
import { sandboxProfileName } from './profile.js';
import type { Secret } from './secret.js';

export const colorModes = ['auto', 'always', 'never'] as const;
export type ColorMode = (typeof colorModes)[number];

/** The flags that every command takes, as given: what is absent was not given. */
export interface GlobalFlags {
  readonly profile?: string;
  readonly baseUrl?: string;
  readonly output?: OutputFormat;
  readonly fields?: readonly string[];
  readonly header?: boolean;
  readonly input?: boolean;
  readonly yes?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly debug?: boolean;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Milliseconds. */
  readonly maxWait?: number;
  readonly color?: ColorMode;
  /** A program of jq. */
  readonly jq?: string;
  /** Of the commands that send. */
  readonly curl?: boolean;
}

/** Who chose a value; the first of these wins. */
export type SettingOrigin = 'flag' | 'environment' | 'profile' | 'setting' | 'default';

/** Everything that shapes a run, decided. */
export interface Settings {
  readonly profile: string;
  /** The base URL that replaces the profile's own. */
  readonly baseUrl?: string;
  readonly output: OutputFormat;
  readonly fields?: readonly string[];
  readonly header: boolean;
  readonly input: boolean;
  readonly yes: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly debug: boolean;
  /** One deadline for each request, body included, in milliseconds. */
  readonly timeout: number;
  /** The longest wait for one block of the quota, in milliseconds. */
  readonly maxWait: number;
  readonly color: ColorMode;
  /** The first request is shown as a command of curl, and nothing is sent. */
  readonly curl: boolean;
  /** For who hears the terminal or feels it: nothing is drawn anew, and records are `key: value`. */
  readonly accessible: boolean;
  /** The command that shows long texts a screen at a time; empty for the usual one. */
  readonly pager: string;
  /** The address of the Redis that holds the quota ledger, password included; missing: it is on this machine. */
  readonly ledger?: Secret;
  /** Each setting that a user can keep, with who chose its value. */
  readonly all: readonly ResolvedSetting[];
}

export interface SettingRow {
  readonly meaning: string;
  /** How shells complete its value. */
  readonly completes?: readonly string[] | 'profile';
  readonly fallback: string | number | boolean;
  readonly variable?: string;
  readonly flag?: string;
}

const booleans = ['true', 'false'];

const rows = {
  profile: {
    meaning: 'the profile to use',
    completes: 'profile',
    fallback: sandboxProfileName,
    variable: 'PETSTORE_PROFILE',
    flag: '--profile',
  },
  output: {
    meaning: `the output format: ${outputFormats.join(', ')}`,
    completes: outputFormats,
    fallback: 'table',
    variable: 'PETSTORE_OUTPUT',
    flag: '--output',
  },
  color: {
    meaning: `colour: ${colorModes.join(', ')}`,
    completes: colorModes,
    fallback: 'auto',
    flag: '--color',
  },
  timeout: {
    meaning: 'one deadline in seconds for each request, its body included',
    fallback: 30,
    variable: 'PETSTORE_TIMEOUT',
    flag: '--timeout',
  },
  'max-wait': {
    meaning: 'the longest wait for the quota in seconds; 0 never waits',
    fallback: 60,
    variable: 'PETSTORE_MAX_WAIT',
    flag: '--max-wait',
  },
  input: {
    meaning: 'whether questions may be asked',
    completes: booleans,
    fallback: true,
    variable: 'PETSTORE_NO_INPUT',
    flag: '--no-input',
  },
  quiet: {
    meaning: 'no quota line, notices, warnings or progress',
    completes: booleans,
    fallback: false,
    variable: 'PETSTORE_QUIET',
    flag: '--quiet',
  },
  accessible: {
    meaning: 'nothing is redrawn, questions by number, records as `key: value` lines',
    completes: booleans,
    fallback: false,
    variable: 'PETSTORE_ACCESSIBLE',
  },
  pager: { meaning: 'what `petstore help` shows a page with', fallback: '', variable: 'PAGER' },
  ledger: {
    meaning: 'the Redis through which machines share the quota of a key, such as redis://host:6379',
    fallback: '',
    variable: 'PETSTORE_LEDGER',
  },
} as const satisfies Readonly<Record<string, SettingRow>>;

export type SettingName = keyof typeof rows;

/** The settings that `petstore config` keeps. Times are in seconds. */
export const settingTable: Readonly<Record<SettingName, SettingRow>> = rows;

export const settingNames = Object.keys(settingTable) as readonly SettingName[];

export interface ResolvedSetting {
  readonly name: SettingName;
  /** As it may be shown: without a password. */
  readonly value: string | number | boolean;
  readonly origin: SettingOrigin;
  /** The environment variable that chose it. */
  readonly variable?: string;
}

/** What requests go to, in words: the profile, or the host where a base URL replaced its own. */
export function getTargetLabel({ profile, baseUrl }: Settings): string {
  return baseUrl === undefined ? profile : new URL(baseUrl).host;
}

/** Who chose a setting's value. */
export function getSettingOrigin(settings: Settings, name: SettingName): SettingOrigin {
  return settings.all.find((setting) => setting.name === name)?.origin ?? 'default';
}

/** The user's own settings. Unknown names fail (usage) with a suggestion. */
export interface UserSettings {
  /** The configuration file. */
  readonly path: string;
  get(name: string): ResolvedSetting;
  set(name: string, text: string): Promise<void>;
  /** Resolves to whether there was one. */
  unset(name: string): Promise<boolean>;
}
