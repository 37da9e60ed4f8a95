import { Failure } from '../ports/failure.js';
import {
  type ColorMode,
  colorModes,
  type Format,
  formats,
  type GlobalFlags,
  type Profile,
  type Settings,
  type Source,
  sandbox,
} from '../ports/settings.js';
import { suggest } from '../text/suggest.js';
import type { Content } from './document.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment variables that petstore knows. */
const variables = [
  'PETSTORE_API_KEY',
  'PETSTORE_API_KEY_FILE',
  'PETSTORE_PROFILE',
  'PETSTORE_BASE_URL',
  'PETSTORE_OUTPUT',
  'PETSTORE_CONFIG_DIR',
  'PETSTORE_TIMEOUT',
  'PETSTORE_MAX_WAIT',
  'PETSTORE_NO_INPUT',
  'PETSTORE_QUIET',
  'PETSTORE_DEBUG',
  'PETSTORE_ALLOW_HTTP',
] as const;

export interface Choices {
  readonly flags: GlobalFlags;
  readonly env: Environment;
  /** The user's configuration file. */
  readonly config: Content;
  readonly findProfile: (name: string) => Profile;
}

/** Decides every setting: flag, then environment, then profile, then user setting, then default. */
export function decideSettings({ flags, env, config, findProfile }: Choices): Settings {
  const user = recordOf(config.settings);
  const [profile, profileSource] = first<string>(
    ['flag', flags.profile],
    ['environment', textOf(env, 'PETSTORE_PROFILE')],
    ['setting', nameOf(user.profile)],
    ['default', sandbox],
  );
  const preset = findProfile(profile);
  const [output, outputSource] = first<Format>(
    ['flag', flags.output],
    ['environment', choiceOf(env, 'PETSTORE_OUTPUT', formats)],
    ['profile', preset.output],
    ['setting', oneOf(user.output, formats)],
    ['default', 'table'],
  );
  const [timeout, timeoutSource] = first<number>(
    ['flag', flags.timeout],
    ['environment', millisecondsOf(env, 'PETSTORE_TIMEOUT')],
    ['setting', typeof user.timeout === 'number' ? user.timeout * 1000 : undefined],
    ['default', 30_000],
  );
  const [color, colorSource] = first<ColorMode>(
    ['flag', flags.color],
    ['setting', oneOf(user.color, colorModes)],
    ['default', 'auto'],
  );
  const baseUrl = flags.baseUrl ?? textOf(env, 'PETSTORE_BASE_URL');
  return {
    profile,
    ...(baseUrl !== undefined && { baseUrl }),
    output,
    ...(flags.fields && { fields: flags.fields }),
    header: flags.header ?? true,
    input: flags.input ?? !(switchOf(env, 'PETSTORE_NO_INPUT') ?? user.input === false),
    yes: flags.yes ?? false,
    quiet: flags.quiet ?? switchOf(env, 'PETSTORE_QUIET') ?? user.quiet === true,
    verbose: flags.verbose ?? false,
    debug: flags.debug ?? switchOf(env, 'PETSTORE_DEBUG') ?? false,
    timeout,
    color,
    sources: {
      profile: profileSource,
      output: outputSource,
      timeout: timeoutSource,
      color: colorSource,
    },
  };
}

/** `1`, `true`, `yes` and `on` switch a variable on; `0`, `false`, `no`, `off` and nothing switch it off. */
export function switchOf(env: Environment, name: string): boolean | undefined {
  const text = env[name]?.toLowerCase();
  if (text === undefined) return undefined;
  if (['1', 'true', 'yes', 'on'].includes(text)) return true;
  if (['0', 'false', 'no', 'off', ''].includes(text)) return false;
  throw invalid(name, 'must be 1 or 0');
}

/** A sentence for each `PETSTORE_` variable that petstore does not know, with the nearest that it does. */
export function findUnknownVariables(env: Environment): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('PETSTORE_') && !variables.includes(name as never))
    .map((name) => {
      const nearest = suggest(name, variables);
      return `petstore does not know the variable ${name}${nearest ? `; ${nearest}` : ''}`;
    });
}

function first<Value>(
  ...candidates: readonly (readonly [Source, Value | undefined])[]
): readonly [Value, Source] {
  const chosen = candidates.find(([, value]) => value !== undefined);
  const [source, value] = chosen as readonly [Source, Value];
  return [value, source];
}

function textOf(env: Environment, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

function choiceOf<Choice extends string>(
  env: Environment,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  const text = textOf(env, name);
  if (text === undefined) return undefined;
  const choice = oneOf(text, choices);
  if (choice === undefined) throw invalid(name, `must be one of ${choices.join(', ')}`);
  return choice;
}

function millisecondsOf(env: Environment, name: string): number | undefined {
  const text = textOf(env, name);
  if (text === undefined) return undefined;
  const seconds = /^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : 0;
  if (seconds <= 0 || seconds > 86_400)
    throw invalid(name, 'must be seconds, more than 0 and at most 86400');
  return seconds * 1000;
}

function oneOf<Choice extends string>(
  value: unknown,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === value);
}

function nameOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function recordOf(value: unknown): Content {
  return typeof value === 'object' && value !== null ? (value as Content) : {};
}

function invalid(name: string, rule: string): Failure {
  return new Failure('usage', {
    code: 'invalid_environment',
    message: `the variable ${name} ${rule}`,
  });
}
