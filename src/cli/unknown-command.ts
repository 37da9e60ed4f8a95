import { type Failure, usageError } from '../failure.js';
import { type AnyCommand, commandPath, rootOf } from './command-spec.js';
import { choicesOf, findCommand, helpOf, isFileName, removeEach, toSafeCommand } from './corrected-command.js';
import { parserHints } from './flags.js';
import { destructive, findMissingOperation, suggestCommand } from './suggest-command.js';

/** Returns the failure for a word that is not a command, with the command that was probably meant. */
export function unknownCommand(word: string, group: AnyCommand, argv: readonly string[]): Failure {
  const parents = commandPath(group).slice(1);
  // Other command lines have `pets:list`.
  const split = [...parents, ...word.split(':')];
  const operation = findMissingOperation(split.join(' '));
  if (operation !== undefined) {
    const hint = ['run ', { words: ['pets', '--help'] }, ' to list the operations'] as const;
    return usageError('unknown_command', `petstore cannot ${operation}: the API has no such operation`, hint);
  }
  const message = describeUnknownCommand(word);
  const isSplit = findCommand(split, rootOf(group)) !== undefined;
  const suggestion = isSplit ? split.join(' ') : suggestCommand(word, parents, visibleNames(group));
  if (suggestion === undefined) return usageError('unknown_command', message, ['run ', helpOf(group)]);
  let path: readonly string[] = suggestion.split(' ');
  const rest = group.args.slice(1);
  const typed = [...parents, word];
  // The words after a group may name a command in it.
  for (let next = rest[0]; next; next = rest[0]) {
    const longer = findSubcommand(path, next, rootOf(group));
    if (longer === undefined) break;
    typed.push(next);
    path = longer;
    rest.shift();
  }
  if (rest.length > 0 && destructive.includes(path.at(-1) ?? '')) {
    return usageError('unknown_command', message, ['run ', { words: [...path, '--help'] }]);
  }
  // Ids fit any command, choices their argument, a short word a command that takes a profile, and a file name one that
  // takes a file. A word after a flag may be its value, such as an API key.
  const firstFlag = rest.findIndex((each) => each.startsWith('-'));
  const values = firstFlag === -1 ? rest : rest.slice(0, firstFlag);
  const declared = findCommand(path, rootOf(group))?.registeredArguments ?? [];
  const { completes } = parserHints(declared[0]);
  const fits =
    (values.length === 1 && completes === 'profile' && isShortWord(values[0])) ||
    (values.length === 1 && completes === 'file' && isFileName(values[0])) ||
    values.every((each, index) => /^[0-9]{1,19}$/.test(each) || choicesOf(declared[index])?.includes(each));
  const command = { words: [...path, ...(fits ? values : [])], isShownOnly: true } as const;
  const others = removeEach(argv, typed);
  const next = [toSafeCommand(path, others, group)];
  return usageError('unknown_command', message, ['did you mean "', command, '"?'], { next });
}

/** Returns the words of the command of a group that a word names, or probably means. */
function findSubcommand(path: readonly string[], word: string, root: AnyCommand): readonly string[] | undefined {
  if (findCommand([...path, word], root)) return [...path, word];
  const group = findCommand(path, root);
  return group && suggestCommand(word, path, visibleNames(group))?.split(' ');
}

/** Returns the message for an unknown command. */
export function describeUnknownCommand(word: string): string {
  return isShortWord(word) ? `unknown command "${word}"` : 'unknown command';
}

/** Returns false for a longer word, which may be an API key that was typed in the wrong place. */
function isShortWord(word = ''): boolean {
  return /^[\w-]{1,20}$/.test(word);
}

function visibleNames(group: AnyCommand): readonly string[] {
  return group
    .createHelp()
    .visibleCommands(group)
    .map((child) => child.name());
}
