import { readOnlyVariable } from '../config/environment.js';
import type { Settings } from '../config/settings.js';
import { type Failure, type Hint, nothingSent, usageError } from '../failure.js';

/** Throws a usage error if no data can be changed. Call it before a command that changes data reads or prompts. */
export function checkWriteAllowed(settings: Settings): void {
  if (settings.readOnly) throw readOnlyError(settings);
}

/** Returns the failure for a request that changes data, if the profile or the environment is read-only. */
export function readOnlyError({ readOnly, profile }: Settings): Failure {
  const allow = { words: ['profile', 'set', profile, '--no-read-only'] };
  const [message, hint]: readonly [string, Hint] =
    readOnly === 'environment'
      ? [`${readOnlyVariable} is set, so no data can be changed`, `unset ${readOnlyVariable} to allow changes`]
      : [`profile ${profile} is read-only`, ['pass another --profile, or run ', allow, ' to allow changes']];
  return usageError('read_only', message, hint, { outcome: nothingSent });
}
