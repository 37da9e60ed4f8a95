import { type ConfigFile, getSection } from './config-file.js';
import { findSettingName, parseSetting } from './resolve-settings.js';
import type { Settings, UserSettings } from './settings.js';

/** The settings of the user's configuration file; what is in force comes from `settings`. */
export function openUserSettings(document: ConfigFile, settings: Settings): UserSettings {
  return {
    path: document.path,
    get: (name) => {
      const known = findSettingName(name);
      return settings.all.find((setting) => setting.name === known) as Settings['all'][number];
    },
    set: async (name, text) => {
      const value = parseSetting(name, text);
      await document.update((content) => ({
        ...content,
        settings: { ...getSection(content, 'settings'), [name]: value },
      }));
    },
    unset: async (name) => {
      const known = findSettingName(name);
      if (!Object.hasOwn(getSection(document.read(), 'settings'), known)) return false;
      await document.update((content) => {
        const { [known]: _removed, ...rest } = getSection(content, 'settings');
        return { ...content, settings: rest };
      });
      return true;
    },
  };
}
