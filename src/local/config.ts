import type { Config, Settings } from '../ports/settings.js';
import type { Content, Document } from './document.js';
import { knownSetting, parseSetting, withSettings } from './settings.js';

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
        settings: { ...kept(content), [name]: value },
      }));
    },
    unset: async (name) => {
      const known = knownSetting(name);
      if (!Object.hasOwn(kept(document.read()), known)) return false;
      await document.update((content) => {
        const { [known]: _removed, ...rest } = kept(content);
        return { ...content, settings: rest };
      });
      return true;
    },
  };
}

function kept(content: Content): Content {
  return (withSettings(content).settings ?? {}) as Content;
}
