import type { GlobalFlags } from '../../../config/settings.js';
import { defaultConcurrency, type ImportOptions } from './options.js';

/** Returns the command that resumes an import, quoted for a shell. */
export function formatResumeHint(
  path: string,
  { format, journal, rejects, concurrency }: ImportOptions,
  { profile, baseUrl, maxWaitMs, timeoutMs }: GlobalFlags,
): string {
  if (path === '-') return 'the same command with the same input goes on where it stopped';
  const flags = {
    profile,
    'base-url': baseUrl,
    format,
    journal,
    rejects,
    concurrency: concurrency === defaultConcurrency ? undefined : concurrency,
    'max-wait': maxWaitMs === undefined ? undefined : maxWaitMs / 1000,
    timeout: timeoutMs === undefined ? undefined : timeoutMs / 1000,
  };
  const words = Object.entries(flags).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  const command = ['petstore', 'pets', 'import', path, ...words].map(quoteForShell).join(' ');
  return `${command} goes on where it stopped`;
}

function quoteForShell(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
