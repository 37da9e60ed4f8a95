import { readOnlyVariable } from '../config/environment.js';
import type { Settings } from '../config/settings.js';
import { type Failure, nothingSent, usageError } from '../failure.js';

/** Throws a usage error if no data can be changed. Call it before a command that changes data reads or prompts. */
export function checkWriteAllowed(settings: Settings): void {
  if (settings.readOnly) throw readOnlyError(settings);
}

/** Returns the failure for a request that changes data, if the profile or the environment is read-only. */
export function readOnlyError({ readOnly, profile }: Settings): Failure {
  return readOnly === 'environment'
    ? usageError(
        'read_only',
        `${readOnlyVariable} is set, so no data can be changed`,
        `unset ${readOnlyVariable} to allow changes`,
        { outcome: nothingSent },
      )
    : usageError(
        'read_only',
        `profile ${profile} is read-only`,
        [
          'pass another --profile, or run ',
          { words: ['profile', 'set', profile, '--no-read-only'] },
          ' to allow changes',
        ],
        { outcome: nothingSent },
      );
}
