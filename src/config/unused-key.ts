import { sandboxProfileName } from './profile.js';
import { getSettingOrigin, type Settings } from './settings.js';

/** Returns a notice if the sandbox is used because the saved profile is the sandbox, although the environment has an API key. */
export function describeUnusedKey(settings: Settings, keyVariable: string | undefined): string | undefined {
  const isSandbox = settings.profile === sandboxProfileName && settings.baseUrl === undefined;
  const isSaved = getSettingOrigin(settings, 'profile') === 'setting';
  if (keyVariable === undefined || !isSandbox || !isSaved) return undefined;
  return `${keyVariable} is not used: the current profile is sandbox, which has its own API key.`;
}
