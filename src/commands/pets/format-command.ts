import type { GlobalFlags } from '../../config/settings.js';
import { toSafeText } from '../../format/safe-text.js';
import { quoteShellWord } from '../../format/shell.js';

/** Returns a petstore command that can be pasted into a POSIX shell; flags that are undefined are left out. */
export function formatCommand(
  words: readonly string[],
  flags: Readonly<Record<string, string | number | true | undefined>>,
): string {
  const flagWords = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, ...(value === true ? [] : [String(value)])],
  );
  return ['petstore', ...words, ...flagWords].map(quoteForShell).join(' ');
}

/** Returns the flags that select the same service. */
export function getTargetFlags({ profile, baseUrl }: GlobalFlags) {
  return { profile, 'base-url': baseUrl };
}

/** Returns a path that a command cannot mistake for a flag or for standard input. */
export function toPathArgument(path: string): string;
export function toPathArgument(path: string | undefined): string | undefined;
export function toPathArgument(path: string | undefined): string | undefined {
  return path?.startsWith('-') ? `./${path}` : path;
}

/** Returns whether a message shows the path as it is. A shell does not interpret the escapes in other paths. */
export function isPrintablePath(path: string): boolean {
  return toSafeText(path) === path;
}

/** Returns a word for a POSIX shell, in quotes if needed. */
export function quoteForShell(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : quoteShellWord(word);
}
