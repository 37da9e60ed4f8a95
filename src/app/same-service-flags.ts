import { getSettingOrigin } from '../config/settings.js';
import type { TargetOptions } from '../config/target.js';
import { quoteShellWord } from '../format/shell.js';

/** The flags that led to this address, each with a space before it: without them another command goes to another store. */
export function targetFlags(
  address: string,
  { settings, env }: Pick<TargetOptions, 'settings' | 'env'>,
): string {
  const isFlag = getSettingOrigin(settings, 'profile') === 'flag';
  const profile = isFlag ? ` --profile ${settings.profile}` : '';
  const { baseUrl } = settings;
  if (baseUrl === undefined || baseUrl === env.PETSTORE_BASE_URL) return profile;
  return `${profile} --base-url ${quoteShellWord(address)}`;
}
