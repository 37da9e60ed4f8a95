import type { CommanderError, Option } from '@commander-js/extra-typings';
import { type Failure, usageError } from '../failure.js';
import { findSimilar, suggestSimilar } from '../format/suggest.js';
import { type AnyCommand, commandPath, rootOf } from './command-spec.js';
import { type Completes, lineageOf } from './flags.js';

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
  const words = [...commandPath(group), word];
  const intended = intents.get(words.slice(1).join(' ').toLowerCase());
  const names = group
    .createHelp()
    .visibleCommands(group)
    .map((child) => child.name())
    .filter((name) => !destructiveCommands.includes(name) || findSimilar(word, [name], { isStrict: true }));
  const similar = findSimilar(word, names);
  const suggestion = intended ?? (similar === undefined ? undefined : [...words.slice(1, -1), similar].join(' '));
  const hint =
    suggestion === undefined ? `run ${words.slice(0, -1).join(' ')} --help` : `did you mean "petstore ${suggestion}"?`;
  return usageError('unknown_command', `unknown command "${word}"`, hint);
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
  ['pets create', 'pets add'],
  ['pets new', 'pets add'],
  ['orders ls', 'orders list'],
  ['auth whoami', 'auth status'],
  ['profile add', 'profile set'],
  ['profile create', 'profile set'],
  ['profile new', 'profile set'],
  ['profile switch', 'profile use'],
  ['config show', 'config list'],
  ['config ls', 'config list'],
]);

/** Commands that delete or reset something: suggested only for a word that differs by one letter. */
const destructiveCommands: readonly string[] = ['logout', 'remove', 'reset', 'revoke', 'unset'];

/** A value may be a secret that was typed in the wrong place, so messages never repeat it. */
function unknownFlag(typed: string, command: AnyCommand): Failure {
  const flag = typed.startsWith('--') ? typed.replace(/=.*/s, '') : typed.slice(0, 2);
  const options = flagsOf(command);
  const known = options.find(({ long, short }) => flag === long || flag === short);
  if (known) return usageError('invalid_flag', `${flag} takes no value`, `pass ${flag} without a value`);
  const names = options.flatMap(({ long }) => long ?? []);
  const hint = suggestSimilar(flag, names) ?? `run ${commandPath(command).join(' ')} --help`;
  return usageError('unknown_option', `unknown flag ${flag}`, hint);
}

function missingArgument(name: string, command: AnyCommand): Failure {
  const argument = command.registeredArguments.find((each) => each.name() === name);
  const choices = choicesOf(argument);
  const path = commandPath(command).join(' ');
  const hint = choices ? `pass one of ${choices.join(', ')}` : `run ${path} <${name}>`;
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
  const options = [...lineageOf(command), rootOf(command)].flatMap((each) => each.createHelp().visibleOptions(each));
  return [...new Set(options)];
}

function choicesOf(declared: object | undefined): readonly string[] | undefined {
  const completes = (declared as { parseArg?: { completes?: Completes } } | undefined)?.parseArg?.completes;
  return Array.isArray(completes) ? completes : undefined;
}
