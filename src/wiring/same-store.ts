import type { TargetChoices } from '../local/target.js';
import { sourceOf } from '../ports/settings.js';
import { quoteWord } from '../text/shell.js';

/** The flags that led to this address, each with a space before it: without them another command goes to another store. */
export function flagsTo(
  address: string,
  { settings, env }: Pick<TargetChoices, 'settings' | 'env'>,
): string {
  const isFlag = sourceOf(settings, 'profile') === 'flag';
  const profile = isFlag ? ` --profile ${settings.profile}` : '';
  const { baseUrl } = settings;
  if (baseUrl === undefined || baseUrl === env.PETSTORE_BASE_URL) return profile;
  return `${profile} --base-url ${quoteWord(address)}`;
}
