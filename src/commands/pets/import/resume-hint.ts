import { type GlobalFlags, getTargetFlags } from '../../../config/settings.js';
import type { Hint } from '../../../failure.js';
import { formatShellWord } from '../../../format/shell.js';
import { isPrintablePath, toFlagWords, toPathArgument } from '../command-words.js';
import type { ImportOptions } from './options.js';
import type { ReplayableInput } from './replayable-input.js';

/** Returns the hint that says how to resume an import. */
export function formatResumeHint(
  { name: path, isStream }: Pick<ReplayableInput, 'name' | 'isStream'>,
  { format, journal, rejects, force }: ImportOptions,
  globalFlags: GlobalFlags,
): Hint {
  if (isStream) {
    const flag = journal === undefined ? '' : `--journal ${formatShellWord(journal)} and `;
    return `run the same command with ${flag}the same input to resume`;
  }
  if (![path, journal, rejects].every((file) => file === undefined || isPrintablePath(file))) {
    if (journal === undefined) return 'run the same command again to resume';
    const file = isPrintablePath(journal) ? `--journal ${formatShellWord(journal)}` : 'the same --journal';
    return `run the same command with ${file} to resume`;
  }
  const { maxWaitMs, maxRequests, timeoutMs, output } = globalFlags;
  const flags = toFlagWords({
    format,
    journal: toPathArgument(journal),
    rejects: toPathArgument(rejects),
    force,
    'max-wait': maxWaitMs === undefined ? undefined : maxWaitMs / 1000,
    'max-requests': maxRequests,
    timeout: timeoutMs === undefined ? undefined : timeoutMs / 1000,
    output,
  });
  const words = ['pets', 'import', toPathArgument(path), ...getTargetFlags(globalFlags), ...flags];
  return ['run ', { words }, ' to resume'];
}
