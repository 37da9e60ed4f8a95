import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';

export const columns: readonly Column[] = [{ key: 'path' }];

/** Returns the path of the config file, even if the file is missing or invalid. */
export async function path({ config: { store } }: AppContext): Promise<CommandResult> {
  return {
    kind: 'record',
    columns,
    record: { path: store.path },
    text: () => `${store.path}\n`,
  };
}
