import type { CommanderError, Option } from '@commander-js/extra-typings';
import { petFields } from '../api/pet.js';
import { builtInProfiles } from '../config/profile.js';
import { type Command, type Failure, usageError } from '../failure.js';
import { type AnyCommand, commandPath, manualOf, rootOf } from './command-spec.js';
import { choicesOf, helpOf, isFileName, removeEach, toSafeCommand } from './corrected-command.js';
import { findFlagHint, suggestFlag } from './suggest-flag.js';
import { unknownCommand } from './unknown-command.js';

/**
 * Returns the usage failure for an error of Commander in the command line `argv`. `command` is the command whose words
 * were being parsed; the whole command tree is declared.
 */
export function toUsageFailure(
  { code, message }: CommanderError,
  command: AnyCommand,
  argv: readonly string[],
): Failure {
  // Commander puts the flag, command or argument between quotes.
  const quoted = /'(.*)'/s.exec(message)?.[1] ?? '';
  switch (code) {
    case 'commander.unknownOption':
      return unknownFlag(quoted, command, argv);
    case 'commander.unknownCommand':
      return unknownCommand(quoted, command, argv);
    case 'commander.helpDisplayed':
      return unknownCommand(command.args[0] ?? '', command, argv);
    case 'commander.missingArgument':
      return missingArgument(quoted, command);
    case 'commander.optionMissingArgument':
      return missingValue(quoted, command);
    case 'commander.excessArguments':
      return excessArguments(command, argv);
    default:
      return usageError('invalid_flag', message.replace(/^error: /, ''));
  }
}

/** A value may be a secret that was typed in the wrong place, so messages never repeat it. */
function unknownFlag(typed: string, command: AnyCommand, argv: readonly string[]): Failure {
  const flag = typed.startsWith('--') ? typed.replace(/=.*/s, '') : typed.slice(0, 2);
  const options = flagsOf(command);
  const oneDash = findOneDashFlag(typed, options, argv);
  if (oneDash !== undefined) return suggestedFlag(oneDash, `-${oneDash}`, command, argv);
  const known = options.find(({ long, short }) => flag === long || flag === short);
  if (known && !known.required && !known.optional)
    return usageError('invalid_flag', `${flag} takes no value`, `pass ${flag} without a value`, {
      next: [correctFlag(flag, flag, command, argv)],
    });
  const hint = findFlagHint(flag, commandPath(command).slice(1).join(' '));
  if (hint !== undefined) return usageError('unknown_option', `unknown flag ${flag}`, hint);
  const suggested = suggestFlag(flag, options);
  if (suggested === undefined) return usageError('unknown_option', `unknown flag ${flag}`, ['run ', helpOf(command)]);
  return suggestedFlag(flag, suggested, command, argv);
}

function suggestedFlag(flag: string, suggested: string, command: AnyCommand, argv: readonly string[]): Failure {
  return usageError('unknown_option', `unknown flag ${flag}`, `did you mean "${suggested}"?`, {
    next: [correctFlag(flag, suggested, command, argv)],
  });
}

/** Returns the long flag that was typed with one dash: `-limit`. Commander reads it as several short flags. */
function findOneDashFlag(
  typed: string,
  options: readonly Pick<Option, 'long'>[],
  argv: readonly string[],
): string | undefined {
  // A single letter is the end of many words.
  if (typed.length < 3) return undefined;
  const words = argv.filter((word) => /^-[a-z]/.test(word) && word.endsWith(typed.slice(1)));
  const flags = words.map((word) => word.replace(/=.*/s, ''));
  return flags.find((flag) => options.some(({ long }) => long === `-${flag}`));
}

/** Returns the command line with one flag replaced; a value after `=` becomes a separate word. */
function correctFlag(wrong: string, right: string, command: AnyCommand, argv: readonly string[]): Command {
  const takesValue = flagsOf(command).some(({ long, short, required }) => (long ?? short) === right && required);
  const corrected = argv.flatMap((word) => {
    if (word === wrong) return [right];
    if (!word.startsWith(`${wrong}=`)) return [word];
    return takesValue ? [right, word.slice(wrong.length + 1)] : [right];
  });
  const path = commandPath(command).slice(1);
  return toSafeCommand(path, removeEach(corrected, path), command);
}

function missingArgument(name: string, command: AnyCommand): Failure {
  const argument = command.registeredArguments.find((each) => each.name() === name);
  const choices = choicesOf(argument);
  const path = commandPath(command).join(' ');
  const example = manualOf(command).examples.find(([line]) => line.startsWith(path))?.[0];
  const help = helpOf(command);
  const orStdin = argument?.description.includes('- for stdin') ? ', or pass - to read standard input' : '';
  const exampleHint = example === undefined ? ['run ', help] : `run a command such as ${example}${orStdin}`;
  const hint = choices ? `pass one of ${choices.join(', ')}` : exampleHint;
  const missing = [{ syntax: name, choices }];
  return usageError('missing_argument', `${path} needs the argument <${name}>`, hint, { missing, next: [help] });
}

/** `flags` is Commander's declaration: `-o, --output <format>`. */
function missingValue(flags: string, command: AnyCommand): Failure {
  const option = flagsOf(command).find((each) => each.flags === flags);
  const flag = option?.long ?? option?.short ?? flags;
  const choices = choicesOf(option);
  const placeholder = /[<[].*$/.exec(flags)?.[0] ?? '<value>';
  const hint = choices ? `pass one of ${choices.join(', ')}` : `pass ${flag} ${placeholder}`;
  const missing = [{ syntax: flag, choices }];
  return usageError('option_missing_argument', `${flag} needs a value`, hint, { missing, next: [helpOf(command)] });
}

function excessArguments(command: AnyCommand, argv: readonly string[]): Failure {
  const path = commandPath(command).join(' ');
  const count = command.registeredArguments.length;
  const allowed = count === 0 ? 'no arguments' : `at most ${count === 1 ? '1 argument' : `${count} arguments`}`;
  const message = `${path} takes ${allowed}`;
  const word = command.args[count] ?? '';
  const flag = findFlagFor(word, command, argv);
  if (argv[argv.lastIndexOf(word) - 1] === '--with-key') {
    return usageError('excess_arguments', message, formatRedirectHint(word), { next: [helpOf(command)] });
  }
  if (flag === undefined) return usageError('excess_arguments', message, ['run ', helpOf(command)]);
  const words = commandPath(command).slice(1);
  // An earlier occurrence may be the value of a flag.
  const corrected = argv.toSpliced(argv.lastIndexOf(word), 1, flag, word);
  return usageError('excess_arguments', message, `did you mean "${flag} ${word}"?`, {
    next: [toSafeCommand(words, removeEach(corrected, words), command)],
  });
}

/** Returns the hint for a word after `--with-key`, which is repeated only if it is the name of a file. */
function formatRedirectHint(word: string): string {
  return isFileName(word)
    ? `did you mean "< ${word}"?`
    : 'pipe the API key to standard input, such as --with-key < key.txt';
}

/**
 * Returns the flag whose value a word may be:
 * - one of its choices, unless it contradicts another flag
 * - a built-in profile
 * - a field of a pet, after `--json`
 * - a name
 */
function findFlagFor(word: string, command: AnyCommand, argv: readonly string[]): string | undefined {
  const { output, json, jq, profile } = command.optsWithGlobals();
  const hasFormat = output !== undefined || json || jq !== undefined;
  const options = flagsOf(command).filter(({ long }) => !(hasFormat && long === '--output'));
  const option = options.find((each) => choicesOf(each)?.includes(word));
  if (option) return option.long;
  const takesProfile = profile === undefined && command.registeredArguments.length === 0;
  if (takesProfile && builtInProfiles.includes(word)) return '--profile';
  const isAfterJson = argv[argv.lastIndexOf(word) - 1] === '--json';
  if (isAfterJson && word.split(',').every((name) => petFields.some((field) => field.name === name))) return '--fields';
  // petstore's API keys have digits. A short API key of another service may have none.
  return options.find(({ long }) => long === '--name' && /^\p{L}{1,20}$/u.test(word))?.long;
}

/** Returns the flags that the command takes, global ones included. */
function flagsOf(command: AnyCommand): readonly Option[] {
  const options = [command, rootOf(command)].flatMap((each) => each.createHelp().visibleOptions(each));
  return [...new Set(options)];
}
