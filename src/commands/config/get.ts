import type { Context } from '../../app/context.js';
import type { Column, Shown } from '../../cli/command-result.js';
import { toSafeText } from '../../format/safe-text.js';
import { describe } from './list.js';

export const columns: readonly Column[] = [{ key: 'name' }, { key: 'value' }, { key: 'source' }];

/** One setting in force: its value alone for a person, with its source in other formats. */
export async function get({ config, settings }: Context, name: string): Promise<Shown> {
  const setting = config.get(name);
  return {
    kind: 'record',
    columns,
    record: {
      name: setting.name,
      value: setting.value,
      source: describe(setting, settings, config.path),
    },
    text: `${toSafeText(String(setting.value))}\n`,
  };
}
