import type { Command } from '../failure.js';
import { type AnyCommand, commandPath, rootOf } from './command-spec.js';
import { parserHints } from './flags.js';

/**
 * Returns a corrected command line for the `next` of the error object, or the help of the command. `path` has the words
 * of the command, and `rest` the other words. Programs run the result without confirmation: the command must only read
 * and must end without a signal, and the other words must be flags, choices or numbers. Any other word may be an API key.
 */
export function toSafeCommand(path: readonly string[], rest: readonly string[], anyCommand: AnyCommand): Command {
  const words = [...path, ...rest];
  if (path[0]?.startsWith('-')) return { words: path };
  const command = findCommand(path, rootOf(anyCommand));
  const minArguments = safeCommands.get(path.join(' '));
  const count = command && minArguments !== undefined ? countArguments(rest, command) : undefined;
  if (command && count !== undefined && count >= (minArguments ?? 0) && count <= command.registeredArguments.length) {
    return { words };
  }
  return { words: [...path.filter((word) => !word.startsWith('-')), '--help'] };
}

/** The commands that only read, end by themselves and print no API key, with the number of arguments they need. */
const safeCommands: ReadonlyMap<string, number> = new Map([
  ['auth status', 0],
  ['config list', 0],
  ['doctor', 0],
  ['orders list', 0],
  ['pets export', 0],
  ['pets get', 1],
  ['pets list', 0],
  ['profile list', 0],
  ['quota', 0],
  ['sandbox status', 0],
]);

/** Flags that confirm a change, run until they are stopped, or are an error in the sandbox. */
const excludedFlags = ['--yes', '--watch', '--curl'];

/** Returns the command with the words of `path`, or undefined. */
export function findCommand(path: readonly string[], root: AnyCommand): AnyCommand | undefined {
  return path.reduce<AnyCommand | undefined>(
    (parent, word) => parent?.commands.find((child) => child.name() === word) as AnyCommand | undefined,
    root,
  );
}

/** Returns the words without the first occurrence of each word in `removed`, which they contain. */
export function removeEach(words: readonly string[], removed: readonly string[]): readonly string[] {
  return removed.reduce((left, word) => left.toSpliced(left.indexOf(word), 1), words);
}

/** Returns the command that prints the help of a command. */
export function helpOf(command: AnyCommand): Command {
  return { words: [...commandPath(command).slice(1), '--help'] };
}

/** Returns true for the name of a file, which is not an API key because of its extension. */
export function isFileName(word = ''): boolean {
  return /^[\w./-]{1,100}\.(csv|json|jsonl|key|ndjson|tsv|txt|yaml|yml)$/i.test(word);
}

/** Returns the values that a flag or an argument accepts, if they are listed. */
export function choicesOf(declared: object | undefined): readonly string[] | undefined {
  const { completes } = parserHints(declared);
  return Array.isArray(completes) ? completes : undefined;
}

/** Returns the number of arguments among the words; undefined if a word is not certain to be harmless and valid. */
function countArguments(words: readonly string[], command: AnyCommand): number | undefined {
  const options = [command, rootOf(command)].flatMap((each) => each.createHelp().visibleOptions(each));
  let count = 0;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const option = options.find(({ short, long }) => word === short || word === long);
    if (!option) {
      if (!isNumber(word)) return undefined;
      count += 1;
    } else if (excludedFlags.includes(option.long ?? '')) return undefined;
    else if (option.required) {
      index += 1;
      if (!isHarmlessValue(words[index] ?? '', option)) return undefined;
    }
  }
  return count;
}

function isHarmlessValue(text: string, option: { readonly parseArg?: unknown }): boolean {
  const parse = option.parseArg as ((text: string, before: undefined) => unknown) & { completes?: unknown };
  const { completes } = parse ?? {};
  if (Array.isArray(completes)) return completes.includes(text);
  if (!isNumber(text) || typeof parse !== 'function') return false;
  try {
    parse(text, undefined);
    return true;
  } catch {
    return false;
  }
}

function isNumber(word: string): boolean {
  return /^[0-9]{1,19}$/.test(word);
}
