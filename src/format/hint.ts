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

/** Returns the words of flags in a command; flags that are undefined are left out. */
export function toFlagWords(flags: Readonly<Record<string, string | number | true | undefined>>): readonly string[] {
  return Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, ...(value === true ? [] : [String(value)])],
  );
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

/** A command line that failed. */
export interface FailedCommand {
  readonly argv: readonly string[];
  /** The flags that it needs to select the same service later. */
  readonly targetFlags: readonly string[];
}

/** Returns the commands that resume, settle or retry what failed, for a POSIX shell. */
export function formatNextCommands(
  { kind, details }: Failure,
  { argv, targetFlags }: FailedCommand,
): readonly string[] {
  const { hint, retryAt } = details;
  const inHint = typeof hint === 'object' ? hint.filter((part) => typeof part === 'object' && part.isNext) : [];
  // After the limit has reset, the same command continues the work.
  const isRepeatable = kind === 'rate-limited' && retryAt !== undefined && inHint.length === 0;
  const commands = (isRepeatable ? [sameCommand] : inHint) as readonly Command[];
  return commands.flatMap(({ words, isAddition }) => {
    if (!isAddition) return [formatCommand({ words })];
    return canRunAgain(argv) ? [formatCommand({ words: addFlags(argv, [...targetFlags, ...words]) })] : [];
  });
}

/** Returns false for a command line that reads standard input or that may contain secrets in headers, fields or a query. */
function canRunAgain(argv: readonly string[]): boolean {
  return !argv.some((word) => word === '--with-key' || /^(?:-[A-Za-z]*[HfF]|(?:.*=)?@?-$|\S*\?\S*=)/.test(word));
}

/** Adds flags before `--`, which ends the flags. They replace earlier ones, since the last occurrence of a flag wins. */
function addFlags(argv: readonly string[], flags: Command['words']): Command['words'] {
  const end = argv.includes('--') ? argv.indexOf('--') : argv.length;
  return [...argv.slice(0, end), ...flags, ...argv.slice(end)];
}
