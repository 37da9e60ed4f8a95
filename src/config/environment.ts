import { catchFailure, type Failure, usageError } from '../failure.js';
import { findSimilar } from '../format/suggest.js';
import type { Profile } from './profile.js';
import { parseBoolean } from './setting-types.js';
import { type Settings, settingDefinitions } from './settings.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentVariable {
  readonly name: string;
  readonly description: string;
  /** The flag that overrides it. The flags of settings are in their table. */
  readonly flag?: string;
}

export const apiKeyVariable = 'PETSTORE_API_KEY';

/** The variable with the path of a file that contains the API key. */
export const apiKeyFileVariable = 'PETSTORE_API_KEY_FILE';

/** The variable that turns a read-only profile on or off. */
export const readOnlyVariable = 'PETSTORE_READ_ONLY';

/** The variable that disables prompts, or allows them in CI and for AI agents. */
export const noInputVariable = 'PETSTORE_NO_INPUT';

/** The variables that only petstore reads. */
export const variables: readonly EnvironmentVariable[] = [
  { name: apiKeyVariable, description: `API key; overrides \`${apiKeyFileVariable}\`` },
  { name: apiKeyFileVariable, description: 'path of a file that contains the API key' },
  { name: 'PETSTORE_BASE_URL', description: "base URL to use instead of the profile's", flag: '--base-url' },
  ...settingDefinitions.flatMap(({ variable, description }) => (variable ? [{ name: variable, description }] : [])),
  {
    name: 'PETSTORE_CONFIG_DIR',
    description: 'directory for all petstore files (default: the XDG directories)',
  },
  {
    name: readOnlyVariable,
    description: '`1` rejects requests that change data; `0` allows them in a read-only profile',
  },
  {
    name: noInputVariable,
    description: '`1` disables prompts, like `--no-input`; `0` allows them in CI and for AI agents',
    flag: '--no-input',
  },
  { name: 'PETSTORE_ALLOW_HTTP', description: '`1` allows unencrypted `http://` base URLs' },
];

/** Returns the value of a variable that is on or off; an empty one counts as unset. */
export function readBooleanVariable(env: Environment, name: string): boolean | undefined {
  const text = env[name];
  if (!text) return undefined;
  const value = parseBoolean(text);
  if (value === undefined) throw invalidVariable(name, 'must be 1 or 0');
  return value;
}

/** Returns what makes a profile read-only, if anything. The variable overrides the profile. */
export function findReadOnlySource(
  profile: Profile | undefined,
  env: Environment,
  onFailure?: (failure: Failure) => void,
): Settings['readOnly'] {
  const isSet = catchFailure(() => readBooleanVariable(env, readOnlyVariable), onFailure);
  if (isSet === undefined) return profile?.readOnly ? 'profile' : undefined;
  return isSet ? 'environment' : undefined;
}

/**
 * Returns a warning for each `PETSTORE_` variable that is one letter away from a known one. Calls `listFlagVariables`
 * only if there may be one.
 */
export async function findMisspelledVariables(
  env: Environment,
  listFlagVariables: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const knownNames = variables.map(({ name }) => name);
  const others = Object.keys(env).filter((name) => name.startsWith('PETSTORE_') && !knownNames.includes(name));
  if (others.length === 0) return [];
  const allNames = [...knownNames, ...(await listFlagVariables())];
  return others.flatMap((name) => {
    const similar = allNames.includes(name) ? undefined : findSimilar(name, allNames, 1);
    return similar === undefined ? [] : [`unknown environment variable ${name}; did you mean "${similar}"?`];
  });
}

/** Returns a usage failure for an invalid variable; `rule` completes the message, for example "must be 1 or 0". */
export function invalidVariable(name: string, rule: string, hint = `fix or unset ${name}`): Failure {
  return usageError('invalid_setting', `the environment variable ${name} ${rule}`, hint);
}
