import { getSettingOrigin } from '../config/settings.js';
import type { TargetOptions } from '../config/target.js';
import { quoteShellWord } from '../format/shell.js';
import type { AppContext } from './context.js';

/** Returns the flags that another command needs to reach the same address, each after a space. */
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

/** Returns what determines the target of requests. */
export function targetOptions({ settings, config, runtime }: AppContext): TargetOptions {
  return {
    settings,
    profile: config.profiles.get(settings.profile),
    credentials: config.credentials,
    env: runtime.env,
  };
}
