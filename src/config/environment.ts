import { type Failure, usageError } from '../failure.js';
import { suggest } from '../format/suggest.js';
import { variables } from './variables.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `1`, `true`, `yes` and `on` switch a variable on; `0`, `false`, `no`, `off` and nothing switch it off. */
export function switchOf(env: Environment, name: string): boolean | undefined {
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
      const nearest = suggest(
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
