import type { GlobalFlags } from '../../../config/settings.js';
import { defaultConcurrency } from './choices.js';

/** How to go on with an import that has stopped: the command that does so, ready to be copied. */
export function resumeHint(
  path: string,
  {
    format,
    journal,
    rejects,
    concurrency,
  }: { format?: string; journal?: string; rejects?: string; concurrency: number },
  { profile, baseUrl, maxWaitMs, timeoutMs }: GlobalFlags,
): string {
  if (path === '-') return 'the same command with the same input goes on where it stopped';
  const flags = Object.entries({
    profile,
    'base-url': baseUrl,
    format,
    journal,
    rejects,
    concurrency: concurrency === defaultConcurrency ? undefined : concurrency,
    'max-wait': maxWaitMs === undefined ? undefined : maxWaitMs / 1000,
    timeout: timeoutMs === undefined ? undefined : timeoutMs / 1000,
  });
  const words = flags.flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  );
  return `${['petstore', 'pets', 'import', path, ...words].map(quoted).join(' ')} goes on where it stopped`;
}

/** As a shell takes it for one word. */
function quoted(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
