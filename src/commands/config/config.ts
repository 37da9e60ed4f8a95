import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { toSafeText } from '../../format/safe-text.js';
import { warnOfProblems } from '../config-warnings.js';

/** Returns every effective setting and the origin of its value. */
export async function list(context: AppContext): Promise<CommandResult> {
  warnOfProblems(context);
  const { columns, settings, flags } = context;
  // A table would print yes and no, which `config get` does not print.
  const isTable = settings.output === 'table' && flags.jq === undefined;
  const records = settings.all.map(({ name, value, source }) => ({
    name,
    value: isTable ? String(value) : value,
    source,
  }));
  return { kind: 'records', columns, records, emptyMessage: 'No settings.' };
}

/** Returns one effective setting. As text, it is the value alone; other formats include the source. */
export async function get(context: AppContext, setting: string): Promise<CommandResult> {
  warnOfProblems(context);
  const { columns, config } = context;
  const { name, value, source } = config.store.get(setting);
  return {
    kind: 'record',
    columns,
    record: { name, value, source },
    // A script gets the exact value; a person sees what `config list` shows.
    text: (_style, width) => `${toSafeText(String(value)) || (width === undefined ? '' : '-')}\n`,
  };
}

/** Saves a setting and warns about what overrides it. A profile must exist. */
export async function set({ terminal, config }: AppContext, name: string, value: string): Promise<void> {
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
