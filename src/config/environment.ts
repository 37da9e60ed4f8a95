import { type Failure, usageError } from '../failure.js';
import { suggestSimilar } from '../format/suggest.js';
import { parseBoolean } from './setting-types.js';
import { settingDefinitions } from './settings.js';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface EnvironmentVariable {
  readonly name: string;
  readonly description: string;
}

export const apiKeyVariable = 'PETSTORE_API_KEY';

/** The variable with the path of a file that contains the API key. */
export const apiKeyFileVariable = 'PETSTORE_API_KEY_FILE';

const prefix = 'PETSTORE_';

const settingVariables = settingDefinitions
  .flatMap(({ variable }) => variable ?? [])
  .filter(({ name }) => name.startsWith(prefix));

/** The variables that only petstore reads. */
export const variables: readonly EnvironmentVariable[] = [
  { name: apiKeyVariable, description: `the API key; wins over \`${apiKeyFileVariable}\`` },
  { name: apiKeyFileVariable, description: 'a file that holds the API key' },
  { name: 'PETSTORE_BASE_URL', description: "the service to use in place of the profile's" },
  ...settingVariables,
  {
    name: 'PETSTORE_CONFIG_DIR',
    description: 'where all files of petstore live (default: the XDG directories)',
  },
  { name: 'PETSTORE_DEBUG', description: '`1` shows stack traces, as `--debug`' },
  { name: 'PETSTORE_ALLOW_HTTP', description: '`1` allows `http://` to other machines' },
];

/** Returns the value of a variable that is on or off; an empty one is off. */
export function readBooleanVariable(env: Environment, name: string): boolean | undefined {
  const text = env[name];
  if (text === undefined) return undefined;
  const value = text === '' ? false : parseBoolean(text);
  if (value === undefined) throw invalidVariable(name, 'must be 1 or 0');
  return value;
}

/** Returns a warning for each unknown `PETSTORE_` variable, with the most similar known one. */
export function findUnknownVariables(env: Environment): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !variables.some((known) => known.name === name))
    .map((name) => {
      // The prefix would make every name similar.
      const similar = suggestSimilar(
        name.slice(prefix.length),
        variables.map((variable) => variable.name.slice(prefix.length)),
      );
      const hint = similar ? `; ${similar.replace('"', `"${prefix}`)}` : '';
      return `petstore does not know the variable ${name}${hint}`;
    });
}

/** Returns a usage failure for an invalid variable; `rule` completes the message, for example "must be 1 or 0". */
export function invalidVariable(name: string, rule: string): Failure {
  return usageError('invalid_environment', `the variable ${name} ${rule}`);
}
