import { type Failure, usageError } from '../failure.js';
import { suggestSimilar } from '../format/suggest.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `1`, `true`, `yes` and `on` switch a variable on; `0`, `false`, `no`, `off` and nothing switch it off. */
export function readBooleanVariable(env: Environment, name: string): boolean | undefined {
  const text = env[name];
  if (text === undefined) return undefined;
  const value = text === '' ? false : parseSwitch(text);
  if (value === undefined) throw invalidVariable(name, 'must be 1 or 0');
  return value;
}

/** `true` or `false` for a word that means one of them. */
export function parseSwitch(text: string): boolean | undefined {
  const word = text.toLowerCase();
  if (['1', 'true', 'yes', 'on'].includes(word)) return true;
  return ['0', 'false', 'no', 'off'].includes(word) ? false : undefined;
}

const prefix = 'PETSTORE_';

/** A sentence for each `PETSTORE_` variable that petstore does not know, with the nearest that it does. */
export function findUnknownVariables(env: Environment): readonly string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && !variables.some((known) => known.name === name))
    .map((name) => {
      // What all of them begin with makes none of them near.
      const nearest = suggestSimilar(
        name.slice(prefix.length),
        variables.map((variable) => variable.name.slice(prefix.length)),
      );
      const hint = nearest ? `; ${nearest.replace('"', `"${prefix}`)}` : '';
      return `petstore does not know the variable ${name}${hint}`;
    });
}

/** A variable whose value cannot be used: exit 2. */
export function invalidVariable(name: string, rule: string): Failure {
  return usageError('invalid_environment', `the variable ${name} ${rule}`);
}

/** An environment variable that petstore reads. */
export interface EnvironmentVariable {
  readonly name: string;
  readonly description: string;
}

/** The variable that holds the key. */
export const apiKeyVariable = 'PETSTORE_API_KEY';

/** The variable that names a file which holds it. */
export const apiKeyFileVariable = 'PETSTORE_API_KEY_FILE';

/** The variables that are petstore's own. */
export const variables: readonly EnvironmentVariable[] = [
  { name: apiKeyVariable, description: `the API key; wins over \`${apiKeyFileVariable}\`` },
  { name: apiKeyFileVariable, description: 'a file that holds the API key' },
  { name: 'PETSTORE_PROFILE', description: 'the profile to use' },
  { name: 'PETSTORE_BASE_URL', description: "the service to use in place of the profile's" },
  { name: 'PETSTORE_OUTPUT', description: 'the output format' },
  {
    name: 'PETSTORE_CONFIG_DIR',
    description: 'where all files of petstore live (default: the XDG directories)',
  },
  { name: 'PETSTORE_TIMEOUT', description: 'the deadline of a request in seconds' },
  { name: 'PETSTORE_MAX_WAIT', description: 'the longest wait for the quota in seconds' },
  {
    name: 'PETSTORE_LEDGER',
    description: 'the Redis that holds the quota ledger: `redis://host:6379`',
  },
  { name: 'PETSTORE_NO_INPUT', description: '`1` never asks, as `--no-input`' },
  { name: 'PETSTORE_QUIET', description: '`1` keeps stderr for errors, as `--quiet`' },
  {
    name: 'PETSTORE_ACCESSIBLE',
    description: '`1` draws nothing anew, asks by number and writes `key: value` lines',
  },
  { name: 'PETSTORE_DEBUG', description: '`1` shows stack traces, as `--debug`' },
  { name: 'PETSTORE_ALLOW_HTTP', description: '`1` allows `http://` to other machines' },
];

/** The variables that it obeys as other programs do. */
export const standardVariables: readonly EnvironmentVariable[] = [
  {
    name: 'HTTPS_PROXY, HTTP_PROXY, NO_PROXY',
    description: 'proxies, and hosts that need none; this machine never does',
  },
  { name: 'NODE_EXTRA_CA_CERTS', description: 'a file of further certificate authorities' },
  {
    name: 'NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE',
    description: 'colour never, or off a terminal too; `--color` wins',
  },
  {
    name: 'TERM, CI, COLUMNS',
    description:
      'with `TERM=dumb` or in `CI` nothing is asked or redrawn; how wide the terminal is',
  },
  { name: 'PAGER', description: 'what `petstore help` shows a page with' },
  {
    name: 'XDG_CONFIG_HOME, XDG_STATE_HOME, XDG_DATA_HOME, XDG_CACHE_HOME',
    description: 'where the files of petstore live',
  },
];
