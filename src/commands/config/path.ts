import type { AppContext } from '../../app/context.js';
import type { CommandResult } from '../../cli/command-result.js';

/** Where settings and profiles are kept, whether the file can be read or not. */
export async function path({ config: { store } }: AppContext): Promise<CommandResult> {
  return {
    kind: 'record',
    columns: [{ key: 'path' }],
    record: { path: store.path },
    text: `${store.path}\n`,
  };
}
