import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';

/** Saves a setting and warns about what overrides it. A profile must exist. */
export async function set(context: AppContext, name: string, value: string): Promise<CommandResult> {
  const {
    config: { store, profiles },
  } = context;
  const { origin, variable } = store.get(name);
  if (name === 'profile') profiles.get(value);
  await store.set(name, value);
  if (origin === 'environment')
    context.terminal.warn(`${variable} overrides this setting; unset the variable to use the saved value`);
  if (origin === 'profile') context.terminal.warn('the current profile overrides this setting');
  return { kind: 'nothing' };
}

/** Deletes a setting from the config file. */
export async function unset(context: AppContext, name: string): Promise<CommandResult> {
  if (!(await context.config.store.unset(name))) context.terminal.notice(`Setting ${name} has no saved value.`);
  return { kind: 'nothing' };
}
