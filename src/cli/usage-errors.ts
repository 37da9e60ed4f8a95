import type { CommanderError, Option } from '@commander-js/extra-typings';
import { type Failure, usageError } from '../failure.js';
import { findSimilar, suggestSimilar } from '../format/suggest.js';
import { type AnyCommand, commandPath, manualOf, rootOf } from './command-spec.js';
import type { Completes } from './flags.js';

/** Returns the usage failure for an error of Commander. `command` is the command whose words were being parsed. */
export function toUsageFailure({ code, message }: CommanderError, command: AnyCommand): Failure {
  // Commander puts the flag, command or argument between quotes.
  const quoted = /'(.*)'/s.exec(message)?.[1] ?? '';
  switch (code) {
    case 'commander.unknownOption':
      return unknownFlag(quoted, command);
    case 'commander.unknownCommand':
      return unknownCommand(quoted, command);
    case 'commander.missingArgument':
      return missingArgument(quoted, command);
    case 'commander.optionMissingArgument':
      return missingValue(quoted, command);
    case 'commander.excessArguments':
      return excessArguments(command);
    default:
      return usageError('invalid_flag', message.replace(/^error: /, ''));
  }
}

/** Returns the failure for a word that is not a command, with the command that was probably meant. */
export function unknownCommand(word: string, group: AnyCommand): Failure {
  const parents = commandPath(group).slice(1);
  const suggestion = findSuggestion(word, group, parents);
  const message = `unknown command "${word}"`;
  if (suggestion === undefined) {
    return usageError('unknown_command', message, `run ${commandPath(group).join(' ')} --help`);
  }
  // The words after it, unless one could be a secret.
  const rest = group.args.slice(1).filter((each) => /^(?:[a-z]{1,12}|[0-9]{1,19})$/.test(each));
  const words = ['petstore', suggestion, ...(suggestion.startsWith('-') ? [] : rest)].join(' ');
  return usageError('unknown_command', message, `did you mean "${words}"?`);
}

function findSuggestion(word: string, group: AnyCommand, parents: readonly string[]): string | undefined {
  const pathOf = (last: string) => [...parents, last].join(' ');
  const intended = intents.get(pathOf(word.toLowerCase()));
  if (intended !== undefined) return intended;
  const prefix = pathOf('');
  const known = [
    ...withoutDestructive(
      group
        .createHelp()
        .visibleCommands(group)
        .map((child) => child.name()),
      word,
    ),
    ...[...intents.keys()]
      .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes(' '))
      .map((path) => path.slice(prefix.length)),
  ];
  const similar = findSimilar(word, known);
  return similar === undefined ? undefined : (intents.get(pathOf(similar)) ?? pathOf(similar));
}

/** Words that users of other command lines try first, and the command that they mean. */
const intents: ReadonlyMap<string, string> = new Map([
  ['list', 'pets list'],
  ['ls', 'pets list'],
  ['browse', 'pets browse'],
  ['add', 'pets add'],
  ['create', 'pets add'],
  ['get', 'pets get'],
  ['show', 'pets get'],
  ['search', 'pets browse'],
  ['watch', 'pets list --watch'],
  ['import', 'pets import'],
  ['export', 'pets export'],
  ['login', 'auth login'],
  ['logout', 'auth logout'],
  ['token', 'auth token'],
  ['status', 'auth status'],
  ['whoami', 'auth status'],
  ['use', 'profile use'],
  ['settings', 'config list'],
  ['server', 'serve'],
  ['version', '--version'],
  ['pets ls', 'pets list'],
  ['pets show', 'pets get'],
  ['pets view', 'pets get'],
  ['pets search', 'pets browse'],
  ['pets find', 'pets browse'],
  ['pets watch', 'pets list --watch'],
  ['pets create', 'pets add'],
  ['pets new', 'pets add'],
  ['orders ls', 'orders list'],
  ['auth whoami', 'auth status'],
  ['profile add', 'profile set'],
  ['profile create', 'profile set'],
  ['profile new', 'profile set'],
  ['profile switch', 'profile use'],
  ['profile delete', 'profile remove'],
  ['serve keys delete', 'serve keys revoke'],
  ['serve keys remove', 'serve keys revoke'],
  ['config show', 'config list'],
  ['config ls', 'config list'],
]);

/** Commands and flags that delete or overwrite something: suggested only for a typing error, not for another word. */
const destructive: readonly string[] = ['logout', 'remove', 'reset', 'revoke', 'unset', '--force', '--yes'];

function withoutDestructive(names: readonly string[], word: string): readonly string[] {
  return names.filter((name) => !destructive.includes(name) || findSimilar(word, [name], { isStrict: true }));
}

/** A value may be a secret that was typed in the wrong place, so messages never repeat it. */
function unknownFlag(typed: string, command: AnyCommand): Failure {
  const flag = typed.startsWith('--') ? typed.replace(/=.*/s, '') : typed.slice(0, 2);
  const options = flagsOf(command);
  const known = options.find(({ long, short }) => flag === long || flag === short);
  if (known && !known.required && !known.optional)
    return usageError('invalid_flag', `${flag} takes no value`, `pass ${flag} without a value`);
  if (keyFlags.includes(flag)) {
    const hint = 'run petstore auth login and enter the API key at the prompt';
    return usageError('unknown_option', `unknown flag ${flag}`, hint);
  }
  const names = options.flatMap(({ long }) => long ?? []);
  const intended = flagIntents.get(flag);
  const hint =
    intended !== undefined && names.includes(intended)
      ? `did you mean "${intended}"?`
      : (suggestSimilar(flag, withoutDestructive(names, flag)) ?? `run ${commandPath(command).join(' ')} --help`);
  return usageError('unknown_option', `unknown flag ${flag}`, hint);
}

/** Flags that other command lines have, and what petstore calls them. */
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
  ['--page', '--all'],
  ['--silent', '--quiet'],
]);

/** Flags that would put an API key into the history of the shell. */
const keyFlags: readonly string[] = ['--key', '--api-key', '--apikey', '--token', '--password'];

function missingArgument(name: string, command: AnyCommand): Failure {
  const argument = command.registeredArguments.find((each) => each.name() === name);
  const choices = choicesOf(argument);
  const path = commandPath(command).join(' ');
  const example = manualOf(command).examples.find(([line]) => line.startsWith(path))?.[0] ?? `${path} --help`;
  const hint = choices ? `pass one of ${choices.join(', ')}` : `run a command such as ${example}`;
  return usageError('missing_argument', `${path} needs the argument <${name}>`, hint);
}

/** `flags` is Commander's declaration: `-o, --output <format>`. */
function missingValue(flags: string, command: AnyCommand): Failure {
  const option = flagsOf(command).find((each) => each.flags === flags);
  const flag = option?.long ?? option?.short ?? flags;
  const choices = choicesOf(option);
  const placeholder = /[<[].*$/.exec(flags)?.[0] ?? '<value>';
  const hint = choices ? `pass one of ${choices.join(', ')}` : `pass ${flag} ${placeholder}`;
  return usageError('option_missing_argument', `${flag} needs a value`, hint);
}

function excessArguments(command: AnyCommand): Failure {
  const path = commandPath(command).join(' ');
  const count = command.registeredArguments.length;
  const allowed = count === 0 ? 'no arguments' : `at most ${count === 1 ? '1 argument' : `${count} arguments`}`;
  return usageError('excess_arguments', `${path} takes ${allowed}`, `run ${path} --help`);
}

/** Returns the flags that the command takes, global ones included. */
function flagsOf(command: AnyCommand): readonly Option[] {
  const options = [command, rootOf(command)].flatMap((each) => each.createHelp().visibleOptions(each));
  return [...new Set(options)];
}

function choicesOf(declared: object | undefined): readonly string[] | undefined {
  const completes = (declared as { parseArg?: { completes?: Completes } } | undefined)?.parseArg?.completes;
  return Array.isArray(completes) ? completes : undefined;
}
