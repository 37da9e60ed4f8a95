import { type Failure, usageError } from '../failure.js';
import { suggestSimilar } from '../format/suggest.js';

/** How shells complete an argument or a flag's value: the choices, or a kind of value. */
export type Completes =
  | readonly string[]
  | 'command'
  | 'field'
  | 'file'
  | 'key-label'
  | 'profile'
  | 'setting'
  | 'setting-value';

/** Returns a parser for one of a few words. It throws a usage error with a suggestion on any other word. */
export function choice<Choice extends string>(flag: string, choices: readonly Choice[]) {
  const parse = (text: string): Choice => {
    const chosen = choices.find((candidate) => candidate === text);
    if (chosen !== undefined) return chosen;
    const message = `${flag} must be one of ${choices.join(', ')}, not "${text}"`;
    throw invalidFlag(message, suggestSimilar(text, choices));
  };
  return Object.assign(parse, { completes: choices });
}

/** Returns a parser for any text, completed as `completes` says. */
export function anyText(completes: Completes) {
  return Object.assign((given: string) => given, { completes });
}

/** Marks the parser of a repeatable flag, which receives a text and the value so far. */
export function repeatable<Parse extends (text: string, before: never) => unknown>(parse: Parse) {
  return Object.assign(parse, { repeats: true });
}

/** Returns a parser for a whole number within bounds. It throws a usage error on anything else. */
export function wholeNumber(flag: string, minimum: number, maximum: number) {
  return (text: string): number => {
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw invalidFlag(
      `${flag} must be a whole number from ${minimum} to ${maximum}, not "${text}"`,
    );
  };
}

/** Returns a parser for a repeatable flag or argument that collects texts. */
export function anyTexts(completes?: Completes) {
  const collect = (given: string, before: readonly string[] = []): readonly string[] => [
    ...before,
    given,
  ];
  return Object.assign(repeatable(collect), { completes });
}

/** The flag of every command that sends requests. */
export const curlFlag = [
  '--curl',
  'print the request as a curl command, and send nothing',
] as const;

/** The heading of the global flags in help. */
export const globalGroup = 'Global flags:';

/** Returns the description of a flag with its default. */
export function withDefault(option: {
  readonly description: string;
  readonly defaultValue?: unknown;
}): string {
  const { description, defaultValue } = option;
  const hasNoDefault = defaultValue === undefined || Array.isArray(defaultValue);
  return hasNoDefault ? description : `${description} (default: ${defaultValue})`;
}

export function invalidFlag(message: string, hint?: string): Failure {
  return usageError('invalid_flag', message, hint);
}
