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

/** A parser for a flag that takes one of a few words; another word fails (usage) with a suggestion. */
export function choice<Choice extends string>(flag: string, choices: readonly Choice[]) {
  const parse = (text: string): Choice => {
    const chosen = choices.find((candidate) => candidate === text);
    if (chosen !== undefined) return chosen;
    const message = `${flag} must be one of ${choices.join(', ')}, not "${text}"`;
    throw invalidFlag(message, suggestSimilar(text, choices));
  };
  return Object.assign(parse, { completes: choices });
}

/** A parser that takes any text as it is; `completes` is what shells offer in its place. */
export function anyText(completes: Completes) {
  return Object.assign((given: string) => given, { completes });
}

/** A parser for a flag that may be given again and again: it gets a text, and what came before. */
export function repeated<Parse extends (text: string, before: never) => unknown>(parse: Parse) {
  return Object.assign(parse, { repeats: true });
}

/** A parser for a flag that takes a whole number within bounds; anything else fails (usage). */
export function wholeNumber(flag: string, minimum: number, maximum: number) {
  return (text: string): number => {
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= minimum && value <= maximum) return value;
    throw invalidFlag(
      `${flag} must be a whole number from ${minimum} to ${maximum}, not "${text}"`,
    );
  };
}

/** A parser for texts of which there may be many; `completes` is what shells offer for each. */
export function anyTexts(completes?: Completes) {
  const gather = (given: string, before: readonly string[] = []): readonly string[] => [
    ...before,
    given,
  ];
  return Object.assign(repeated(gather), { completes });
}

/** The flag of every command that sends. */
export const curlFlag = [
  '--curl',
  'print the request as a curl command, and send nothing',
] as const;

/** The heading of the flags that every command takes. */
export const globalGroup = 'Global flags:';

/** What is said of a flag, its default with it. */
export function withDefault(option: {
  readonly description: string;
  readonly defaultValue?: unknown;
}): string {
  const { description, defaultValue } = option;
  const isTold = defaultValue === undefined || Array.isArray(defaultValue);
  return isTold ? description : `${description} (default: ${defaultValue})`;
}

export function invalidFlag(message: string, hint?: string): Failure {
  return usageError('invalid_flag', message, hint);
}
