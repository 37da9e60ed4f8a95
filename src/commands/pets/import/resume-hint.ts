import { type GlobalFlags, getTargetFlags } from '../../../config/settings.js';
import type { Hint } from '../../../failure.js';
import { formatShellWord } from '../../../format/shell.js';
import { isPrintablePath, toFlagWords, toPathArgument } from '../command-words.js';
import type { ImportOptions } from './options.js';
import type { ReplayableInput } from './replayable-input.js';

/** Returns the hint that says how to resume an import. */
export function formatResumeHint(
  { name: path, isStream }: Pick<ReplayableInput, 'name' | 'isStream'>,
  { format, journal, rejects }: ImportOptions,
  globalFlags: GlobalFlags,
): Hint {
  const isPrintable = (file: string | undefined) => file === undefined || isPrintablePath(file);
  const additions = [
    ...(journal === undefined
      ? []
      : [isPrintable(journal) ? `--journal ${formatShellWord(journal)}` : 'the same --journal']),
    // The file may exist now.
    ...(rejects === undefined ? [] : ['--force']),
    ...(isStream ? ['the same input'] : []),
  ];
  if (isStream || ![path, journal, rejects].every(isPrintable)) {
    return `run the same command ${additions.length === 0 ? 'again' : `with ${additions.join(' and ')}`} to resume`;
  }
  const { maxWaitMs, timeoutMs, output } = globalFlags;
  const flags = toFlagWords({
    format,
    journal: toPathArgument(journal),
    rejects: toPathArgument(rejects),
    force: rejects === undefined ? undefined : true,
    'max-wait': maxWaitMs === undefined ? undefined : maxWaitMs / 1000,
    timeout: timeoutMs === undefined ? undefined : timeoutMs / 1000,
    output,
  });
  const words = ['pets', 'import', toPathArgument(path), ...getTargetFlags(globalFlags), ...flags];
  return ['run ', { words }, ' to resume'];
}
