import type { AppContext } from '../../app/context.js';
import type { CommandResult, OutputRecord } from '../../cli/command-result.js';
import { type ResolvedSetting, type Settings, settingNames } from '../../config/settings.js';

/** Returns every effective setting and the origin of its value. */
export async function list({ columns, settings, flags, config: { store } }: AppContext): Promise<CommandResult> {
  // A table would print yes and no, which `config get` does not print.
  const isTable = settings.output === 'table' && flags.jq === undefined;
  const records = settingNames.map((name): OutputRecord => {
    const setting = store.get(name);
    const { value } = setting;
    return {
      name,
      value: isTable ? String(value) : value,
      source: describeOrigin(setting, settings, store.path),
    };
  });
  return {
    kind: 'records',
    columns,
    records: records,
    emptyMessage: 'No settings.',
  };
}

/** Returns the flag, variable, profile or file that chose a value. */
export function describeOrigin(
  { name, origin, variable }: ResolvedSetting,
  { profile }: Settings,
  path: string,
): string {
  if (origin === 'flag') return `--${name}`;
  if (origin === 'environment') return variable ?? 'environment';
  if (origin === 'profile') return `profile ${profile}`;
  return origin === 'setting' ? path : 'default';
}
