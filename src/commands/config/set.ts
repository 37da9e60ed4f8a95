import type { AppContext } from '../../app/context.js';

/** Saves a setting and warns about what overrides it. A profile must exist. */
export async function set(context: AppContext, name: string, value: string): Promise<void> {
  const { terminal, config } = context;
  const { store, profiles } = config;
  const { origin, source } = store.get(name);
  if (name === 'profile') profiles.get(value);
  const saved = await store.set(name, value);
  terminal.success(`Set ${name} to ${saved === '' ? '""' : saved}`);
  if (origin === 'environment' || origin === 'profile') terminal.warn(`${source} overrides the saved value`);
}

/** Deletes a setting from the config file. */
export async function unset({ terminal, config }: AppContext, name: string): Promise<void> {
  if (await config.store.unset(name)) terminal.success(`Restored the default of ${name}`);
  else terminal.notice(`Setting ${name} has no saved value.`);
}
