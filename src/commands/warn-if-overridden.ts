import type { AppContext } from '../app/context.js';

/**
 * Warns if the environment or a `.petstore.json` selects another profile than `name`, which was made the current one.
 */
export function warnIfOverridden({ settings, config, terminal }: AppContext, name: string): void {
  const { origin, variable, file } = config.store.get('profile');
  if (settings.profile === name) return;
  if (origin === 'environment') {
    terminal.warn(`${variable} still selects profile ${settings.profile}; change or unset it to use ${name}`);
  } else if (origin === 'project') {
    terminal.warn(`${file} still selects profile ${settings.profile}; change or delete it to use ${name}`);
  }
}
