import type { Settings } from '../../config/settings.js';
import { type Failure, usageError } from '../../failure.js';
import { suggestSimilar } from '../../format/suggest.js';

/** Returns the failure for a login to a profile that does not exist, without a base URL to create it. */
export function unknownProfile(settings: Settings, names: readonly string[]): Failure {
  const suggestion = suggestSimilar(settings.profile, names);
  const hint = `pass --base-url <url> to create the profile${suggestion ? `; ${suggestion}` : ''}`;
  return usageError('unknown_profile', `unknown profile "${settings.profile}"`, hint);
}
