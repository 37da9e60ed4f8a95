import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult, OutputRecord } from '../../cli/command-result.js';
import { type ResolvedSetting, type Settings, settingNames } from '../../config/settings.js';
import { inOneBatch } from '../records.js';

export interface ListOptions {
  readonly sources?: true;
}

/** `source` is shown only if asked for. */
export const columns: readonly Column[] = [
  { key: 'name' },
  { key: 'value' },
  { key: 'source', canShrink: true },
];

/** Every setting in force, and with `sources` what chose its value. */
export async function list(
  { settings, config: { store } }: AppContext,
  { sources }: ListOptions,
): Promise<CommandResult> {
  const records = settingNames.map((name): OutputRecord => {
    const setting = store.get(name);
    const { value } = setting;
    return { name, value, ...(sources && { source: describe(setting, settings, store.path) }) };
  });
  return {
    kind: 'records',
    columns: sources ? columns : columns.filter(({ key }) => key !== 'source'),
    batches: inOneBatch(records),
    emptyMessage: 'No settings.',
  };
}

/** What chose a value, as precisely as it can be named. */
export function describe(
  { name, origin: source, variable }: ResolvedSetting,
  { profile }: Settings,
  path: string,
): string {
  if (source === 'flag') return `--${name}`;
  if (source === 'environment') return variable ?? 'environment';
  if (source === 'profile') return `profile ${profile}`;
  return source === 'setting' ? path : 'default';
}
