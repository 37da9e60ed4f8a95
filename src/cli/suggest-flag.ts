import type { Hint } from '../failure.js';
import { findSimilar } from '../format/suggest.js';
import { destructive, isTypingError } from './suggest-command.js';

interface FlagNames {
  readonly long?: string | undefined;
  readonly short?: string | undefined;
}

/** Returns the flag among `options` that was probably meant by an unknown one. */
export function suggestFlag(flag: string, options: readonly FlagNames[]): string | undefined {
  const intended = flagIntents.get(flag) ?? '';
  if (options.some(({ long, short }) => long === intended || short === intended)) return intended;
  // Without the dashes, which all flags share.
  const word = flag.replace(/^-+/, '');
  const names = options.flatMap(({ long }) => long?.slice(2) ?? []);
  const similar = findSimilar(
    word,
    names.filter((name) => !destructive.includes(name) || isTypingError(word, name)),
  );
  return similar === undefined ? undefined : `--${similar}`;
}

/** Returns the hint for a flag that petstore omits on purpose. */
export function findFlagHint(flag: string, commandName: string): Hint | undefined {
  if (keyFlags.includes(flag)) {
    return ['run ', { words: ['auth', 'login'], isShownOnly: true }, ' and enter the API key at the prompt'];
  }
  if (commandName === 'pets browse' && (flagIntents.get(flag) ?? flag) === '--status') {
    return ['run ', { words: ['pets', 'browse'], isShownOnly: true }, ' and press Tab to choose a status'];
  }
  return undefined;
}

/** Flags that would put an API key into the history of the shell. */
const keyFlags: readonly string[] = ['--key', '--api-key', '--apikey', '--token', '--password'];

/** Flags that other command lines have, and the names of these flags in petstore. */
const flagIntents: ReadonlyMap<string, string> = new Map([
  ['--url', '--base-url'],
  ['--host', '--base-url'],
  ['--server', '--base-url'],
  ['--endpoint', '--base-url'],
  ['--format', '--output'],
  ['--env', '--profile'],
  ['--environment', '--profile'],
  ['--count', '--limit'],
  ['--per-page', '--limit'],
  ['-n', '--limit'],
  ['-L', '--limit'],
  ['-w', '--watch'],
  ['-a', '--all'],
  ['-s', '--status'],
  ['--state', '--status'],
  ['-j', '--json'],
  ['--page', '--all'],
  ['--silent', '--quiet'],
  ['--method', '-X'],
  ['--request', '-X'],
  ['--header', '-H'],
  ['--field', '-F'],
  ['--raw-field', '-f'],
  ['--include', '-i'],
]);
