import type { CommanderError, Option } from '@commander-js/extra-typings';
import { type Command, type Failure, usageError } from '../failure.js';
import { findSimilar } from '../format/suggest.js';
import { type AnyCommand, type CommonWord, commandPath, detailsOf, rootOf } from './command-spec.js';
import { parserHints } from './flags.js';

/**
 * Returns the usage failure for an error of Commander. `command` is the command whose words were being parsed; the whole
 * command tree is declared. Messages repeat no value: it may be a secret that was typed in the wrong place.
 */
export function toUsageFailure({ code, message }: CommanderError, command: AnyCommand): Failure {
  // Commander puts the flag, command or argument between quotes.
  const quoted = /'(.*)'/s.exec(message)?.[1] ?? '';
  switch (code) {
    case 'commander.unknownOption':
      return unknownFlag(quoted, command);
    case 'commander.unknownCommand':
    case 'commander.helpDisplayed':
      return unknownSubcommand(command);
    case 'commander.missingArgument':
      return missingArgument(quoted, command);
    case 'commander.optionMissingArgument':
      return missingValue(quoted, command);
    case 'commander.excessArguments':
      return command.commands.length > 0 ? unknownSubcommand(command) : excessArguments(command);
    default:
      return usageError('invalid_flag', message.replace(/^error: /, ''));
  }
}

/** Where a word was expected to name a command. */
interface CommandPosition {
  /** The commands before the word, without `petstore`. */
  readonly parents: readonly string[];
  /** The names that were possible. */
  readonly names: readonly string[];
  /** The command that prints the help of the parents. */
  readonly help: Command;
  /** Precedes the suggested command: `help`. */
  readonly before?: readonly string[];
  /** The common word that was typed, if it is one. */
  readonly common?: CommonWord | undefined;
}

/** Returns the failure for a word that is not a command, with the command that was probably meant. */
export function unknownCommand(word: string, position: CommandPosition): Failure {
  const { parents, names, help, before = [], common } = position;
  // A longer word may be an API key.
  const message = /^[\w-]{1,20}$/.test(word) ? `unknown command "${word}"` : 'unknown command';
  if (common?.problem) return usageError('unknown_command', `${message}: ${common.problem}`, ['run ', help]);
  const similar = findSimilar(word, names);
  const meant = common?.means ?? (similar && [...parents, similar]);
  if (!meant) return usageError('unknown_command', message, ['run ', help]);
  const command: Command = { words: [...before, ...meant] };
  return usageError('unknown_command', message, ['did you mean "', command, '"?']);
}

function unknownSubcommand(group: AnyCommand): Failure {
  const [word = ''] = group.args;
  const parents = commandPath(group).slice(1);
  const names = group.createHelp().visibleCommands(group);
  const common = detailsOf(rootOf(group)).commonWords?.get(word);
  return unknownCommand(word, {
    parents,
    names: names.map((child) => child.name()),
    help: helpOf(group),
    common: parents.every((parent, index) => parent === common?.means[index]) ? common : undefined,
  });
}

function unknownFlag(typed: string, command: AnyCommand): Failure {
  // The rest may be a value.
  const flag = typed.startsWith('--') ? typed.replace(/=.*/s, '') : typed.slice(0, 2);
  const flags = flagsOf(command);
  if (flags.some(({ long, short }) => flag === long || flag === short)) {
    return usageError('invalid_flag', `${flag} takes no value`, `pass ${flag} without a value`);
  }
  // Without the dashes, which all flags share.
  const similar = findSimilar(
    flag.replace(/^-+/, ''),
    flags.flatMap(({ long }) => long?.slice(2) ?? []),
  );
  const hint = similar === undefined ? (['run ', helpOf(command)] as const) : `did you mean "--${similar}"?`;
  return usageError('unknown_option', `unknown flag ${flag}`, hint);
}

function missingArgument(name: string, command: AnyCommand): Failure {
  const choices = choicesOf(command.registeredArguments.find((argument) => argument.name() === name));
  const path = commandPath(command).join(' ');
  const example = detailsOf(command).examples?.find(([line]) => line.startsWith(path))?.[0];
  const exampleHint = example === undefined ? (['run ', helpOf(command)] as const) : `run a command such as ${example}`;
  const hint = choices ? `pass one of ${choices.join(', ')}` : exampleHint;
  return usageError('missing_input', `${path} needs the argument <${name}>`, hint, {
    missing: [{ syntax: name, choices }],
  });
}

/** `flags` is Commander's declaration: `-o, --output <format>`. */
function missingValue(flags: string, command: AnyCommand): Failure {
  const option = flagsOf(command).find((each) => each.flags === flags);
  const flag = option?.long ?? option?.short ?? flags;
  const choices = choicesOf(option);
  const hint = choices ? `pass one of ${choices.join(', ')}` : `pass ${flags.replace(/^-\w, /, '')}`;
  return usageError('missing_input', `${flag} needs a value`, hint, { missing: [{ syntax: flag, choices }] });
}

function excessArguments(command: AnyCommand): Failure {
  const count = command.registeredArguments.length;
  const allowed = count === 0 ? 'no arguments' : `at most ${count === 1 ? '1 argument' : `${count} arguments`}`;
  return usageError('invalid_argument', `${commandPath(command).join(' ')} takes ${allowed}`, [
    'run ',
    helpOf(command),
  ]);
}

/** Returns the values that a flag or an argument accepts, if they are listed. */
function choicesOf(declared: object | undefined): readonly string[] | undefined {
  const { completes } = parserHints(declared);
  return Array.isArray(completes) ? completes : undefined;
}

/** Returns the flags that the command takes, global ones included. */
function flagsOf(command: AnyCommand): readonly Option[] {
  const options = [command, rootOf(command)].flatMap((each) => each.createHelp().visibleOptions(each));
  return [...new Set(options)];
}

/** Returns the command that prints the help of a command. */
function helpOf(command: AnyCommand): Command {
  return { words: [...commandPath(command).slice(1), '--help'] };
}
