import type { GlobalFlags } from '../../../config/settings.js';
import { formatCommand, getTargetFlags, isPrintablePath, toPathArgument } from '../format-command.js';
import { defaultConcurrency, type ImportOptions } from './options.js';

/** Returns the hint that says how to resume an import. */
export function formatResumeHint(
  path: string,
  { format, journal, rejects, force, concurrency }: ImportOptions,
  globalFlags: GlobalFlags,
): string {
  if (path === '-') return 'run the same command with the same input to resume';
  if (![path, journal, rejects].every((file) => file === undefined || isPrintablePath(file))) {
    return 'run the same command again to resume';
  }
  const { maxWaitMs, timeoutMs } = globalFlags;
  const command = formatCommand(['pets', 'import', toPathArgument(path)], {
    ...getTargetFlags(globalFlags),
    format,
    journal: toPathArgument(journal),
    rejects: toPathArgument(rejects),
    force,
    concurrency: concurrency === defaultConcurrency ? undefined : concurrency,
    'max-wait': maxWaitMs === undefined ? undefined : maxWaitMs / 1000,
    timeout: timeoutMs === undefined ? undefined : timeoutMs / 1000,
  });
  return `run ${command} to resume`;
}
