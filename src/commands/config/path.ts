import type { AppContext } from '../../app/context.js';
import type { Column, CommandResult } from '../../cli/command-result.js';

export const columns: readonly Column[] = [{ key: 'path' }];

/** Where settings and profiles are kept, whether the file can be read or not. */
export async function path({ config: { store } }: AppContext): Promise<CommandResult> {
  return {
    kind: 'record',
    columns,
    record: { path: store.path },
    text: `${store.path}\n`,
  };
}
