import { type Command, type Failure, type Hint, type MissingInput, sameCommand } from '../failure.js';
import { formatShellWord } from './shell.js';

/** Returns a hint as text, with its commands quoted for a POSIX shell. */
export function formatHint(hint: Hint): string {
  if (typeof hint === 'string') return hint;
  return hint.map((part) => (typeof part === 'string' ? part : formatCommand(part))).join('');
}

/** Returns the message and the hint of a failure in one line. */
export function formatProblem({ details: { message, hint } }: Failure): string {
  return hint === undefined ? message : `${message}; ${formatHint(hint)}`;
}

export function formatCommand({ words, isAddition }: Command): string {
  const shown = words.map((word) => (typeof word === 'string' ? formatShellWord(word) : word.placeholder));
  return (isAddition ? shown : ['petstore', ...shown]).join(' ');
}

/** Returns the default hint for input that a prompt would have asked for. */
export function formatMissingHint(missing: readonly MissingInput[]): string {
  const flags = missing.map(({ syntax, choices }) =>
    choices === undefined ? syntax : `${syntax}, one of ${choices.join(', ')}`,
  );
  return `pass ${flags.join(' and ')}`;
}

/** Returns the `missing` of an error object. */
export function toMissingJson(missing: readonly MissingInput[]) {
  return missing.map(({ syntax, choices }) => {
    const [flag = ''] = syntax.split(' ');
    return { ...(flag.startsWith('-') ? { flag } : { argument: flag }), choices };
  });
}

/**
 * Returns the commands of a failure that run as they are, for a POSIX shell. `argv` is the command line that failed.
 */
export function formatNextCommands({ kind, details }: Failure, argv: readonly string[]): readonly string[] {
  const { hint, next = [], retryAt } = details;
  const inHint = typeof hint === 'object' ? hint.filter((part) => typeof part === 'object') : [];
  const commands = [...inHint, ...next].filter(isComplete);
  // After the limit has reset, the same command continues the work.
  const isRepeatable = kind === 'rate-limited' && retryAt !== undefined && commands.length === 0;
  const lines = [...commands, ...(isRepeatable ? [sameCommand] : [])].flatMap((command) => {
    if (!command.isAddition) return [formatCommand(command)];
    return canRunAgain(argv) ? [formatCommand({ words: addFlags(argv, command.words) })] : [];
  });
  return [...new Set(lines)];
}

function isComplete({ words, isShownOnly }: Command): boolean {
  return !isShownOnly && words.every((word) => typeof word === 'string');
}

/** Returns false for a command line that reads standard input or that may contain secrets in headers, fields or a query. */
function canRunAgain(argv: readonly string[]): boolean {
  return !argv.some((word) => word === '--with-key' || /^(?:-[A-Za-z]*[HfF]|(?:.*=)?@?-$|\S*\?\S*=)/.test(word));
}

/** Adds flags before `--`, which ends the flags. A flag with a value replaces an earlier one. */
function addFlags(argv: readonly string[], [flag = '', ...values]: Command['words']): Command['words'] {
  if (flag === '') return argv;
  const others = argv.filter(
    (word, index) => word !== flag && argv[index - 1] !== flag && !word.startsWith(`${flag}=`),
  );
  const words = values.length > 0 ? others : argv;
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return [...words.slice(0, end), flag, ...values, ...words.slice(end)];
}
