import type { GlobalFlags } from '../../config/settings.js';

/** Returns a petstore command that can be pasted into a POSIX shell; flags without a value are left out. */
export function formatCommand(
  words: readonly string[],
  flags: Readonly<Record<string, string | number | undefined>>,
): string {
  const flagWords = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  return ['petstore', ...words, ...flagWords].map(quoteForShell).join(' ');
}

/** Returns the flags that select the same service. */
export function getTargetFlags({ profile, baseUrl }: GlobalFlags) {
  return { profile, 'base-url': baseUrl };
}

function quoteForShell(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
