import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';
import { toSafeText } from '../../format/safe-text.js';

/** Returns one effective setting. As text, it is the value alone; other formats include the source. */
export async function get({ columns, config: { store } }: AppContext, name: string): Promise<CommandResult> {
  const setting = store.get(name);
  return {
    kind: 'record',
    columns,
    record: {
      name: setting.name,
      value: setting.value,
      source: setting.source,
    },
    // A script gets the exact value; a person sees what `config list` shows.
    text: (_style, width) => `${toSafeText(String(setting.value)) || (width === undefined ? '' : '-')}\n`,
  };
}
