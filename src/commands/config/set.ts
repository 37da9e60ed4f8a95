import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';

/** Keeps a setting; a profile must exist. Says what still overrides it. */
export async function set(
  context: AppContext,
  name: string,
  value: string,
): Promise<CommandResult> {
  const {
    config: { store, profiles },
  } = context;
  const { origin: source, variable } = store.get(name);
  if (name === 'profile') profiles.get(value);
  await store.set(name, value);
  if (source === 'environment') context.terminal.warn(`${variable} still overrides it`);
  if (source === 'profile') context.terminal.warn('the current profile still overrides it');
  return { kind: 'nothing' };
}

/** Forgets a kept setting. */
export async function unset(context: AppContext, name: string): Promise<CommandResult> {
  if (!(await context.config.store.unset(name)))
    context.terminal.notice(`the setting ${name} was not kept`);
  return { kind: 'nothing' };
}
