import { type Document, sectionOf } from './config-file.js';
import { knownSetting, parseSetting } from './resolve-settings.js';
import type { Config, Settings } from './settings.js';

/** The settings of the user's configuration file; what is in force comes from `settings`. */
export function openConfig(document: Document, settings: Settings): Config {
  return {
    path: document.path,
    get: (name) => {
      const known = knownSetting(name);
      return settings.all.find((setting) => setting.name === known) as Settings['all'][number];
    },
    set: async (name, text) => {
      const value = parseSetting(name, text);
      await document.update((content) => ({
        ...content,
        settings: { ...sectionOf(content, 'settings'), [name]: value },
      }));
    },
    unset: async (name) => {
      const known = knownSetting(name);
      if (!Object.hasOwn(sectionOf(document.read(), 'settings'), known)) return false;
      await document.update((content) => {
        const { [known]: _removed, ...rest } = sectionOf(content, 'settings');
        return { ...content, settings: rest };
      });
      return true;
    },
  };
}
