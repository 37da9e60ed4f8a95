import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';

/** Returns the path of the config file, even if the file is missing or invalid. */
export async function path({ config: { store } }: AppContext): Promise<CommandResult> {
  return {
    kind: 'record',
    columns: [{ key: 'path' }],
    record: { path: store.path },
    text: `${store.path}\n`,
  };
}
