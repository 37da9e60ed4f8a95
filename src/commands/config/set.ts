import type { Context } from '../../app/context.js';
import type { Shown } from '../../cli/command-result.js';

/** Keeps a setting; a profile must exist. Says what still overrides it. */
export async function set(context: Context, name: string, value: string): Promise<Shown> {
  const { config, profiles } = context;
  const { origin: source, variable } = config.get(name);
  if (name === 'profile') profiles.get(value);
  await config.set(name, value);
  if (source === 'environment') context.warning(`${variable} still overrides it`);
  if (source === 'profile') context.warning('the current profile still overrides it');
  return { kind: 'nothing' };
}

/** Forgets a kept setting. */
export async function unset(context: Context, name: string): Promise<Shown> {
  if (!(await context.config.unset(name))) context.notice(`the setting ${name} was not kept`);
  return { kind: 'nothing' };
}
